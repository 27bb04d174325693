// Dynamics saves its state, and goes on from one.

#include <kickdrift/base/archive_checks.h>
#include <kickdrift/base/atomic_write.h>
#include <kickdrift/base/messages.h>
#include <kickdrift/deal_ii/dynamics.h>
#include <kickdrift/potentials/instruction_set.h>

#include <deal.II/base/utilities.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <vector>

namespace KickDrift
{
using namespace dealii;

namespace
{
/// Begins files, in front of the checksum of what follows.
const std::string first_line = "KickDrift state 1";
} // namespace

template <int spacedim>
void
Dynamics<spacedim>::serialize(Archive &archive)
{
  archive.section("dynamics");
  std::string instructions = instruction_set();
  std::uint64_t model = fingerprint_at_start;
  bool has_contact = contact_method != nullptr;
  archive(instructions, model, has_contact);
  AssertThrow(instructions == instruction_set() && model == fingerprint_at_start &&
                  has_contact == (contact_method != nullptr),
              ExcOtherModel());
  // kicks that have come to their end cannot be given again
  for (auto &part : parts)
  {
    std::vector<unsigned int> deleted;
    if (part.body().failure_strain() > 0)
      for (const auto &cell : part.body().cells())
        if (part.body().is_deleted(cell->active_cell_index()))
          deleted.push_back(cell->active_cell_index());
    std::sort(deleted.begin(), deleted.end());
    std::vector<unsigned int> in_archive = deleted;
    archive(in_archive);
    AssertThrow(std::includes(in_archive.begin(), in_archive.end(), deleted.begin(), deleted.end()),
                ExcCellsDeleted());
  }
  is_ready = !archive.is_reading(); // until all has been read
  archive(table, loop);
  if (contact_method)
    archive(*contact_method);
  archive(audit, next_look, has_advanced, start_time, reached, reached_by_loop, carried,
          audited_since);
  check_state(is_flag(has_advanced), "dynamics");
  check_state(!archive.is_reading() || archive.is_at_end(), "dynamics");
  is_ready = true;
}

template <int spacedim>
std::string
Dynamics<spacedim>::save() const
{
  AssertThrow(is_ready, ExcNotReady());
  std::string bytes;
  do_or_tell(
      [&]
      {
        if (ranks && !ranks->is_first())
          return;
        Archive archive;
        const_cast<Dynamics &>(*this).serialize(archive); // which does not change what it writes
        bytes = archive.bytes();
      });
  return has_other_processes() ? ranks->from_first(std::move(bytes)) : bytes;
}

template <int spacedim>
void
Dynamics<spacedim>::load(const std::string &state)
{
  AssertThrow(is_ready, ExcNotReady());
  AssertThrow(!is_observed, ExcCalledByObserver());
  do_on_all(
      [&]
      {
        Archive archive(state);
        serialize(archive);
      });
  synchronised.reset();
  set_observers(true);
}

template <int spacedim>
void
Dynamics<spacedim>::save_to_file(const std::string &file_name) const
{
  const std::string state = save();
  std::string failure; // a full disk need not end the run
  try
  {
    if (!ranks || ranks->is_first())
      durable_write(file_name, [&](std::ostream &out)
                    { out << first_line << " " << checksum(state) << "\n"
                          << state; });
  }
  catch (const std::exception &exception)
  {
    failure = message_of(exception);
  }
  if (has_other_processes())
    failure = ranks->from_first(std::move(failure));
  AssertThrow(failure.empty(), ExcMessage(failure));
}

template <int spacedim>
void
Dynamics<spacedim>::load_from_file(const std::string &file_name)
{
  std::string state;
  do_on_all(
      [&]
      {
        std::ifstream in(file_name, std::ios::binary);
        AssertThrow(in, ExcMessage("Cannot read '" + file_name + "'."));
        std::string line;
        std::getline(in, line);
        std::ostringstream text;
        text << in.rdbuf();
        state = text.str();
        AssertThrow(line == first_line + " " + std::to_string(checksum(state)),
                    ExcMessage("'" + file_name +
                               "' is not a whole file of Dynamics::save_to_file(), of this "
                               "version."));
      });
  load(state);
}

template std::string Dynamics<2>::save() const;
template std::string Dynamics<3>::save() const;
template void Dynamics<2>::load(const std::string &);
template void Dynamics<3>::load(const std::string &);
template void Dynamics<2>::save_to_file(const std::string &) const;
template void Dynamics<3>::save_to_file(const std::string &) const;
template void Dynamics<2>::load_from_file(const std::string &);
template void Dynamics<3>::load_from_file(const std::string &);
} // namespace KickDrift

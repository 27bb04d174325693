#include <kickdrift/contact/divided_looks.h>

#include <deal.II/base/exceptions.h>

namespace KickDrift
{
void
DividedLooks::start(std::shared_ptr<Ranks> all_ranks, std::vector<unsigned int> all_blocks)
{
  blocks = std::move(all_blocks);
  if (!all_ranks || all_ranks->size() == 1 || blocks.size() < fewest)
    return;
  ranks = std::move(all_ranks);
  n_ranks = ranks->size();
  rank = ranks->rank();
  next.resize(n_ranks);
  for (unsigned int other = 0; other < n_ranks; ++other)
    if (other != rank)
      parcels.push_back({other, {}, {}});
}

void
DividedLooks::count(const std::vector<unsigned int> &contactors)
{
  counts.assign(n_ranks, 0);
  for (const unsigned int contactor : contactors)
    ++counts[owner(contactor)];
}

void
DividedLooks::share_choice(const std::vector<unsigned int> &contactors,
                           std::vector<char> &is_chosen)
{
  if (!is_divided() || contactors.empty())
    return;
  own.assign(1, 0); // how many they are, which the others do not know
  for (unsigned int i = 0; i < contactors.size(); ++i)
    if (is_own(contactors[i]) && is_chosen[i])
      own.push_back(i);
  own[0] = own.size() - 1;
  count(contactors);
  for (std::size_t &n : counts)
    ++n;
  exchange(1);
  for (const Parcel &parcel : parcels)
    for (unsigned int k = 0; k < parcel.received[0]; ++k)
      is_chosen[static_cast<unsigned int>(parcel.received[1 + k])] = 1;
}

void
DividedLooks::exchange(const unsigned int most)
{
  AssertThrow(own.size() <= most * counts[rank] && own.empty() == (counts[rank] == 0),
              dealii::ExcInternalError());
  for (Parcel &parcel : parcels)
  {
    parcel.sent = own;
    parcel.received.resize(most * counts[parcel.rank]);
  }
  ranks->exchange(parcels);
  for (const Parcel &parcel : parcels)
    next[parcel.rank] = parcel.received.data();
}

std::vector<std::string>
DividedLooks::gather_to_first(const std::string &bytes) const
{
  std::vector<double> numbers(1 + (bytes.size() + sizeof(double) - 1) / sizeof(double));
  const std::uint64_t size = bytes.size();
  std::memcpy(numbers.data(), &size, sizeof(size));
  std::memcpy(numbers.data() + 1, bytes.data(), bytes.size());

  const auto sizes = ranks->gather({double(numbers.size())}, std::vector<std::size_t>(n_ranks, 1));
  const auto all = ranks->gather_to_first(numbers, {sizes.begin(), sizes.end()});
  std::vector<std::string> result;
  for (std::size_t begin = 0, r = 0; r < n_ranks && is_first(); begin += sizes[r], ++r)
  {
    std::uint64_t n_bytes;
    std::memcpy(&n_bytes, &all[begin], sizeof(n_bytes));
    result.emplace_back(reinterpret_cast<const char *>(&all[begin] + 1), n_bytes);
  }
  return result;
}
} // namespace KickDrift

#include <kickdrift/base/messages.h>
#include <kickdrift/parallel/ranks.h>

#include <deal.II/base/config.h>

#ifdef DEAL_II_WITH_MPI
#include <mpi.h>
#endif

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <string>
#include <utility>

namespace KickDrift
{
namespace
{
/// Where launchers say how many processes they have started for one command.
constexpr const char *numbers_of_processes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
                                                "MV2_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS"};

/// The variable that says that there are several; null if there are not.
const char *
launcher_variable()
{
  for (const char *variable : numbers_of_processes)
  {
    const char *value = std::getenv(variable);
    if (value && std::atol(value) > 1)
      return variable;
  }
  return nullptr;
}
} // namespace

#ifdef DEAL_II_WITH_MPI
namespace
{
constexpr int tag_of_parcels = 1, tag_of_failure = 2;
constexpr std::size_t largest_message = std::size_t(1) << 27; ///< counts of MPI are of 32 bits

/// Has somebody called MPI_Init(), and not MPI_Finalize()?
bool
is_initialised()
{
  int is_there, is_over;
  MPI_Initialized(&is_there);
  MPI_Finalized(&is_over);
  return is_there && !is_over;
}

/// Collective: as many @p bytes as the process @p root has.
void
resize_as(std::string &bytes, const int root, const MPI_Comm world)
{
  unsigned long size = bytes.size();
  MPI_Bcast(&size, 1, MPI_UNSIGNED_LONG, root, world);
  bytes.resize(size);
}

/// Collective: the @p bytes of the process @p root, after resize_as().
void
broadcast(std::string &bytes, const int root, const MPI_Comm world)
{
  for (std::size_t first = 0; first < bytes.size(); first += largest_message)
    MPI_Bcast(&bytes[first], std::min(largest_message, bytes.size() - first), MPI_CHAR, root,
              world);
}
} // namespace

struct Ranks::Connection
{
  explicit Connection(const MPI_Comm communicator)
  {
    MPI_Comm_dup(communicator, &world); // messages of others are none of ours
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &size);
    MPI_Irecv(nullptr, 0, MPI_BYTE, MPI_ANY_SOURCE, tag_of_failure, world, &failure);
  }

  ~Connection()
  {
    int is_finalised;
    MPI_Finalized(&is_finalised);
    if (is_finalised) // by who has initialised it
      return;
    int is_known = 0;
    MPI_Test(&failure, &is_known, MPI_STATUS_IGNORE);
    if (!is_known)
    {
      MPI_Cancel(&failure);
      MPI_Wait(&failure, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&world);
    if (is_own)
      MPI_Finalize();
  }

  /// Take back what is to be received.
  void
  cancel(const unsigned int begin, const unsigned int end)
  {
    for (unsigned int i = begin; i < end; ++i)
      if (pending[i] != MPI_REQUEST_NULL)
      {
        MPI_Cancel(&pending[i]);
        MPI_Wait(&pending[i], MPI_STATUS_IGNORE);
      }
  }

  MPI_Comm world = MPI_COMM_NULL; ///< the processes
  int rank = 0, size = 1;
  bool is_own = false;                    ///< is MPI to be finalised?
  MPI_Request failure = MPI_REQUEST_NULL; ///< completed when somebody has failed
  std::vector<MPI_Request> pending;       ///< of exchange()
};

std::shared_ptr<Ranks>
Ranks::of_launcher()
{
  const char *variable = launcher_variable();
  if (!variable && !is_initialised())
    return std::make_shared<Ranks>();
  const bool is_there = is_initialised();
  int provided;
  if (!is_there)
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  auto connection = std::make_unique<Connection>(MPI_COMM_WORLD);
  connection->is_own = !is_there;
  if (!variable && connection->size == 1)
    return std::make_shared<Ranks>();
  const std::string text = variable ? std::getenv(variable) : "";
  AssertThrow(connection->size > 1,
              dealii::ExcMessage(
                  "A launcher has started " + text + " processes (" + variable + " = " + text +
                  "), but this process is alone in the MPI that KickDrift was built with: each "
                  "of them would run the same case. Use the mpirun of that MPI. (If these are "
                  "different cases: unset " +
                  variable + ".)"));
  return std::shared_ptr<Ranks>(new Ranks(std::move(connection)));
}

std::shared_ptr<Ranks>
Ranks::of(const MPI_Comm communicator)
{
  AssertThrow(is_initialised(), dealii::ExcMessage("MPI must be initialised before its processes "
                                                   "can be asked for."));
  auto connection = std::make_unique<Connection>(communicator);
  return connection->size == 1 ? std::make_shared<Ranks>()
                               : std::shared_ptr<Ranks>(new Ranks(std::move(connection)));
}

Ranks::Ranks(std::unique_ptr<Connection> the_connection)
    : connection(std::move(the_connection)), n_ranks(connection->size), own_rank(connection->rank)
{
}

unsigned int
Ranks::lowest_failed(const bool is_failed, std::string &text)
{
  unsigned int own = is_failed ? own_rank : n_ranks, lowest;
  MPI_Allreduce(&own, &lowest, 1, MPI_UNSIGNED, MPI_MIN, connection->world);
  if (lowest == n_ranks)
    return lowest;
  resize_as(text, lowest, connection->world);
  broadcast(text, lowest, connection->world);
  return lowest;
}

void
Ranks::fail(const std::exception &exception)
{
  if (!connection || has_failed)
    return;
  auto &requests = connection->pending; // nothing else is pending outside of exchange()
  for (unsigned int rank = 0; rank < n_ranks; ++rank)
    if (rank != own_rank)
    {
      requests.push_back(MPI_REQUEST_NULL);
      MPI_Isend(nullptr, 0, MPI_BYTE, rank, tag_of_failure, connection->world, &requests.back());
    }
  std::string text = message_of(exception);
  lowest_failed(true, text);
  stop(text);
}

void
Ranks::agree()
{
  check();
  std::string text;
  if (!connection || lowest_failed(false, text) == n_ranks)
    return;
  stop(text);
  check();
}

void
Ranks::stop(const std::string &text)
{
  has_failed = true;
  message = text;
  drain();
}

void
Ranks::drain()
{
  // parcels that nobody waits for any more are received until all know that there are none left
  MPI_Request barrier = MPI_REQUEST_NULL;
  bool is_waiting = false;
  std::vector<double> nowhere;
  for (int is_done = 0; !is_done;)
  {
    int is_there = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, connection->world, &is_there, &status);
    if (is_there)
    {
      int size;
      MPI_Get_count(&status, MPI_BYTE, &size);
      nowhere.resize(size / sizeof(double) + 1);
      MPI_Recv(nowhere.data(), size, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, connection->world,
               MPI_STATUS_IGNORE);
    }
    if (!is_waiting)
    {
      int is_sent = 0;
      MPI_Testall(connection->pending.size(), connection->pending.data(), &is_sent,
                  MPI_STATUSES_IGNORE);
      if (!is_sent)
        continue;
      MPI_Ibarrier(connection->world, &barrier);
      is_waiting = true;
    }
    MPI_Test(&barrier, &is_done, MPI_STATUS_IGNORE);
  }
  connection->pending.clear();
}

bool
Ranks::any(const bool condition)
{
  agree();
  if (!connection)
    return condition;
  int own = condition, result;
  MPI_Allreduce(&own, &result, 1, MPI_INT, MPI_MAX, connection->world);
  return result;
}

bool
Ranks::all_equal(const std::string &text)
{
  return !any(from_first(text) != text);
}

std::string
Ranks::from_first(std::string bytes)
{
  agree();
  if (!connection)
    return bytes;
  resize_as(bytes, 0, connection->world);
  agree(); // there may be no memory for them
  broadcast(bytes, 0, connection->world);
  return bytes;
}

void
Ranks::exchange(std::vector<Parcel> &parcels)
{
  check();
  if (parcels.empty())
    return;
  auto &requests = connection->pending;
  // the first one is completed if somebody fails
  requests.assign(1 + 2 * parcels.size(), MPI_REQUEST_NULL);
  requests[0] = connection->failure;
  unsigned int n_left = 0;
  for (Parcel &parcel : parcels)
    if (!parcel.received.empty())
      MPI_Irecv(parcel.received.data(), parcel.received.size(), MPI_DOUBLE, parcel.rank,
                tag_of_parcels, connection->world, &requests[++n_left]);
  const unsigned int n_received = n_left;
  for (const Parcel &parcel : parcels)
    if (!parcel.sent.empty())
      MPI_Isend(parcel.sent.data(), parcel.sent.size(), MPI_DOUBLE, parcel.rank, tag_of_parcels,
                connection->world, &requests[++n_left]);
  requests.resize(1 + n_left);
  std::vector<int> done(requests.size());
  while (n_left > 0)
  {
    int n_done;
    MPI_Waitsome(requests.size(), requests.data(), &n_done, done.data(), MPI_STATUSES_IGNORE);
    if (std::find(done.begin(), done.begin() + n_done, 0) != done.begin() + n_done)
    {
      connection->failure = MPI_REQUEST_NULL;
      connection->cancel(1, 1 + n_received);
      std::string text;
      lowest_failed(false, text);
      stop(text);
      check();
    }
    n_left -= n_done;
  }
  connection->failure = requests[0];
  requests.clear();
}

std::vector<double>
Ranks::gather(const std::vector<double> &own, const std::vector<std::size_t> &sizes)
{
  // memory is what may run out here: the others must not be waiting for messages then
  std::vector<double> result;
  if (connection)
    result.resize(std::accumulate(sizes.begin(), sizes.end(), std::size_t(0)));
  agree();
  if (!connection)
    return own;
  AssertDimension(own.size(), sizes[own_rank]);
  std::size_t begin = 0;
  for (unsigned int rank = 0; rank < n_ranks; begin += sizes[rank], ++rank)
  {
    if (rank == own_rank)
      std::copy(own.begin(), own.end(), result.begin() + begin);
    for (std::size_t first = 0; first < sizes[rank]; first += largest_message)
      MPI_Bcast(result.data() + begin + first, std::min(largest_message, sizes[rank] - first),
                MPI_DOUBLE, rank, connection->world);
  }
  return result;
}

std::vector<double>
Ranks::gather_to_first(const std::vector<double> &own, const std::vector<std::size_t> &sizes)
{
  std::vector<double> result;
  if (connection && is_first())
    result.resize(std::accumulate(sizes.begin(), sizes.end(), std::size_t(0)));
  agree();
  if (!connection)
    return own;
  AssertDimension(own.size(), sizes[own_rank]);
  const auto in_parts = [](const std::size_t size, const auto &transfer)
  {
    for (std::size_t first = 0; first < size; first += largest_message)
      transfer(first, std::min(largest_message, size - first));
  };
  if (!is_first())
    in_parts(own.size(),
             [&](const std::size_t first, const std::size_t n) {
               MPI_Send(own.data() + first, n, MPI_DOUBLE, 0, tag_of_parcels, connection->world);
             });
  else
  {
    std::copy(own.begin(), own.end(), result.begin());
    std::size_t begin = own.size();
    for (unsigned int rank = 1; rank < n_ranks; begin += sizes[rank], ++rank)
      in_parts(sizes[rank],
               [&](const std::size_t first, const std::size_t n)
               {
                 MPI_Recv(result.data() + begin + first, n, MPI_DOUBLE, rank, tag_of_parcels,
                          connection->world, MPI_STATUS_IGNORE);
               });
  }
  return result;
}
#else
// deal.II knows no MPI: this process is alone.
struct Ranks::Connection
{
};

std::shared_ptr<Ranks>
Ranks::of_launcher()
{
  const char *variable = launcher_variable();
  AssertThrow(!variable,
              dealii::ExcMessage(std::string("A launcher has started several processes (") +
                                 (variable ? variable : "") +
                                 "), but deal.II was built without MPI: each of them would run the "
                                 "same case. Start one, and use several cores by --threads."));
  return std::make_shared<Ranks>();
}

void
Ranks::agree()
{
}

void
Ranks::fail(const std::exception &)
{
}

bool
Ranks::any(const bool condition)
{
  return condition;
}

std::string
Ranks::from_first(std::string bytes)
{
  return bytes;
}

bool
Ranks::all_equal(const std::string &)
{
  return true;
}

void
Ranks::exchange(std::vector<Parcel> &)
{
}

std::vector<double>
Ranks::gather(const std::vector<double> &own, const std::vector<std::size_t> &)
{
  return own;
}

std::vector<double>
Ranks::gather_to_first(const std::vector<double> &own, const std::vector<std::size_t> &)
{
  return own;
}
#endif

std::vector<double>
Ranks::gather(const std::vector<double> &own)
{
  const auto numbers = gather({double(own.size())}, std::vector<std::size_t>(n_ranks, 1));
  return gather(own, {numbers.begin(), numbers.end()});
}

Ranks::Ranks() = default;

Ranks::~Ranks() = default;

void
Ranks::check() const
{
  AssertThrow(!has_failed, ExcOtherProcess(message));
}
} // namespace KickDrift

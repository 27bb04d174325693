#ifndef KICKDRIFT_PARALLEL_RANKS_H
#define KICKDRIFT_PARALLEL_RANKS_H

#include <deal.II/base/config.h>
#include <deal.II/base/exceptions.h>

#include <exception>
#include <memory>
#include <string>
#include <vector>

namespace KickDrift
{
/// Numbers that two processes send each other.
struct Parcel
{
  unsigned int rank;        ///< of the other one
  std::vector<double> sent; ///< to it
  /// From it; as many as there may be at most, and none if nothing is sent. Those that come are the
  /// first ones.
  std::vector<double> received;
};

/**
 * The processes that work on one run: MPI, or this process alone.
 *
 * What is called collective has to be called by all processes, in the same order. A process that
 * fails calls fail(), once, whatever the others are doing: these throw ExcOtherProcess from their
 * next collective call, or from exchange(), so that nobody waits for ever. After that there is no
 * communication any more.
 */
class Ranks
{
public:
  /// Another process has failed, and this is what it says.
  DeclExceptionMsg(ExcOtherProcess, "Another process has failed.");

  /// This process alone; MPI is left as it is.
  Ranks();

  /**
   * Those that a launcher (mpirun, srun) has started for this command, as its environment variables
   * say; MPI is initialised for as long as this lives. Without a launcher, or with one process,
   * MPI is not initialised, which takes a third of a second. Where MPI has been initialised
   * already, all its processes: a collective call then. Messages do not mix with those of others.
   *
   * Throws dealii::ExceptionBase if the launcher belongs to another MPI than the one that KickDrift
   * was built with, so that each process would run the case on its own.
   */
  static std::shared_ptr<Ranks> of_launcher();

#ifdef DEAL_II_WITH_MPI
  /// Those of a communicator, such as one of several groups of processes. Messages do not mix with
  /// those of others. Collective; MPI must have been initialised.
  static std::shared_ptr<Ranks> of(MPI_Comm communicator);
#endif

  ~Ranks();
  Ranks(const Ranks &) = delete;

  /// Number of processes.
  unsigned int
  size() const
  {
    return n_ranks;
  }

  /// Number of this process, from 0.
  unsigned int
  rank() const
  {
    return own_rank;
  }

  /// Is this the process that talks to the user and writes files?
  bool
  is_first() const
  {
    return own_rank == 0;
  }

  /// Collective: wait for all. Throws ExcOtherProcess if one of them has failed.
  void agree();

  /**
   * This process cannot go on. The others throw ExcOtherProcess with the message of the lowest rank
   * of all that have failed. Does nothing if that has been agreed on already.
   */
  void fail(const std::exception &exception);

  /// Collective: is @p condition true for one of them?
  bool any(bool condition);

  /// Collective: the @p bytes of the first process; those of the others do not matter.
  std::string from_first(std::string bytes);

  /// Collective: has everybody got the same @p text?
  bool all_equal(const std::string &text);

  /// Send and receive, while others may do something else. Throws ExcOtherProcess; @p parcels are
  /// no longer used then.
  void exchange(std::vector<Parcel> &parcels);

  /**
   * Collective: the numbers of all processes, one process after the other.
   * @param sizes how many are from each, shape (size())
   */
  std::vector<double> gather(const std::vector<double> &own, const std::vector<std::size_t> &sizes);

  /// Collective: the same for the first process; the others get nothing.
  std::vector<double> gather_to_first(const std::vector<double> &own,
                                      const std::vector<std::size_t> &sizes);

  /// Collective: the same where nobody knows how many the others have.
  std::vector<double> gather(const std::vector<double> &own);

private:
  struct Connection; ///< what MPI knows of
  explicit Ranks(std::unique_ptr<Connection> connection);

  /// Throw if it is known that somebody has failed.
  void check() const;
  /// The lowest rank that has failed, or size(), and its @p text.
  unsigned int lowest_failed(bool has_failed, std::string &text);
  void stop(const std::string &text);
  /// Receive what has been sent in vain, so that MPI can be finalised.
  void drain();

  std::unique_ptr<Connection> connection; ///< null: alone
  unsigned int n_ranks = 1, own_rank = 0;
  bool has_failed = false;
  std::string message; ///< of the one that has failed
};
} // namespace KickDrift

#endif

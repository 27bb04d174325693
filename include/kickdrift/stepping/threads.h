#ifndef KICKDRIFT_STEPPING_THREADS_H
#define KICKDRIFT_STEPPING_THREADS_H

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace KickDrift
{
/**
 * A team of threads that do one job together, again and again, every few microseconds.
 *
 * Kicks of a step class take from ten microseconds to some milliseconds, so threads must begin and
 * finish a job fast. Idle threads therefore spin, then yield, in case there are more threads than
 * cores, and sleep at last. A task scheduler (oneTBB) needs several times as long, and its dynamic
 * load balancing is not wanted: which thread does what is fixed beforehand.
 */
class Threads
{
public:
  /// The calling thread and @p n_threads - 1 more. Throws dealii::ExceptionBase if
  /// @p n_threads is zero or the system cannot start them.
  explicit Threads(unsigned int n_threads);

  Threads(const Threads &) = delete;
  Threads &operator=(const Threads &) = delete;
  ~Threads();

  /// Number of threads.
  unsigned int
  size() const
  {
    return team.size() + 1;
  }

  /**
   * Call job(i) once for every i < size(), each on a thread of its own and 0 on the calling one;
   * return when all are done. Throws the first exception of the lowest i. Not to be called by a
   * job, nor by two threads at once.
   */
  template <typename Job>
  void
  run(const Job &job)
  {
    start([](const void *the_job, const unsigned int i)
          { (*static_cast<const Job *>(the_job))(i); },
          &job);
  }

private:
  using Function = void (*)(const void *job, unsigned int i);

  void start(Function function, const void *job);
  void dismiss();
  /// Do share @p i of the present job.
  void do_share(unsigned int i);
  /// What the thread of share @p i runs.
  void work(unsigned int i);
  /// Wait for the job after the one with number @p last.
  void wait_for_job(unsigned int last);

  std::vector<std::thread> team;
  std::vector<std::exception_ptr> exceptions; ///< by share
  Function function = nullptr;                ///< null: end
  const void *the_job = nullptr;
  alignas(64) std::atomic<unsigned int> job_number{0};
  alignas(64) std::atomic<unsigned int> n_unfinished{0};
  std::atomic<unsigned int> n_sleeping{0};
  std::mutex mutex;
  std::condition_variable wake_up;
};
} // namespace KickDrift

#endif

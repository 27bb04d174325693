#include <kickdrift/stepping/threads.h>

#include <deal.II/base/exceptions.h>

#include <chrono>
#include <string>
#include <system_error>

namespace KickDrift
{
namespace
{
/// Tell the processor that this thread only waits.
inline void
pause()
{
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

// Pauses until a waiting thread yields (some ten microseconds), and how long it does so until it
// sleeps: longer than contact and bookkeeping take between the kicks of two classes.
constexpr unsigned int n_pauses = 1000;
constexpr std::chrono::milliseconds time_of_yielding(2);

/// Spin, then yield, until @p is_over() or until it is time to sleep.
template <typename Condition>
bool
wait_awake(const Condition &is_over)
{
  for (unsigned int i = 0; i < n_pauses; ++i)
  {
    if (is_over())
      return true;
    pause();
  }
  const auto end = std::chrono::steady_clock::now() + time_of_yielding;
  do
  {
    if (is_over())
      return true;
    std::this_thread::yield();
  } while (std::chrono::steady_clock::now() < end);
  return false;
}
} // namespace

Threads::Threads(const unsigned int n_threads) : exceptions(n_threads)
{
  AssertThrow(n_threads > 0, dealii::ExcMessage("There must be at least one thread."));
  try
  {
    for (unsigned int i = 1; i < n_threads; ++i)
      team.emplace_back([this, i] { work(i); });
  }
  catch (const std::system_error &error)
  {
    const std::string message =
        "The system does not give " + std::to_string(n_threads) + " threads: " + error.what() + ".";
    dismiss();
    AssertThrow(false, dealii::ExcMessage(message));
  }
}

Threads::~Threads()
{
  dismiss();
}

void
Threads::dismiss()
{
  start(nullptr, nullptr);
  for (std::thread &thread : team)
    thread.join();
  team.clear();
}

void
Threads::start(const Function job_function, const void *job)
{
  function = job_function;
  the_job = job;
  n_unfinished.store(team.size(), std::memory_order_relaxed);
  // Sequentially consistent with the count of sleeping threads: either a thread that goes to sleep
  // sees the job, or it is counted here.
  job_number.fetch_add(1);
  if (n_sleeping.load() > 0)
  {
    const std::lock_guard<std::mutex> lock(mutex);
    wake_up.notify_all();
  }
  do_share(0);
  while (!wait_awake([this] { return n_unfinished.load(std::memory_order_acquire) == 0; }))
    ;
  for (std::exception_ptr &exception : exceptions)
    if (exception)
    {
      const std::exception_ptr first = exception;
      exceptions.assign(exceptions.size(), nullptr);
      std::rethrow_exception(first);
    }
}

void
Threads::do_share(const unsigned int i)
{
  if (function == nullptr)
    return;
  try
  {
    function(the_job, i);
  }
  catch (...)
  {
    exceptions[i] = std::current_exception();
  }
}

void
Threads::work(const unsigned int i)
{
  bool goes_on = true;
  for (unsigned int number = 0; goes_on; ++number)
  {
    wait_for_job(number);
    goes_on = function != nullptr;
    do_share(i);
    n_unfinished.fetch_sub(1, std::memory_order_release);
  }
}

void
Threads::wait_for_job(const unsigned int last)
{
  const auto there_is_one = [&] { return job_number.load() != last; };
  if (wait_awake(there_is_one))
    return;
  std::unique_lock<std::mutex> lock(mutex);
  n_sleeping.fetch_add(1);
  wake_up.wait(lock, there_is_one);
  n_sleeping.fetch_sub(1);
}
} // namespace KickDrift

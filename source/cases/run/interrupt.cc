#include <kickdrift/cases/run/interrupt.h>

#include <atomic>

namespace KickDrift
{
namespace
{
// any thread may be the one that gets the signal
std::atomic<int> noted{0}; ///< the signal that has come first
static_assert(std::atomic<int>::is_always_lock_free, "signal handlers may use nothing else");

/// Does a signal come with every attempt to write?
bool
comes_with_writing(const int signal)
{
  return signal == SIGXFSZ || signal == SIGPIPE;
}

extern "C" void
note(const int signal)
{
  int earlier = 0;
  if (noted.compare_exchange_strong(earlier, signal) || earlier != signal ||
      comes_with_writing(signal))
    return;
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}
} // namespace

Interrupt::Interrupt()
{
  noted = 0;
  struct sigaction action = {};
  action.sa_handler = &note;
  action.sa_flags = SA_RESTART; // writing goes on
  for (unsigned int i = 0; i < signals.size(); ++i)
  {
    sigaction(signals[i], nullptr, &before[i]);
    if (before[i].sa_handler != SIG_IGN)
      sigaction(signals[i], &action, nullptr);
  }
}

Interrupt::~Interrupt()
{
  // what the program has still to say would be killed by the same signal
  for (unsigned int i = 0; i < signals.size(); ++i)
    if (comes_with_writing(signals[i]) && noted != 0)
      std::signal(signals[i], SIG_IGN);
    else
      sigaction(signals[i], &before[i], nullptr);
}

bool
Interrupt::is_noted()
{
  return noted != 0;
}
} // namespace KickDrift

#include <kickdrift/cases/run/interrupt.h>

#include <atomic>

namespace KickDrift
{
namespace
{
// any thread may be the one that gets the signal
std::atomic<int> noted{0};
static_assert(std::atomic<int>::is_always_lock_free, "signal handlers may use nothing else");

extern "C" void
note(const int signal)
{
  if (noted.exchange(1) != 0)
  {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}
} // namespace

Interrupt::Interrupt()
{
  noted = 0;
  struct sigaction action = {};
  action.sa_handler = &note;
  action.sa_flags = SA_RESTART; // writing goes on
  sigaction(SIGINT, &action, &before_int);
  sigaction(SIGTERM, &action, &before_term);
}

Interrupt::~Interrupt()
{
  sigaction(SIGINT, &before_int, nullptr);
  sigaction(SIGTERM, &before_term, nullptr);
}

bool
Interrupt::is_noted()
{
  return noted != 0;
}
} // namespace KickDrift

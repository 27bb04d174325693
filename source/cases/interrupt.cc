#include <kickdrift/cases/interrupt.h>

namespace KickDrift
{
namespace
{
volatile std::sig_atomic_t noted = 0;

extern "C" void
note(const int signal)
{
  if (noted != 0)
  {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  noted = 1;
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

#include <kickdrift/cases/program.h>

#include <iostream>

int
main(int argc, char **argv)
{
  return KickDrift::run_program({argv + 1, argv + argc}, std::cout, std::cerr);
}

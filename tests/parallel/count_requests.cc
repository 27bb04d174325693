// Loaded in front of MPI (LD_PRELOAD), it counts requests and communicators that a program has made
// and not completed or freed when it finalises MPI, says how many, and fails if there are any.

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace
{
long n_made = 0, n_left = 0, n_communicators = 0;

int
made(const int result)
{
  ++n_made;
  ++n_left;
  return result;
}

/// Call MPI, and note how many of @p n requests are there before and not after.
template <typename Call>
int
completing(const int n, MPI_Request *const requests, const Call &call)
{
  const auto n_there = [&] { return n - std::count(requests, requests + n, MPI_REQUEST_NULL); };
  const long before = n_there();
  const int result = call();
  n_left -= before - n_there();
  return result;
}
} // namespace

extern "C"
{
  int
  MPI_Isend(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm world,
            MPI_Request *request)
  {
    return made(PMPI_Isend(data, n, type, to, tag, world, request));
  }

  int
  MPI_Irecv(void *data, int n, MPI_Datatype type, int from, int tag, MPI_Comm world,
            MPI_Request *request)
  {
    return made(PMPI_Irecv(data, n, type, from, tag, world, request));
  }

  int
  MPI_Ibarrier(MPI_Comm world, MPI_Request *request)
  {
    return made(PMPI_Ibarrier(world, request));
  }

  int
  MPI_Wait(MPI_Request *request, MPI_Status *status)
  {
    return completing(1, request, [&] { return PMPI_Wait(request, status); });
  }

  int
  MPI_Test(MPI_Request *request, int *is_done, MPI_Status *status)
  {
    return completing(1, request, [&] { return PMPI_Test(request, is_done, status); });
  }

  int
  MPI_Waitsome(int n, MPI_Request *requests, int *n_done, int *done, MPI_Status *statuses)
  {
    return completing(n, requests,
                      [&] { return PMPI_Waitsome(n, requests, n_done, done, statuses); });
  }

  int
  MPI_Testall(int n, MPI_Request *requests, int *are_done, MPI_Status *statuses)
  {
    return completing(n, requests, [&] { return PMPI_Testall(n, requests, are_done, statuses); });
  }

  int
  MPI_Comm_dup(MPI_Comm from, MPI_Comm *to)
  {
    ++n_communicators;
    return PMPI_Comm_dup(from, to);
  }

  int
  MPI_Comm_free(MPI_Comm *world)
  {
    --n_communicators;
    return PMPI_Comm_free(world);
  }

  int
  MPI_Finalize()
  {
    std::fprintf(stderr, "MPI: %ld requests, %ld of them and %ld communicators left\n", n_made,
                 n_left, n_communicators);
    if (n_left != 0 || n_communicators != 0)
      std::_Exit(1);
    return PMPI_Finalize();
  }
}

#include "sterna/comm/environment.hpp"

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <exception>

namespace sterna::comm {
namespace {

bool mpi_is_usable() {
  int initialized = 0;
  int finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  return initialized != 0 && finalized == 0;
}

}  // namespace

Environment::Environment(int& argc, char**& argv) {
  // Open MPI 5 tells of each window that UCX cannot serve it, also where another component does.
  setenv("OMPI_MCA_osc_ucx_verbose", "-1", 0);
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
}

Environment::~Environment() {
  if (!mpi_is_usable()) return;
  // MPI_Finalize waits for all ranks, which an escaping exception has left behind.
  if (std::uncaught_exceptions() > 0) abort("ended by an error that nobody caught");
  MPI_Finalize();
}

void Environment::abort(const std::string& message, int exit_code) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::fflush(nullptr);
  if (mpi_is_usable()) MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::_Exit(exit_code);
}

}  // namespace sterna::comm

#pragma once

#include <mpi.h>

#include <string_view>

namespace sterna::comm {

[[noreturn, gnu::cold]] void throw_mpi_error(int code, std::string_view what);

/// Throws Error with MPI's own text where `code` is not MPI_SUCCESS.
inline void check_mpi(int code, std::string_view what) {
  if (code != MPI_SUCCESS) throw_mpi_error(code, what);
}

}  // namespace sterna::comm

#pragma once

#include <string_view>

namespace sterna::comm {

/// Throws Error with MPI's own text where `code` is not MPI_SUCCESS.
void check_mpi(int code, std::string_view what);

}  // namespace sterna::comm

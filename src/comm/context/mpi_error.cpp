#include "comm/context/mpi_error.hpp"

#include <fmt/format.h>

#include "sterna/comm/error.hpp"

namespace sterna::comm {

void throw_mpi_error(int code, std::string_view what) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw Error(
      fmt::format("{}: {}", what, std::string_view(text, static_cast<std::size_t>(length))));
}

}  // namespace sterna::comm

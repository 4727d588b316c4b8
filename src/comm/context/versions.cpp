#include "comm/context/versions.hpp"

#include <mpi.h>

#include <string_view>

#ifdef STERNA_HAVE_UCX
#include <ucp/api/ucp.h>
#endif

namespace sterna::comm {

namespace {

/// Returns `text` without trailing spaces and, if it then ends with `end`, without `end`.
std::string_view stripped(std::string_view text, std::string_view end = {}) {
  if (text.ends_with(end)) text.remove_suffix(end.size());
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return text;
}

}  // namespace

std::string mpi_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string_view whole(text, static_cast<std::size_t>(length));
  // The text is "Open MPI v5.0.11, package: ..." or "MPICH Version:      4.0.2\n...".
  const std::string_view line = whole.substr(0, whole.find('\n'));
  const std::size_t digit = line.find_first_of("0123456789");
  if (digit == line.npos) return std::string(line);
  const std::string_view product =
      stripped(stripped(stripped(line.substr(0, digit)), "Version:"), " v");
  std::string_view number = line.substr(digit);
  number = number.substr(0, number.find_first_of(", \t"));
  return std::string(product) + " " + std::string(number);
}

std::string ucx_version() {
#ifdef STERNA_HAVE_UCX
  return std::string("UCX ") + ucp_get_version_string();
#else
  return {};
#endif
}

}  // namespace sterna::comm

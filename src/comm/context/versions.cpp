#include "comm/context/versions.hpp"

#include <mpi.h>

#include <regex>

#ifdef STERNA_HAVE_UCX
#include <ucp/api/ucp.h>
#endif

namespace sterna::comm {

std::string mpi_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string whole(text, static_cast<std::size_t>(length));
  // "Open MPI v5.0.11, package: ..." and "MPICH Version:      4.0.2\n..."
  std::smatch parts;
  if (std::regex_search(whole, parts,
                        std::regex(R"(^([A-Za-z ]*\w)\s+[vV](?:ersion:\s*)?([0-9][^\s,]*))"))) {
    return parts[1].str() + " " + parts[2].str();
  }
  return whole.substr(0, whole.find('\n'));
}

std::string ucx_version() {
#ifdef STERNA_HAVE_UCX
  return std::string("UCX ") + ucp_get_version_string();
#else
  return {};
#endif
}

}  // namespace sterna::comm

#include "comm/context/transport_settings.hpp"

#include <cstdlib>
#include <sstream>

namespace sterna::comm {
namespace {

/// The name of a variable that lists, as lines `NAME=VALUE`, the variables that this process has
/// set. Its children inherit both and choose again, because a script that simulates on one rank may
/// start a run on many.
constexpr const char* chosen = "STERNA_CHOSEN_TRANSPORTS";

std::string value_of(const std::string& name) {
  const char* const value = getenv(name.c_str());
  return value == nullptr ? "" : value;
}

void forget_what_a_parent_chose() {
  std::istringstream lines(value_of(chosen));
  unsetenv(chosen);
  for (std::string line; std::getline(lines, line);) {
    const std::string name = line.substr(0, line.find('='));
    // A variable with another value by now was set by the user, so it stays.
    if (line == name + "=" + value_of(name)) unsetenv(name.c_str());
  }
}

void unless_set(const char* name, const std::string& value) {
  if (getenv(name) != nullptr) return;
  setenv(name, value.c_str(), 1);
  setenv(chosen, (value_of(chosen) + name + "=" + value + "\n").c_str(), 1);
}

}  // namespace

void choose_transports(bool one_node, int ranks, const std::filesystem::path& folder,
                       const std::string& interface) {
  forget_what_a_parent_chose();
  // MPI does not start without HOME, though it only looks for settings there.
  unless_set("HOME", "/");
  if (one_node) {
    // The ofi component costs a second at the end of each run. A single rank needs no shared
    // memory.
    unless_set("OMPI_MCA_btl", ranks > 1 ? "^ofi,tcp" : "self");
    // The reason to exclude cma is in transport/rdma/worker.cpp.
    unless_set("UCX_TLS", "^cma,tcp");
    unless_set("FI_TCP_IFACE", "lo");
  } else if (!interface.empty()) {
    unless_set("OMPI_MCA_btl_tcp_if_include", interface);
    unless_set("OMPI_MCA_oob_tcp_if_include", interface);
    unless_set("UCX_NET_DEVICES", interface);
    unless_set("FI_TCP_IFACE", interface);
  }
  if (folder.empty()) return;
  for (const char* const user : {"btl_sm", "btl_vader", "osc_sm", "osc_rdma", "osc_ucx"}) {
    unless_set((std::string("OMPI_MCA_") + user + "_backing_directory").c_str(), folder);
  }
  unless_set("OMPI_MCA_shmem_mmap_backing_file_base_dir", folder);
  // UCX unlinks the name of a segment right after creating it. If a process is killed in between,
  // the file stays, and the next start removes the folder.
  unless_set("UCX_POSIX_DIR", folder);
}

}  // namespace sterna::comm

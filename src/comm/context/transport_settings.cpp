#include "comm/context/transport_settings.hpp"

#include <cstdlib>

namespace sterna::comm {
namespace {

void unless_set(const char* name, const std::string& value) {
  setenv(name, value.c_str(), 0);
}

}  // namespace

void choose_transports(bool one_node, int ranks, const std::filesystem::path& folder,
                       const std::string& interface) {
  // Open MPI 5 tells of each window that UCX cannot serve it, also where another component does.
  unless_set("OMPI_MCA_osc_ucx_verbose", "-1");
  // It does not start without, though it only looks there for settings.
  unless_set("HOME", "/");
  if (one_node) {
    // The ofi component costs a second at the end of each run. A single rank needs no shared
    // memory.
    unless_set("OMPI_MCA_btl", ranks > 1 ? "^ofi,tcp" : "self");
    // cma: see transport/rdma/worker.cpp.
    unless_set("UCX_TLS", "^cma,tcp");
  } else if (!interface.empty()) {
    unless_set("OMPI_MCA_btl_tcp_if_include", interface);
    unless_set("OMPI_MCA_oob_tcp_if_include", interface);
    unless_set("UCX_NET_DEVICES", interface);
  }
  if (folder.empty()) return;
  for (const char* const user : {"btl_sm", "btl_vader", "osc_sm", "osc_rdma", "osc_ucx"}) {
    unless_set((std::string("OMPI_MCA_") + user + "_backing_directory").c_str(), folder);
  }
  unless_set("OMPI_MCA_shmem_mmap_backing_file_base_dir", folder);
}

}  // namespace sterna::comm

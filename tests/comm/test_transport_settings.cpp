#include <doctest/doctest.h>
#include <stdlib.h>

#include <array>
#include <string>

#include "comm/context/transport_settings.hpp"

using namespace sterna::comm;

namespace {

constexpr std::array names{"OMPI_MCA_btl",
                           "UCX_TLS",
                           "UCX_NET_DEVICES",
                           "FI_TCP_IFACE",
                           "OMPI_MCA_btl_tcp_if_include",
                           "OMPI_MCA_oob_tcp_if_include",
                           "OMPI_MCA_btl_sm_backing_directory",
                           "UCX_POSIX_DIR"};

void forget() {
  for (const char* const name : names) unsetenv(name);
}

std::string value(const char* name) {
  const char* const text = getenv(name);
  return text == nullptr ? "unset" : text;
}

}  // namespace

TEST_CASE("on one node no transport is used that listens on a network") {
  forget();
  choose_transports(true, 2, "/dev/shm/folder", "eth0");
  CHECK(value("OMPI_MCA_btl") == "^ofi,tcp");
  CHECK(value("UCX_TLS") == "^cma,tcp");
  CHECK(value("UCX_NET_DEVICES") == "unset");
  CHECK(value("FI_TCP_IFACE") == "lo");
  CHECK(value("OMPI_MCA_btl_sm_backing_directory") == "/dev/shm/folder");
  CHECK(value("UCX_POSIX_DIR") == "/dev/shm/folder");
  forget();
  choose_transports(true, 1, "", "");
  CHECK(value("OMPI_MCA_btl") == "self");
  CHECK(value("OMPI_MCA_btl_sm_backing_directory") == "unset");
}

TEST_CASE("between nodes an interface that is named is the only one") {
  forget();
  choose_transports(false, 2, "", "ib0");
  for (const char* const name : {"UCX_NET_DEVICES", "FI_TCP_IFACE", "OMPI_MCA_btl_tcp_if_include",
                                 "OMPI_MCA_oob_tcp_if_include"}) {
    CHECK(value(name) == "ib0");
  }
  CHECK(value("OMPI_MCA_btl") == "unset");
  CHECK(value("UCX_TLS") == "unset");
  forget();
  choose_transports(false, 2, "", "");
  for (const char* const name : names) CHECK(value(name) == "unset");
}

TEST_CASE("a process whose parent has chosen chooses anew") {
  forget();
  setenv("UCX_TLS", "tcp", 1);
  choose_transports(true, 1, "/dev/shm/parent", "");
  choose_transports(true, 2, "/dev/shm/child", "");
  CHECK(value("OMPI_MCA_btl") == "^ofi,tcp");
  CHECK(value("OMPI_MCA_btl_sm_backing_directory") == "/dev/shm/child");
  CHECK(value("UCX_TLS") == "tcp");
}

TEST_CASE("what the user asks for is kept") {
  forget();
  setenv("OMPI_MCA_btl", "self,tcp", 1);
  setenv("UCX_TLS", "all", 1);
  choose_transports(true, 2, "", "");
  CHECK(value("OMPI_MCA_btl") == "self,tcp");
  CHECK(value("UCX_TLS") == "all");
  setenv("UCX_NET_DEVICES", "mlx5_0:1", 1);
  choose_transports(false, 2, "", "ib0");
  CHECK(value("UCX_NET_DEVICES") == "mlx5_0:1");
  CHECK(value("OMPI_MCA_btl_tcp_if_include") == "ib0");
}

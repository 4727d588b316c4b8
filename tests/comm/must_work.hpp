#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#include "comm/context/versions.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/methods.hpp"

// What may be missing where tests run over all methods. Without an excuse from here a method that
// does not work is a fault: nothing passes by skipping.
namespace sterna::test {

/// tests/comm/CMakeLists.txt takes the list from the library's own definitions.
inline bool is_built(std::string_view transport) {
  constexpr std::string_view kBuilt = STERNA_TRANSPORTS_BUILT;
  return kBuilt.find(" " + std::string(transport) + " ") != std::string_view::npos;
}

/// Why the method may be missing in this build and on these nodes; empty where it has to work.
inline std::string excuse(const comm::Context& world, const comm::MethodInfo& method) {
  const auto mentions = [&](std::string_view transport) {
    return method.needs.find(transport) != std::string_view::npos;
  };
  for (const std::string_view transport : {"rdma", "ofi", "rma", "shm"}) {
    if (mentions(transport) && !is_built(transport)) return "a transport is not in this build";
  }
  if (world.node_count() == 1) return {};
  if (!method.traits.between_nodes) return "the ranks are on several nodes";
  if (mentions("rma") && comm::mpi_version().starts_with("Open MPI 4.") &&
      std::getenv("OMPI_MCA_osc") == nullptr) {
    return "windows of Open MPI 4 may abort between nodes";
  }
  return {};
}

/// Whether the method works here; a failure of the test where it has to and does not.
/// `why_not`: what the family says.
inline bool works(const comm::Context& world, const comm::MethodInfo& method,
                  const std::string& why_not) {
  const std::string may_be_missing = excuse(world, method);
  if (why_not.empty()) return method.traits.between_nodes || world.node_count() == 1;
  CHECK_MESSAGE(!may_be_missing.empty(), method.name << " has to work here: " << why_not);
  MESSAGE(method.name << " is left out: " << may_be_missing << "; " << why_not);
  return false;
}

/// Fails where a name is in the table no more.
inline void check_names(std::span<const comm::MethodInfo> methods,
                        std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    bool found = false;
    for (const comm::MethodInfo& method : methods) found = found || method.name == name;
    CHECK_MESSAGE(found, name << " is missing in the table");
  }
}

}  // namespace sterna::test

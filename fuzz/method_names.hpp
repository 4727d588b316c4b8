#pragma once

// What the schema of inputs asks of the communication and the decompositions: their names. Their
// makers would pull in MPI. To be included by one file of a target.

#include <span>
#include <string_view>

#include "md/domain/decomposition_method.hpp"
#include "sterna/comm/methods.hpp"

namespace sterna::comm {

std::span<const MethodInfo> neighbor_methods() {
  static const MethodInfo methods[] = {{"p2p", "", ""}, {"rdma_double_buffer", "", ""}};
  return methods;
}

std::span<const MethodInfo> sparse_methods() {
  static const MethodInfo methods[] = {{"alltoall", "", ""}, {"nbx", "", ""}};
  return methods;
}

}  // namespace sterna::comm

namespace sterna::md {

const Registry<DecompositionRow>& decomposition_methods() {
  static const Registry<DecompositionRow> methods(
      "decomposition", {{"grid", "", false, nullptr}, {"bisection", "", true, nullptr}});
  return methods;
}

const DecompositionRow& decomposition_method(std::string_view name) {
  return *decomposition_methods().find(name == "grid" ? "grid" : "bisection");
}

}  // namespace sterna::md

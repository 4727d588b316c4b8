// The reader of input files: any bytes give an input or diagnostics, and both hold what they
// promise. Its seeds in fuzz/corpus are tests/broken_inputs.
//
// sources: src/md/core/units.cpp src/md/core/nearest_name.cpp src/md/core/display_text.cpp
// sources: src/md/io/read_input.cpp src/md/io/check_input.cpp src/md/io/input_schema.cpp
// sources: src/md/io/diagnostics.cpp src/md/io/syntax_error.cpp

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "md/io/read_input.hpp"
#include "sterna/comm/methods.hpp"

// The reader needs the names of the methods only; their makers would pull in MPI.
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

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sterna::md;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const ReadResult result = read_input_text(text, "fuzz.toml", false);
  const std::string shown = render(result.diagnostics);
  for (const char c : shown) require(static_cast<unsigned char>(c) >= 32 || c == '\n' || c == '\t');
  for (const Diagnostic& diagnostic : result.diagnostics) {
    require(diagnostic.line >= 0 && !diagnostic.message.empty());
  }
  if (!result.ok()) return 0;
  const Input& input = result.input;
  require(!input.types.empty() && !input.run.name.empty() && input.run.steps >= 0);
  require(std::isfinite(input.interaction.cutoff) && input.interaction.cutoff > 0.0);
  require(input.run.integrator == "minimize" || input.run.timestep > 0.0);
  require(input.start.kind == "file" || input.start.density > 0.0);
  for (const auto& type : input.types) {
    require(!type.name.empty() && std::isfinite(type.sigma) && type.sigma > 0.0 && type.mass > 0.0);
  }
  return 0;
}

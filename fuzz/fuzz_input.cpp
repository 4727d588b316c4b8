// The reader of input files: any bytes give an input or diagnostics, and both hold what they
// promise. Its seeds in fuzz/corpus are tests/broken_inputs.
//
// sources: src/md/core/units.cpp src/comm/context/nearest_name.cpp src/md/core/display_text.cpp
// sources: src/md/io/read_input.cpp src/md/io/check_input.cpp src/md/io/input_schema.cpp
// sources: src/md/io/diagnostics.cpp src/md/io/syntax_error.cpp src/md/io/check_components.cpp
// sources: src/md/io/check_electrostatics.cpp src/md/io/component_schema.cpp
// sources: src/md/io/electrostatics_schema.cpp src/md/io/interaction_schema.cpp
// sources: src/md/io/ensemble_schema.cpp src/md/io/published_components.cpp
// sources: src/md/io/check_thermostats.cpp src/md/io/particle_names.cpp
// sources: src/md/io/tersoff_input.cpp src/md/io/file_error.cpp src/md/model/tersoff.cpp
// sources: src/md/model/library/*.cpp src/md/io/readers/tersoff_file.cpp
// sources: src/md/io/readers/line_reader.cpp src/md/io/readers/fields.cpp
// sources: src/comm/context/regular_file.cpp src/md/io/foreign_files.cpp
// sources: src/md/io/run_files.cpp src/md/io/atomic_file.cpp

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "md/io/read_input.hpp"
#include "method_names.hpp"

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
  require(input.types.empty() != input.components.empty());
  require(!input.run.name.empty() && input.run.steps >= 0);
  const bool pairs = input.interaction.potential == "lennard_jones";
  require(std::isfinite(input.interaction.cutoff) && (!pairs || input.interaction.cutoff > 0.0));
  require(input.run.integrator == "minimize" || input.run.timestep > 0.0);
  require(input.start.kind == "file" || input.start.density > 0.0);
  for (const auto& type : input.types) {
    require(!type.name.empty() && type.mass > 0.0);
    require(!pairs || (std::isfinite(type.sigma) && type.sigma > 0.0));
  }
  return 0;
}

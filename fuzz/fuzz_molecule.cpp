// The reader of a molecule's file: any bytes give a molecule that a topology can be made of, or
// diagnostics.
//
// sources: src/md/input/read_input.cpp src/md/input/stages.cpp src/md/input/molecule_file.cpp

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "md/input/read_input.hpp"
#include "md/input/topology_from_input.hpp"
#include "method_names.hpp"

namespace {

using namespace sterna::md;

void require(bool holds) {
  if (!holds) std::abort();
}

Input around() {
  Input input = read_input_text(R"(
units = "nano"
[run]
steps = 1
timestep = 0.001
[start]
kind = "file"
file = "start.xyz"
[[type]]
name = "A"
mass = 1
epsilon = 1
sigma = 0.3
[[type]]
name = "B"
mass = 1
epsilon = 1
sigma = 0.3
[interaction]
cutoff = 1
[electrostatics]
kind = "fmm"
[[molecule]]
name = "M"
count = 2
file = "M.toml"
)",
                                "fuzz.toml", false)
                    .input;
  require(input.molecules.size() == 1);
  return input;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Input base = around();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  ReadResult result = read_molecule_text(base, 0, text);
  const std::string shown = render(result.diagnostics);
  for (const char c : shown) require(static_cast<unsigned char>(c) >= 32 || c == '\n' || c == '\t');
  if (!result.ok()) return 0;
  Input whole = base;
  whole.molecules = result.input.molecules;
  require(topology_from_input(whole).molecule_count() == 2);
  return 0;
}

// The reader of ls1's config.xml: any bytes give an input or diagnostics, and an input that its own
// text gives again. Behind a zero byte stands what every included file holds.
//
// sources: src/md/core/units.cpp src/comm/context/nearest_name.cpp src/md/core/display_text.cpp
// sources: src/md/core/random.cpp src/md/core/sort_by.cpp src/md/input/read_input.cpp
// sources: src/md/input/stages.cpp src/md/input/owner_tables.cpp src/md/simulation/owner_tables.cpp
// sources: src/md/simulation/physics_table.cpp src/md/simulation/force_term_table.cpp
// sources: src/md/ensemble/*.cpp
// sources: src/md/simulation/force_terms/*.cpp src/md/forces/*/input/*.cpp
// sources: src/md/forces/bias/bias.cpp src/md/forces/bias/collective_variable.cpp
// sources: src/md/forces/bias/biases/*.cpp src/md/forces/bias/variables/*.cpp
// sources: src/md/integrate/motion_physics.cpp src/md/integrate/check_*.cpp
// sources: src/md/integrate/*_section.cpp src/md/forces/force_term.cpp
// sources: src/md/input/check_*.cpp
// sources: src/md/input/input_schema.cpp src/md/input/sections/*.cpp
// sources: src/md/input/diagnostics.cpp src/md/input/syntax_error.cpp
// sources: src/md/input/input_text.cpp src/md/input/particle_names.cpp
// sources: src/md/input/published_components.cpp
// sources: src/md/core/file_error.cpp src/md/start/foreign/ls1/*.cpp src/md/start/readers/*.cpp
// sources: src/md/input/fields.cpp src/md/input/line_reader.cpp src/md/model/tersoff.cpp src/md/model/stillinger_weber.cpp
// sources: src/md/model/library/*.cpp src/md/forces/coulomb/fmm/fmm_parameters.cpp
// sources: src/md/forces/coulomb/fmm/point_charges.cpp src/md/forces/coulomb/fmm/cell_shape.cpp
// sources: src/comm/context/regular_file.cpp src/md/input/foreign_files.cpp
// sources: src/md/start/foreign/foreign_draft.cpp
// sources: src/md/start/foreign/modylas/coordinates.cpp src/md/start/foreign/modylas/words.cpp
// sources: src/md/input/gzip_file.cpp src/md/output/hdf5_*.cpp src/md/core/file_error.cpp
// sources: src/md/model/embedded_atom.cpp src/md/input/many_body_input.cpp
// sources: src/md/output/checkpoint_file.cpp src/md/core/checksum.cpp

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

#include "md/input/input_text.hpp"
#include "md/start/foreign/ls1/config.hpp"
#include "method_names.hpp"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sterna::md;
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const std::size_t end = all.find('\0');
  const std::string_view included =
      end == std::string_view::npos ? std::string_view() : all.substr(end + 1);
  const ReadResult result =
      ls1::read_config("config.xml", [&](const std::string& path) -> std::string {
        if (path == "config.xml") return std::string(all.substr(0, end));
        if (included.empty()) throw std::runtime_error("there is no such file");
        return std::string(included);
      });
  for (const Diagnostic& diagnostic : result.diagnostics) {
    require(!diagnostic.message.empty());
    require(diagnostic.line >= 0 && diagnostic.column >= 0);
  }
  if (!result.ok()) return 0;
  const std::string text = input_text(result.input);
  const ReadResult again = read_input_text(text, "config.toml", false);
  require(again.ok());
  require(input_text(again.input) == text);
  return 0;
}

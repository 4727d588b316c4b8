// The reader of MODYLAS's sessions: any bytes give an input or diagnostics, and the text of an input
// is one of Sterna's. Before a zero byte stands the .mddef, behind it the .mdff, and behind another one
// the .posiconst, where there is one.
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
// sources: src/md/core/file_error.cpp src/md/start/foreign/ls1/*.cpp src/md/start/foreign/*.cpp
// sources: src/md/start/foreign/modylas/*.cpp src/md/model/library/charmm_cmap.cpp
// sources: src/md/start/readers/*.cpp
// sources: src/md/input/fields.cpp src/md/input/line_reader.cpp src/md/model/tersoff.cpp src/md/model/stillinger_weber.cpp
// sources: src/md/model/library/*.cpp src/md/forces/coulomb/fmm/fmm_parameters.cpp
// sources: src/md/forces/coulomb/fmm/point_charges.cpp src/md/forces/coulomb/fmm/cell_shape.cpp
// sources: src/comm/context/regular_file.cpp src/md/input/foreign_files.cpp
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
#include "md/start/foreign/modylas/held_positions.hpp"
#include "md/start/foreign/modylas/session.hpp"
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
  const std::string_view rest =
      end == std::string_view::npos ? std::string_view() : all.substr(end + 1);
  const std::size_t end_of_second = rest.find('\0');
  const modylas::LoadText load = [&](const std::string& path) -> std::string {
    if (path == "session.mddef") return std::string(all.substr(0, end));
    if (path == "session.mdff") return std::string(rest.substr(0, end_of_second));
    if (path == "session.posiconst" && end_of_second != std::string_view::npos) {
      return std::string(rest.substr(end_of_second + 1));
    }
    throw std::runtime_error("no such file");
  };
  const ForeignInput input = modylas::read_session("session.mddef", load);
  for (const char* path : {"session.mdff", "session.posiconst"}) {
    try {
      modylas::read_held_positions(path, load);
    } catch (const std::runtime_error&) {
      // Not all of them have positions.
    }
  }
  for (const Diagnostic& diagnostic : input.checked.diagnostics) {
    require(!diagnostic.message.empty());
    require(diagnostic.line >= 0 && diagnostic.column >= 0);
  }
  if (!input.checked.ok()) return 0;
  require(read_input_text(input_text(input.given), "session.toml", false).ok());
  return 0;
}

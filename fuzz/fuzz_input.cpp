// The reader of input files: any bytes give an input or diagnostics, and both hold what they
// promise. Its seeds are those of tests/data/broken_inputs.txt.
//
// sources: src/md/input/input.cpp src/comm/context/joined.cpp
// sources: src/md/core/units.cpp src/comm/context/nearest_name.cpp src/md/core/display_text.cpp
// sources: src/md/input/read_input.cpp src/md/input/stages.cpp src/md/input/check_input.cpp
// sources: src/md/input/input_schema.cpp
// sources: src/md/input/diagnostics.cpp src/md/input/syntax_error.cpp
// sources: src/md/input/sections/*.cpp src/md/input/section_reader.cpp
// sources: src/md/input/value_reader.cpp src/md/input/input_reading.cpp
// sources: src/md/input/toml_document.cpp src/md/input/meant_names.cpp
// sources: src/md/input/check_completeness.cpp
// sources: src/md/input/published_components.cpp
// sources: src/md/input/owner_tables.cpp src/md/simulation/owner_tables.cpp
// sources: src/md/simulation/physics_table.cpp src/md/simulation/force_term_table.cpp
// sources: src/md/ensemble/*.cpp
// sources: src/md/simulation/force_terms/*.cpp src/md/forces/*/input/*.cpp
// sources: src/md/forces/bias/bias.cpp src/md/forces/bias/collective_variable.cpp
// sources: src/md/forces/bias/biases/*.cpp src/md/forces/bias/variables/*.cpp
// sources: src/md/integrate/motion_physics.cpp src/md/integrate/check_*.cpp
// sources: src/md/integrate/*_section.cpp src/md/forces/force_term.cpp
// sources: src/md/input/particle_names.cpp
// sources: src/md/core/file_error.cpp src/md/model/tersoff.cpp src/md/model/stillinger_weber.cpp src/md/model/library/*.cpp
// sources: src/md/core/sort_by.cpp src/md/core/json.cpp src/md/core/measured_text.cpp
// sources: src/md/input/line_reader.cpp src/md/input/fields.cpp
// sources: src/comm/context/regular_file.cpp src/md/input/foreign_files.cpp
// sources: src/md/input/run_files.cpp src/md/output/atomic_file.cpp
// sources: src/md/forces/pair/pair_potential_table.cpp src/md/forces/pair/pair_function.cpp
// sources: src/md/forces/pair/tabulated_curve.cpp
// sources: src/md/input/pairs_of_types.cpp src/md/input/component_frames.cpp
// sources: src/md/model/lennard_jones.cpp src/md/model/mixed_parameters.cpp src/md/integrate/timestep_advice.cpp
// sources: src/md/input/molecule_file.cpp
// sources: src/md/input/check_neighbor.cpp src/md/input/check_exports.cpp
// sources: src/md/input/topology_from_input.cpp
// sources: src/md/input/residue_labels.cpp
// sources: src/md/input/hydrogen_mass.cpp
// sources: src/md/forces/bonded/bicubic_table.cpp src/md/forces/bonded/bonded_table.cpp
// sources: src/md/system/topology.cpp src/md/system/joined_atoms.cpp src/md/system/rigid_shape.cpp
// sources: src/md/system/selection_expression.cpp
// sources: src/md/system/virtual_site_kinds.cpp src/md/system/virtual_site.cpp
// sources: src/md/system/atom_group.cpp src/md/input/atom_groups.cpp src/md/input/thermostat_parts.cpp
// sources: src/md/observe/*.cpp src/md/integrate/integrators/*.cpp
// sources: src/md/integrate/thermostats/*.cpp
// sources: src/md/trajectories/*.cpp
// sources: src/md/integrate/barostats/*.cpp src/md/integrate/*_section.cpp
// sources: src/md/integrate/check_*.cpp
// sources: src/md/start/readers/*.cpp src/md/start/foreign/ls1/start_file.cpp
// sources: src/md/start/foreign/modylas/coordinates.cpp src/md/start/foreign/modylas/words.cpp
// sources: src/md/input/gzip_file.cpp src/md/output/hdf5_*.cpp src/md/core/file_error.cpp
// sources: src/md/model/embedded_atom.cpp src/md/input/many_body_input.cpp
// sources: src/md/output/checkpoint_file.cpp src/md/core/checksum.cpp

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "md/forces/bonded/input/check_molecules.hpp"
#include "md/input/read_input.hpp"
#include "md/input/stages.hpp"
#include "md/input/topology_from_input.hpp"
#include "method_names.hpp"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void check(const sterna::md::ReadResult& result) {
  using namespace sterna::md;
  const std::string shown = render(result.diagnostics);
  for (const char c : shown) require(static_cast<unsigned char>(c) >= 32 || c == '\n' || c == '\t');
  for (const Diagnostic& diagnostic : result.diagnostics) {
    require(diagnostic.line >= 0 && !diagnostic.message.empty());
  }
  if (!result.ok()) return;
  const Input& input = result.input;
  require(input.types.empty() != input.components.empty());
  require(!input.run.name.empty() && input.run.steps >= 0);
  const bool pairs = input.interaction.potential == InteractionPotential::lennard_jones;
  require(std::isfinite(input.interaction.cutoff) && (!pairs || input.interaction.cutoff > 0.0));
  require(input.minimizes() || input.run.timestep > 0.0);
  require(input.start.kind == StartKind::file || input.start.density > 0.0);
  for (const auto& type : input.types) {
    require(!type.name.empty() && type.mass > 0.0);
    require(!pairs || (std::isfinite(type.sigma) && type.sigma > 0.0));
  }
  if (input.molecules.empty()) return;
  // Files of molecules are not looked at here, so one that has such a file has no atoms yet.
  for (const auto& molecule : input.molecules) {
    if (molecule.atoms.empty()) return;
  }
  require(atoms_of_molecules(input) >= 1);
  require(topology_from_input(input).atom_count() == atoms_of_molecules(input));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sterna::md;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const StageInput& stage : read_stages(text, "fuzz.toml", false)) check(stage.read);
  return 0;
}

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "md/core/units.hpp"
#include "md/core/values_by_type.hpp"
#include "md/input/sections/barostat_section.hpp"
#include "md/input/sections/communication_section.hpp"
#include "md/input/sections/component_section.hpp"
#include "md/input/sections/domain_section.hpp"
#include "md/input/sections/electrostatics_section.hpp"
#include "md/input/sections/freeze_section.hpp"
#include "md/input/sections/interaction_section.hpp"
#include "md/input/sections/minimize_section.hpp"
#include "md/input/sections/molecule_section.hpp"
#include "md/input/sections/multiple_time_steps_section.hpp"
#include "md/input/sections/neighbor_section.hpp"
#include "md/input/sections/output_section.hpp"
#include "md/input/sections/pair_section.hpp"
#include "md/input/sections/run_section.hpp"
#include "md/input/sections/stage_section.hpp"
#include "md/input/sections/start_section.hpp"
#include "md/input/sections/thermostat_section.hpp"
#include "md/input/sections/type_section.hpp"
#include "md/input/shared_text.hpp"

namespace sterna::md {

/// A run as its input file describes it: checked, completed with defaults, all numbers in internal
/// units. Each section of the file has its values and keys in a file in `sections/`. Sections that
/// are declared by owners outside of this folder are in `sections`.
struct Input {
  // These are defined in input.cpp, because otherwise each file that copies an input would compile
  // the copies of all sections.
  Input();
  Input(const Input&);
  Input(Input&&) noexcept;
  Input& operator=(const Input&);
  Input& operator=(Input&&) noexcept;
  ~Input();

  std::string path;  ///< path of the input file
  UnitSystem units = *UnitSystem::by_name("reduced");

  /// The place of a key or section in the file, for later diagnostics.
  struct Place {
    int line = 0;    ///< from 1
    int column = 0;  ///< from 1, in characters
    int length = 1;  ///< characters
    SharedText source_line;
    int source_column = 1;  ///< column of its first character, if only a part is kept
    SharedText file{};      ///< empty: the input file
  };
  /// The places of all keys and sections in the file: "run", "run.timestep", "type[0]",
  /// "type[0].sigma", "component[0].site[2].charge".
  std::map<std::string, Place, std::less<>> places;

  using Run = RunSection;
  using TimeSteps = TimeStepsSection;
  using Start = StartSection;
  using Type = TypeSection;
  using Site = SiteSection;
  using Component = ComponentSection;
  using Molecule = MoleculeSection;
  using MoleculeAtom = MoleculeSection::Atom;
  using MoleculeTerm = MoleculeSection::Term;
  using MoleculeVirtualSite = MoleculeSection::VirtualSite;
  using AtomLists = MoleculeSection::AtomLists;
  static constexpr std::int64_t unnumbered = MoleculeSection::unnumbered;
  using Pair = PairSection;
  using Interaction = InteractionSection;
  using Electrostatics = ElectrostaticsSection;
  using Neighbor = NeighborSection;
  using Thermostat = ThermostatSection;
  using Barostat = BarostatSection;
  using Coupling = BoxCoupling;
  using Freeze = FreezeSection;
  using Minimize = MinimizeSection;
  using Domain = DomainSection;
  using Communication = CommunicationSection;
  using Output = OutputSection;

  Run run;
  TimeSteps time_steps;
  Start start;
  std::vector<Type> types;
  std::vector<Component> components;
  std::vector<Molecule> molecules;
  std::vector<Pair> pairs;
  Interaction interaction;
  Electrostatics electrostatics;
  Neighbor neighbor;
  std::vector<Thermostat> thermostats;
  Barostat barostat;
  std::vector<Freeze> freezes;
  StageSection stage;
  Minimize minimize;
  Domain domain;
  Communication communication;
  Output output;

  bool has_thermostat() const;
  bool minimizes() const;  ///< whether the integrator is a minimizer

  /// The options of a section that its owner declares, such as `section<ProfileOptions>()` for
  /// [profile].
  template <class Options>
  Options& section() {
    return sections.of<Options>();
  }
  template <class Options>
  const Options& section() const {
    return sections.of<Options>();
  }
  /// The tables of such a section that may be repeated: `tables<WallSection>()` for each [[wall]].
  template <class Table>
  std::vector<Table>& tables() {
    return sections.of<std::vector<Table>>();
  }
  template <class Table>
  const std::vector<Table>& tables() const {
    return sections.of<std::vector<Table>>();
  }
  ValuesByType sections;
};

}  // namespace sterna::md

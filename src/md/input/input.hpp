#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "md/core/axis.hpp"
#include "md/core/box.hpp"
#include "md/core/units.hpp"
#include "md/core/values_by_type.hpp"
#include "md/core/vector.hpp"
#include "md/forces/bonded/bonded_parameter.hpp"
#include "md/forces/pair/pair_parameter.hpp"
#include "md/forces/pair/tabulated_curve.hpp"
#include "md/system/virtual_site_kinds.hpp"

namespace sterna::md {

/// A run as its input file describes it: checked, completed by defaults, all numbers in internal
/// units. The file's keys are these names; `input_schema.cpp` holds the table of them. What an owner
/// outside of this folder declares is in `sections`.
struct Input {
  std::string path;  ///< the file this was read from
  UnitSystem units = *UnitSystem::by_name("reduced");

  /// Where something stood in the file, so that what is found out later can point at it too.
  struct Place {
    int line = 0;    ///< from 1
    int column = 0;  ///< from 1, in characters
    int length = 1;  ///< characters
    std::string source_line;
    int source_column = 1;  ///< of its first character: of a very long line only a part is kept
    std::string file{};     ///< empty: the input's
  };
  /// Of every key and section that the file gave: "run", "run.timestep", "type[0]",
  /// "type[0].sigma", "component[0].site[2].charge".
  std::map<std::string, Place, std::less<>> places;

  struct Run {         ///< [run]
    std::string name;  ///< stem of the output files; default: the input file's
    std::int64_t steps = 0;
    double timestep = 0.0;
    std::uint64_t seed = 1;
    std::string precision = "double";            ///< "double", "mixed"
    std::string integrator = "velocity_verlet";  ///< or "minimize"
    std::string rotation = "no_squish";          ///< of molecules; or "leapfrog"
    double constraint_tolerance = 1e-8;          ///< of each distance, relative
    std::string constraint_algorithm = "auto";   ///< "shake", "conjugate_gradients"
  } run;

  struct TimeSteps {             ///< [multiple_time_steps]
    std::int64_t pairs = 1;      ///< steps between two computations of forces of pairs
    std::int64_t far_field = 0;  ///< likewise of the multipole method; 0: as those
    std::int64_t longest() const { return std::max(pairs, far_field); }
    bool are_used() const { return longest() > 1; }
  } time_steps;

  struct Start {                          ///< [start]
    std::string kind;                     ///< "lattice", "random", "file"
    std::string lattice = "fcc";          ///< "sc", "bcc", "fcc", "diamond", "zincblende"
    std::array<int, 3> cells{0, 0, 0};    ///< unit cells per axis; or `particles`
    std::int64_t particles = 0;           ///< random fill, or lattice with surplus sites empty
    double density = 0.0;                 ///< number density; for lattice and random
    double minimum_distance = 0.0;        ///< random fill; 0: chosen from sigma and density
    std::string file;                     ///< relative to the input file
    std::string format = "auto";          ///< or of start_formats()
    bool renumber = false;                ///< ids are 1 ... N instead of the file's
    std::optional<Vec3> box;              ///< edge lengths, where the file has none
    std::optional<Vec3> tilt;             ///< of a triclinic box: xy, xz, yz
    std::optional<double> temperature;    ///< draws velocities; without it those of the file, or 0
    std::string constraints = "project";  ///< of atoms that violate them; or "first_step"

    Tilt tilt_of_box() const { return tilt ? Tilt{tilt->x, tilt->y, tilt->z} : Tilt{}; }
  } start;

  struct Type {  ///< [[type]]
    std::string name;
    double mass = 1.0;
    double epsilon = 1.0;   ///< energy
    double sigma = 1.0;     ///< length
    double fraction = 1.0;  ///< share of the particles in lattice and random starts
    std::string tersoff{};  ///< parameters by name; default: the type's name
    double charge = 0.0;    ///< e; reduced: sqrt(4 pi epsilon_0 sigma epsilon)
  };
  std::vector<Type> types;

  struct Site {        ///< [[component.site]]
    std::string kind;  ///< "lennard_jones", "charge", "dipole", "quadrupole"
    Vec3 position;     ///< any origin and axes, the same for all sites
    double mass = 0.0;
    double epsilon = 0.0, sigma = 0.0;  ///< lennard_jones
    double charge = 0.0;                ///< charge
    Vec3 axis{0.0, 0.0, 1.0};           ///< dipole (towards the positive charge), quadrupole
    double moment = 0.0;                ///< dipole: charge * length; quadrupole: charge * length^2
  };
  struct Component {  ///< [[component]]: a rigid molecule, in place of a [[type]]
    std::string name;
    std::string model;  ///< of the library of published models; empty: the file's sites
    std::optional<Vec3>
        inertia;  ///< moments about the sites' axes, in place of those of the masses
    double fraction = 1.0;
    std::vector<Site> sites;  ///< those of `model` where that is given
  };
  std::vector<Component> components;

  /// Lists of atoms of a molecule, counted from 1; the file may give one list alone.
  using AtomLists = std::vector<std::vector<int>>;
  struct MoleculeAtom {  ///< [[molecule.atom]]
    std::string name;    ///< empty: that of the type
    std::string type;
    std::optional<double> charge;  ///< default: that of the type
    std::string residue;           ///< empty: the molecule
    std::int64_t residue_number = unnumbered;
    std::string chain;  ///< empty: that of the molecule
  };
  static constexpr std::int64_t unnumbered = std::numeric_limits<std::int64_t>::min();
  /// [[molecule.bond]], [[molecule.angle]], [[molecule.torsion]], [[molecule.improper]],
  /// [[molecule.cmap]]; [[molecule.special_pair]] and [[molecule.constraint]], which have no
  /// potential; [[molecule.exclusion]], which has neither that nor parameters.
  struct MoleculeTerm {
    std::string potential;
    /// In the order of `bonded_parameter_names`.
    std::array<std::optional<double>, most_bonded_parameters> parameters{};
    std::vector<double> table;  ///< [[molecule.cmap]]: energies, row after row
    AtomLists atoms;
  };
  struct MoleculeVirtualSite {  ///< [[molecule.virtual_site]]
    std::string kind;           ///< of `virtual_site_kinds`
    VirtualSiteParameters parameters;
    AtomLists atoms;  ///< the site, then those that it is made of
  };
  struct Molecule {  ///< [[molecule]]: a flexible one, of atoms
    std::string name;
    std::int64_t count = 0;
    std::string residue_numbers;  ///< of each molecule, where it is one residue; may be empty
    std::string chains;           ///< of each molecule; may be empty
    std::string file;             ///< with what follows; relative to the input
    int excluded_bonds = 3;       ///< pairs of atoms at most so many bonds apart do not interact
    double lennard_jones_14 = 0.0, coulomb_14 = 0.0;  ///< but so much of those three bonds apart
    std::vector<MoleculeAtom> atoms;
    std::string constrained_bonds = "none";  ///< "hydrogen", "all": keep their lengths
    double hydrogen_mass = 0.0;  ///< that hydrogen takes from its neighbors; 0: as types have it
    std::vector<MoleculeTerm> bonds, angles, torsions, impropers, cmaps, special_pairs, exclusions;
    std::vector<MoleculeTerm> constraints;  ///< the distance is their `r0`
    std::vector<MoleculeVirtualSite> virtual_sites;
  };
  std::vector<Molecule> molecules;

  struct Pair {  ///< [[pair]]: replaces the mixed parameters, or the whole potential
    std::string first, second;
    std::string potential = "lennard_jones";  ///< or another one of `pair_potential_table`
    /// Of the potentials, in the order of `pair_parameter_names`; `pair_parameter` has the names.
    std::array<std::optional<double>, most_pair_parameters> parameters{};
    double cutoff = 0.0;              ///< 0: that of [interaction]
    std::string table;                ///< "tabulated": its file, relative to the input
    std::optional<PairTable> points;  ///< of the table, where it was read
    std::optional<double> eta, xi;    ///< of components: factors of the mixed sigma and epsilon
  };
  std::vector<Pair> pairs;

  struct Interaction {                         ///< [interaction]
    std::string potential = "lennard_jones";   ///< or "tersoff"
    std::string parameter_file;                ///< of Tersoff's potential; relative to the input
    double cutoff = 0.0;                       ///< of Tersoff's potential: that of its parameters
    std::string truncation = "shifted";        ///< how the potential ends: of `truncation_by_name`
    double switch_start = 0.0;                 ///< of switched ends: smooth to zero from here to it
    std::string mixing = "lorentz_berthelot";  ///< "geometric"
    std::string tail_correction = "none";      ///< "homogeneous", "planar"
    std::string tail_normal = "z";  ///< "planar": the axis across the layers, "x", "y", "z"
    int tail_slabs = 0;             ///< "planar": of its profile; 0: chosen
    std::string kernel = "auto";    ///< "auto", "avx512", "avx2", "baseline"
    // Of components only.
    std::string molecular_cutoff = "center_of_mass";  ///< or "site": which distance the cutoff ends
    double lennard_jones_cutoff = 0.0;                ///< 0: the cutoff
    std::string electrostatics = "truncated";         ///< or "reaction_field"
    double reaction_field_epsilon = 1.0e10;           ///< relative permittivity beyond the cutoff
    bool shift_unlike_components = false;             ///< whatever `truncation` says
  } interaction;

  struct Electrostatics {                    ///< [electrostatics]: charges at any distance
    std::string kind = "none";               ///< "none", "fmm", "ewald"
    double accuracy = 1e-4;                  ///< relative root-mean-square error of the forces
    int order = 0;                           ///< of the expansions; 0: as the accuracy wants it
    int levels = 0;                          ///< of cells; 0: as the cost wants it
    std::string precision = "auto";          ///< "auto", "single", "mixed", "double"
    double smoothing = 0.0;                  ///< overlap of the cells, in units of their edges
    std::string surroundings = "conductor";  ///< "conductor", "vacuum", "open"
  } electrostatics;

  struct Neighbor {              ///< [neighbor]
    double skin = 0.0;           ///< 0: chosen
    int maximum_interval = 100;  ///< steps after which the list is rebuilt at the latest
    enum class Buffer { exact, tolerance };
    Buffer buffer = Buffer::exact;
    double tolerance = 0.005;  ///< of the energy, per particle and time; Buffer::tolerance
  } neighbor;

  struct Thermostat {           ///< [thermostat], or several [[thermostat]]
    std::string kind = "none";  ///< or of thermostat_kinds()
    double temperature = 0.0;
    double time_constant = 0.0;   ///< of those that have one
    std::int64_t start_step = 0;  ///< acts in steps from here
    std::int64_t stop_step = 0;   ///< to here; 0: to the end
    // Some of the molecules only.
    std::string component;             ///< of this [[component]] or [[type]]; empty: of all
    std::optional<Vec3> lower, upper;  ///< in this region of the box

    /// What only some kinds have, by the type of their options.
    template <class Options>
    Options& options() {
      return options_of_kinds.of<Options>();
    }
    template <class Options>
    const Options& options() const {
      return options_of_kinds.of<Options>();
    }
    ValuesByType options_of_kinds;

    /// Whether some molecules are left out.
    bool is_partial() const { return !component.empty() || lower || upper; }
  };
  std::vector<Thermostat> thermostats;

  bool has_thermostat() const {
    return std::any_of(thermostats.begin(), thermostats.end(),
                       [](const Thermostat& thermostat) { return thermostat.kind != "none"; });
  }

  /// Which changes of the box are coupled to which.
  enum class Coupling { isotropic, semi_isotropic, uniaxial, anisotropic, triclinic };
  struct Barostat {              ///< [barostat]
    std::string kind = "none";   ///< or of barostat_kinds()
    double pressure = 0.0;       ///< to keep
    double time_constant = 0.0;  ///< of the box
    Coupling coupling = Coupling::isotropic;
    Axis axis = Axis::z;         ///< semi_isotropic: the one by itself; uniaxial: that changes
    std::int64_t interval = 10;  ///< steps between two changes of the box

    /// What only some kinds have, by the type of their options.
    template <class Options>
    Options& options() {
      return options_of_kinds.of<Options>();
    }
    template <class Options>
    const Options& options() const {
      return options_of_kinds.of<Options>();
    }
    ValuesByType options_of_kinds;
  } barostat;

  struct DriftControl {                ///< [[drift_control]]
    Vec3 velocity;                     ///< to keep
    std::string component;             ///< of this [[component]] or [[type]]; empty: of all
    std::optional<Vec3> lower, upper;  ///< in this region of the box
    int slabs = 1;                     ///< along y, each with a velocity of its own
    std::int64_t interval = 100;       ///< steps between two corrections
    std::int64_t sample_interval = 10;
    std::int64_t start_step = 0, stop_step = 0;  ///< 0: to the end
  };
  std::vector<DriftControl> drift_controls;

  struct Limit {                                       ///< [[limit]]
    std::optional<double> force, torque;               ///< their length, at most
    std::optional<double> velocity, angular_momentum;  ///< likewise
    bool overlaps_only = false;        ///< velocities only where the force is beyond its limit
    std::string component;             ///< of this [[component]] or [[type]]; empty: of all
    std::optional<Vec3> lower, upper;  ///< in this region of the box
    bool outside = false;              ///< where the region is not
    std::int64_t interval = 1;         ///< steps
    std::int64_t start_step = 0, stop_step = 0;  ///< 0: to the end
  };
  std::vector<Limit> limits;

  struct Alignment {            ///< [alignment]
    std::int64_t interval = 0;  ///< steps; 0: none
    std::vector<std::string> axes{"x", "y", "z"};
    double part = 1.0;  ///< of the way to the middle of the box
  } alignment;

  struct Wall {                        ///< [[wall]]
    std::string potential;             ///< "lj_9_3", "lj_10_4", "lj_10_4_3", "lj_12_6", "harmonic",
                                       ///< "reflecting"
    std::string shape = "plane";       ///< or "sphere"
    std::string axis = "z";            ///< "plane": its normal, "x", "y", "z"
    double position = 0.0;             ///< "plane": along the axis
    Vec3 center;                       ///< "sphere"
    double radius = 0.0;               ///< "sphere"
    std::string side = "above";        ///< where molecules are: "above", "below", "both"; "inside",
                                       ///< "outside" of a sphere
    double epsilon = 0.0;              ///< energy
    double sigma = 0.0;                ///< length
    double layer_spacing = 0.0;        ///< "lj_10_4_3"; 0: sigma / sqrt(2)
    double cutoff = 0.0;               ///< distance from the wall, or depth behind a harmonic one
    double stiffness = 0.0;            ///< "harmonic": force per depth
    std::string component;             ///< of this [[component]] or [[type]]; empty: of all
    std::optional<Vec3> lower, upper;  ///< acts in this region of the box
    std::string acts_on;               ///< "sites", "centers"; empty: as the potential wants it
  };
  std::vector<Wall> walls;

  struct Field {                         ///< [[field]]: one of the three
    std::optional<Vec3> force;           ///< on each molecule
    std::optional<Vec3> acceleration;    ///< of each molecule
    std::optional<Vec3> electric_field;  ///< acts on charges and dipoles
    std::string component;               ///< of this [[component]] or [[type]]; empty: of all
  };
  std::vector<Field> fields;

  struct Restraint {            ///< [[restraint]]
    double stiffness = 0.0;     ///< force per distance
    std::optional<Vec3> place;  ///< of all of them; otherwise where each one is at the start
    std::vector<std::string> axes{"x", "y", "z"};
    std::string component;             ///< of this [[component]] or [[type]]; empty: of all
    std::optional<Vec3> lower, upper;  ///< those that are in this region of the box at the start
  };
  std::vector<Restraint> restraints;

  struct Freeze {           ///< [[freeze]]
    std::string component;  ///< [[component]] or [[type]]
    Vec3 velocity;          ///< that they keep
  };
  std::vector<Freeze> freezes;

  struct Minimize {                     ///< [minimize]; integrator = "minimize"
    double force_tolerance = 0.0;       ///< largest force component
    double maximum_displacement = 0.0;  ///< per step; 0: a tenth of the smallest sigma
  } minimize;

  struct Domain {                         ///< [domain]
    std::string decomposition = "auto";   ///< or of decomposition_methods()
    std::array<int, 3> grid{0, 0, 0};     ///< ranks per axis; 0: chosen
    std::string weights = "time";         ///< "time", "neighbors", "particles"
    std::int64_t rebalance_interval = 0;  ///< steps; 0: where it pays
    std::string halo = "direct";          ///< "direct" (26 messages), "staged" (6)
  } domain;

  struct Communication {             ///< [communication]
    std::string halo = "auto";       ///< neighbor exchange method
    std::string migration = "auto";  ///< sparse exchange method
    std::string fmm = "auto";        ///< neighbor exchange method of the electrostatics
    bool tuning = true;              ///< "auto" measures
    std::string machine_file;        ///< empty: comm::TuningOptions says which
    double timeout = 300.0;          ///< seconds
    std::string interface;           ///< of TCP between nodes; empty: any
  } communication;

  struct Output {                 ///< [output]
    std::string directory = ".";  ///< relative to the working directory
    std::int64_t thermo_interval = 100;
    std::int64_t equilibration = -1;                         ///< steps; below 0: found at the end
    std::int64_t trajectory_interval = 0;                    ///< 0: no trajectory
    std::vector<std::string> trajectory_fields{"position"};  ///< "velocity", "force", "image"
    std::string trajectory_precision = "double";             ///< "single"
    std::string trajectory_compression = "none";             ///< "lossless"
    double trajectory_rounding = 0.0;                        ///< of positions; 0: none
    std::int64_t checkpoint_interval = 0;                    ///< steps; 0: see below
    double checkpoint_time = 900.0;                          ///< seconds; 0: not by the clock
    bool report = false;                                     ///< by who starts the run
    std::vector<std::string> exports;                        ///< formats; likewise
    std::int64_t xtc_interval = 0;                           ///< steps; 0: no XTC file
    double xtc_rounding = 0.001;                             ///< of positions in it
    std::string timing = "plain";                            ///< "synchronized"
  } output;

  /// The options of a section that its owner declares: `section<ProfileOptions>()` is [profile].
  template <class Options>
  Options& section() {
    return sections.of<Options>();
  }
  template <class Options>
  const Options& section() const {
    return sections.of<Options>();
  }
  ValuesByType sections;
};

}  // namespace sterna::md

#include "md/input/input_schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>

#include "md/domain/decomposition_method.hpp"
#include "md/input/atom_groups.hpp"
#include "md/input/barostat_kind.hpp"
#include "md/input/component_schema.hpp"
#include "md/input/electrostatics_schema.hpp"
#include "md/input/ensemble_schema.hpp"
#include "md/input/external_schema.hpp"
#include "md/input/interaction_schema.hpp"
#include "md/input/molecule_schema.hpp"
#include "md/input/motion_schema.hpp"
#include "md/input/multiple_time_steps_schema.hpp"
#include "md/input/observer_section.hpp"
#include "md/input/pair_potential_input.hpp"
#include "md/input/pair_schema.hpp"
#include "md/input/start_format.hpp"
#include "md/input/thermostat_kind.hpp"
#include "md/output/run_files.hpp"
#include "md/system/particle_fields.hpp"
#include "sterna/comm/methods.hpp"

namespace sterna::md {
namespace {

constexpr Range positive{.minimum = 0.0, .exclusive_minimum = true};
constexpr Range not_negative{.minimum = 0.0};

std::vector<std::string_view> halo_methods() {
  std::vector<std::string_view> names{"auto"};
  for (const comm::MethodInfo& method : comm::neighbor_methods()) names.push_back(method.name);
  return names;
}

std::vector<std::string_view> migration_methods() {
  std::vector<std::string_view> names{"auto"};
  for (const comm::MethodInfo& method : comm::sparse_methods()) names.push_back(method.name);
  return names;
}

std::vector<std::string_view> decompositions() {
  std::vector<std::string_view> names{"auto"};
  for (const DecompositionMethod& method : decomposition_methods()) names.push_back(method.name);
  return names;
}

Condition start_is(std::vector<std::string_view> kinds) {
  return {"start", "kind", std::move(kinds)};
}

Condition integrator_is(std::string_view integrator) {
  return {"run", "integrator", {integrator}, Severity::warning};
}

Condition potential_is(std::string_view potential, Severity severity = Severity::warning) {
  return {"interaction", "potential", {potential}, severity};
}

using Names = std::vector<std::string_view>;

/// Whether each pair of a type has a potential of its own, which needs no parameters of types.
bool has_own_potentials(const Input& input, std::size_t type) {
  return !type_is_mixed(input, type);
}

std::string_view formats_description() {
  static const std::string text = [] {
    std::string all = "Format of the start file.";
    for (const StartFormat& format : start_formats()) {
      all += fmt::format(" \"{}\": {}.", format.name, format.sentence);
    }
    return all + " \"auto\" looks at the content.";
  }();
  return text;
}

std::vector<SectionSchema> general_sections() {
  return {
      {.name = "run", .required = true, .description = "What is done, and for how long."},
      {.name = "multiple_time_steps",
       .description =
           "Forces that change slowly are computed in some time steps only, and act "
           "there the more strongly: reversible multiple time steps, r-RESPA. `timestep` "
           "in `[run]` is the shortest.",
       .aliases = {"respa", "mts", "RESPA", "multiple_timestep", "multiple_time_step"}},
      {.name = "start",
       .required = true,
       .description = "Where the particles are at the beginning.",
       .aliases = {"system", "initial", "configuration", "lattice", "box"},
       .keeps_state = true},
      {.name = "type",
       .is_array = true,
       .description =
           "A type of particle, of which molecules may be made; one such section per "
           "type. In a start file that numbers its types, the first section is type 1. A "
           "file has either types or components.",
       .aliases = {"atom", "species", "particle"}},
      {.name = "component",
       .is_array = true,
       .description =
           "A rigid molecule: a published model by name, or sections `[[component.site]]` behind "
           "it. In a start file that numbers its types, the first section is type 1. Start files "
           "and trajectories have the centers of mass; orientations turn the body frame, whose "
           "axes are those of the sites where these are principal axes of inertia already.",
       .aliases = {"rigid"}},
      {.name = "component.site",
       .is_array = true,
       .description = "A point of the molecule where forces act.",
       .aliases = {"site", "sites"}},
      {.name = "molecule",
       .is_array = true,
       .description =
           "A flexible molecule of atoms, whose types are those of `[[type]]`, and how many of it "
           "there are. The start gives the atoms of one molecule after the other, in the order of "
           "these sections: their ids count from 1. Every particle is an atom of a molecule then, "
           "a "
           "lone ion one of a molecule of one atom. All that follows may stand in a file of its "
           "own, as `[[atom]]`, `[[bond]]` and so on. Atoms are counted from 1.",
       .aliases = {"molecules", "flexible", "moleculetype", "moltype", "topology"}},
      {.name = "molecule.atom",
       .is_array = true,
       .description = "An atom of the molecule.",
       .aliases = {"atoms"}},
      {.name = "molecule.bond",
       .is_array = true,
       .description = "Bonds with the same parameters; formulas of all terms are in "
                      "[the how-to](howto/flexible-molecules.md).",
       .aliases = {"bonds"}},
      {.name = "molecule.angle",
       .is_array = true,
       .description = "Angles with the same parameters; the middle atom stands in the middle.",
       .aliases = {"angles"}},
      {.name = "molecule.torsion",
       .is_array = true,
       .description = "Torsions with the same parameters, along chains of four atoms: the angle is "
                      "0 where the outer atoms are eclipsed (cis), 180 degrees where they are "
                      "opposite (trans).",
       .aliases = {"torsions", "dihedral", "dihedrals"}},
      {.name = "molecule.improper",
       .is_array = true,
       .description = "Improper torsions with the same parameters: the dihedral angle of the atoms "
                      "in the order given.",
       .aliases = {"impropers"}},
      {.name = "molecule.cmap",
       .is_array = true,
       .description = "Corrections by the same table of two torsions in a row, as CHARMM has them "
                      "for the backbones of proteins.",
       .aliases = {"cmaps", "cmap_table", "cmaptypes", "crossterm", "cross_term"}},
      {.name = "molecule.special_pair",
       .is_array = true,
       .description = "Pairs of atoms that interact by parameters of their own, at any distance: "
                      "what is not given is that of a pair three bonds apart.",
       .aliases = {"pairs", "special_pairs", "pair_14", "exceptions"}},
      {.name = "molecule.exclusion",
       .is_array = true,
       .description = "Pairs of atoms that do not interact, besides those that bonds join.",
       .aliases = {"exclusions", "exclude"}},
      {.name = "molecule.constraint",
       .is_array = true,
       .description = "Pairs of atoms whose distance stays as it is, besides the bonds that "
                      "`constrained_bonds` names.",
       .aliases = {"constraints", "constrain", "shake"}},
      {.name = "molecule.virtual_site",
       .is_array = true,
       .description = "Atoms without mass whose positions follow from those of others, which take "
                      "the forces on them: the charge of TIP4P water, lone pairs. "
                      "[The how-to](howto/virtual-sites.md) has the formulas.",
       .aliases = {"virtual_sites", "vsite", "virtual_sites2", "virtual_sites3", "virtual_sites4",
                   "lone_pair", "lonepair", "extra_point", "dummy"}},
      {.name = "pair",
       .is_array = true,
       .description =
           "The potential of two unlike (or like) types, or their Lennard-Jones parameters "
           "in place of the mixed ones; how two unlike components mix."},
      {.name = "interaction",
       .required = true,
       .description = "The potential of all pairs and how it ends.",
       .aliases = {"potential", "force", "forcefield", "pair_style"}},
      {.name = "electrostatics",
       .description = "Forces of charges at any distance.",
       .aliases = {"coulomb", "kspace", "ewald", "pme", "pppm", "fmm"}},
      {.name = "neighbor",
       .description = "The list of neighbors. Changes the speed, not the result.",
       .aliases = {"neighbour"},
       .keeps_state = true},
      {.name = "thermostat",
       .may_repeat = true,
       .description =
           "Keeps the temperature. Without this section the energy is kept (NVE). Several "
           "of them, written `[[thermostat]]`, keep those of several components or "
           "regions, or follow one another in time.",
       .aliases = {"nvt", "temperature"}},
      {.name = "barostat",
       .description =
           "Keeps the pressure, by changing the box. Goes with a thermostat that samples "
           "the canonical ensemble.",
       .aliases = {"npt", "pressure"}},
      {.name = "wall",
       .is_array = true,
       .description = "A flat or spherical wall that repels molecules, attracts them or reflects "
                      "them.",
       .aliases = {"walls", "WallPotential", "Mirror", "boundary"}},
      {.name = "field",
       .is_array = true,
       .description = "A force that is the same everywhere: a constant one, gravity, or that of an "
                      "electric field.",
       .aliases = {"external", "external_force", "gravity", "efield", "electric_field"}},
      {.name = "restraint",
       .is_array = true,
       .description = "Springs that hold molecules at their places.",
       .aliases = {"restraints", "tether", "spring", "position_restraint"}},
      {.name = "freeze",
       .is_array = true,
       .description = "Molecules that do not feel forces: they rest, or move all alike.",
       .aliases = {"frozen", "fixed", "move", "moving"}},
      {.name = "drift_control",
       .is_array = true,
       .description = "Keeps the common velocity of all molecules, of a component or of a region.",
       .aliases = {"drift", "DriftCtrl", "momentum"}},
      {.name = "limit",
       .is_array = true,
       .description =
           "Shortens forces and velocities that are longer than this, so that a start with "
           "overlaps survives. Energy and momentum are not conserved meanwhile.",
       .aliases = {"limits", "MaxCheck", "cap"}},
      {.name = "alignment",
       .description = "Brings the center of mass back to the middle of the box, so that a droplet "
                      "or film stays where it is looked at. Paths of molecules contain the shifts.",
       .aliases = {"COMaligner", "recenter", "center"}},
      {.name = "minimize",
       .description = "When a minimization has come far enough.",
       .aliases = {"minimise", "minimization"},
       .keeps_state = true},
      {.name = "domain",
       .description = "How space is divided among the ranks.",
       .keeps_state = true},
      {.name = "communication",
       .description = "How the ranks exchange data. Changes the speed, not the result.",
       .aliases = {"comm"},
       .keeps_state = true},
      {.name = "output",
       .description = "What is written, where, and how often.",
       .keeps_state = true},
  };
}

std::vector<SectionSchema> make_sections() {
  std::vector<SectionSchema> sections = general_sections();
  sections.push_back(group_section());
  for (const ObserverSection& observer : observer_sections()) {
    sections.push_back(observer.schema);
    sections.back().keeps_state = true;
  }
  return sections;
}

std::vector<KeySchema> general_keys() {
  return {
      {.section = "",
       .name = "units",
       .target = [](Input& i, std::size_t) -> Target { return &i.units; },
       .description = "What plain numbers mean. \"reduced\": Lennard-Jones units, everything in "
                      "terms of mass, "
                      "sigma and epsilon. \"nano\": nm, ps, u, kJ/mol, K, bar. \"metal\": "
                      "angstrom, ps, u, eV, "
                      "K, bar. \"real\": angstrom, fs, u, kcal/mol, K, atm.",
       .choices =
           [] {
             const auto names = UnitSystem::names();
             return Names(names.begin(), names.end());
           },
       .aliases = {"unit", "unit_style", "unit_system"}},

      // ---- [run]
      {.section = "run",
       .name = "name",
       .target = [](Input& i, std::size_t) -> Target { return &i.run.name; },
       .description = "What the names of all output files begin with.",
       .default_text = "the name of the input file without \".toml\""},
      {.section = "run",
       .name = "steps",
       .target = [](Input& i, std::size_t) -> Target { return &i.run.steps; },
       .description = "Number of time steps, or the most steps that a minimization may take. 0 "
                      "computes the start only.",
       .need = Need::required,
       .range = {.minimum = 0.0, .maximum = most_steps},
       .aliases = {"nsteps", "n_steps", "num_steps", "iterations"}},
      {.section = "run",
       .name = "timestep",
       .target = [](Input& i, std::size_t) -> Target { return &i.run.timestep; },
       .description = "Length of a time step.",
       .need = Need::required,
       .dimension = Dimension::time,
       .range = positive,
       .condition = integrator_is("velocity_verlet"),
       .aliases = {"dt", "delta_t", "step", "step_size"}},
      {.section = "run",
       .name = "seed",
       .target = [](Input& i, std::size_t) -> Target { return &i.run.seed; },
       .description = "Begins all random numbers. The same seed gives the same run, on any number "
                      "of ranks at the start.",
       .range = {.minimum = 0.0},
       .aliases = {"random_seed"}},
      {.section = "run",
       .name = "precision",
       .target = [](Input& i, std::size_t) -> Target { return &i.run.precision; },
       .description = "\"mixed\" computes pairs in single and sums in double precision: faster, "
                      "forces to about 1e-6.",
       .choices =
           [] {
             return Names{"double", "mixed"};
           }},
      {.section = "run",
       .name = "integrator",
       .target = [](Input& i, std::size_t) -> Target { return &i.run.integrator; },
       .description = "\"velocity_verlet\" moves in time; \"minimize\" goes downhill to a minimum "
                      "of the potential energy.",
       .choices =
           [] {
             return Names{"velocity_verlet", "minimize"};
           }},
      {.section = "run",
       .name = "rotation",
       .target = [](Input& i, std::size_t) -> Target { return &i.run.rotation; },
       .description = "How molecules turn: \"no_squish\" is symplectic and, for linear molecules, "
                      "exact; \"leapfrog\" is Fincham's, as ls1-MarDyn has it.",
       .choices =
           [] {
             return Names{"no_squish", "leapfrog"};
           },
       .condition = integrator_is("velocity_verlet"),
       .aliases = {"rotor", "rotation_method"}},
      {.section = "run",
       .name = "constraint_tolerance",
       .target = [](Input& i, std::size_t) -> Target { return &i.run.constraint_tolerance; },
       .description = "How far the distance of two atoms may be from that of their constraint, as "
                      "a part of it.",
       .range = {.minimum = 1e-13, .maximum = 1e-3},
       .aliases = {"shake_tolerance", "shake_tol"}},
      {.section = "run",
       .name = "constraint_algorithm",
       .target = [](Input& i, std::size_t) -> Target { return &i.run.constraint_algorithm; },
       .description =
           "\"auto\" solves water of three sites by SETTLE, chains of constraints that are longer "
           "than the halo by \"conjugate_gradients\", which communicates, and the others by "
           "SHAKE. \"shake\" makes the halo as wide as the longest chain.",
       .choices =
           [] {
             return Names{"auto", "shake", "conjugate_gradients"};
           },
       .aliases = {"constraint_method", "lincs", "settle"}},

      // ---- [start]
      {.section = "start",
       .name = "kind",
       .target = [](Input& i, std::size_t) -> Target { return &i.start.kind; },
       .description = "\"lattice\": a perfect crystal. \"random\": random places that keep a "
                      "distance. \"file\": from a file. \"program\": from the program, in C++ or "
                      "Python, that the input is part of.",
       .need = Need::required,
       .choices =
           [] {
             return Names{"lattice", "random", "file", "program"};
           },
       .aliases = {"type", "from", "mode"}},
      {.section = "start",
       .name = "lattice",
       .target = [](Input& i, std::size_t) -> Target { return &i.start.lattice; },
       .description = "Simple (1 particle per cell), body-centered (2) or face-centered cubic (4); "
                      "diamond (8), and zincblende (8), whose two sublattices are of the first and "
                      "the second type.",
       .choices =
           [] {
             return Names{"sc", "bcc", "fcc", "diamond", "zincblende"};
           },
       .condition = start_is({"lattice"})},
      {.section = "start",
       .name = "cells",
       .target = [](Input& i, std::size_t) -> Target { return &i.start.cells; },
       .description = "Unit cells along x, y and z. Give either this or `particles`.",
       .default_text = "from `particles`",
       .range = {.minimum = 1.0, .maximum = 1e6},
       .condition = start_is({"lattice"}),
       .aliases = {"unit_cells", "replicate"}},
      {.section = "start",
       .name = "particles",
       .target = [](Input& i, std::size_t) -> Target { return &i.start.particles; },
       .description = "Number of particles. A lattice takes the smallest cube of unit cells that "
                      "holds them; surplus sites stay empty.",
       .default_text = "from `cells`",
       .range = {.minimum = 1.0, .maximum = 1e12},
       .condition = start_is({"lattice", "random"}),
       .aliases = {"n", "atoms", "count", "number", "molecules"}},
      {.section = "start",
       .name = "density",
       .target = [](Input& i, std::size_t) -> Target { return &i.start.density; },
       .description = "Particles per volume; with units also moles or mass per volume, such as "
                      "\"1.4 g/cm^3\".",
       .need = Need::required,
       .dimension = Dimension::number_density,
       .range = positive,
       .condition = start_is({"lattice", "random"}),
       .aliases = {"rho", "number_density"}},
      {.section = "start",
       .name = "minimum_distance",
       .target = [](Input& i, std::size_t) -> Target { return &i.start.minimum_distance; },
       .description = "No two particles start closer than this.",
       .default_text = "chosen from sigma and the density",
       .dimension = Dimension::length,
       .range = not_negative,
       .condition = start_is({"random"})},
      {.section = "start",
       .name = "file",
       .target = [](Input& i, std::size_t) -> Target { return &i.start.file; },
       .description = "Path of the start file, relative to the folder of the input file.",
       .need = Need::required,
       .condition = start_is({"file"}),
       .aliases = {"filename", "path", "input"}},
      {.section = "start",
       .name = "format",
       .target = [](Input& i, std::size_t) -> Target { return &i.start.format; },
       .description = formats_description(),
       .choices = start_format_choices,
       .condition = start_is({"file"})},
      {.section = "start",
       .name = "renumber",
       .target = [](Input& i, std::size_t) -> Target { return &i.start.renumber; },
       .description = "Gives particles the ids 1, 2, ... in the order of the start file. Otherwise "
                      "they keep those of the file, which may be any different numbers.",
       .condition = start_is({"file"}),
       .aliases = {"renumber_ids", "refresh_ids"}},
      {.section = "start",
       .name = "box",
       .target = [](Input& i, std::size_t) -> Target { return &i.start.box; },
       .description = "Edge lengths of the periodic box along x, y and z.",
       .default_text = "that of the start file",
       .dimension = Dimension::length,
       .range = positive,
       .condition = start_is({"file", "program"})},
      {.section = "start",
       .name = "tilt",
       .target = [](Input& i, std::size_t) -> Target { return &i.start.tilt; },
       .description = "Makes `box` a triclinic one: [xy, xz, yz] give it the edges (x, 0, 0), "
                      "(xy, y, 0) and (xz, yz, z), as in LAMMPS. Of equal lattices the one with "
                      "the least tilts is the fastest.",
       .default_text = "orthorhombic",
       .dimension = Dimension::length,
       .condition = start_is({"file", "program"}),
       .aliases = {"tilts", "triclinic"}},
      {.section = "start",
       .name = "temperature",
       .target = [](Input& i, std::size_t) -> Target { return &i.start.temperature; },
       .description = "Draws velocities of this temperature.",
       .default_text = "the velocities of the start file, or none",
       .dimension = Dimension::temperature,
       .range = not_negative,
       .aliases = {"temp", "t"}},
      {.section = "start",
       .name = "constraints",
       .target = [](Input& i, std::size_t) -> Target { return &i.start.constraints; },
       .description =
           "What happens to atoms of [[molecule]]s whose distances violate constraints. "
           "\"project\": they are moved, and their velocities corrected, before the run. "
           "\"first_step\": the first step moves them, which adds to their velocities, as in "
           "MODYLAS; where `temperature` draws velocities it is the same as \"project\".",
       .choices =
           [] {
             return std::vector<std::string_view>{"project", "first_step"};
           }},

      // ---- [[type]]
      {.section = "type",
       .name = "name",
       .target = [](Input& i, std::size_t n) -> Target { return &i.types[n].name; },
       .description = "Name of the type, as start files and trajectories have it.",
       .need = Need::required,
       .aliases = {"symbol", "element", "id"}},
      {.section = "type",
       .name = "mass",
       .target = [](Input& i, std::size_t n) -> Target { return &i.types[n].mass; },
       .description = "Mass of a particle; 0: of a `[[molecule.virtual_site]]`.",
       .need = Need::with_real_units,
       .dimension = Dimension::mass,
       .range = {.minimum = 0.0},
       .aliases = {"m"}},
      {.section = "type",
       .name = "epsilon",
       .target = [](Input& i, std::size_t n) -> Target { return &i.types[n].epsilon; },
       .description = "Depth of the potential's well; a temperature such as \"119.8 K\" is taken "
                      "times Boltzmann's constant. 0: no interaction. Not needed where every pair "
                      "of the type has a `[[pair]]` with a potential.",
       .need = Need::with_real_units,
       .dimension = Dimension::energy,
       .range = not_negative,
       .condition = potential_is("lennard_jones"),
       .unneeded = has_own_potentials,
       .aliases = {"eps"}},
      {.section = "type",
       .name = "sigma",
       .target = [](Input& i, std::size_t n) -> Target { return &i.types[n].sigma; },
       .description = "Distance at which the potential is zero. As epsilon it is not needed where "
                      "every pair of the type has a potential.",
       .need = Need::with_real_units,
       .dimension = Dimension::length,
       .range = positive,
       .condition = potential_is("lennard_jones"),
       .unneeded = has_own_potentials,
       .aliases = {"sig", "diameter"}},
      {.section = "type",
       .name = "tersoff",
       .target = [](Input& i, std::size_t n) -> Target { return &i.types[n].tersoff; },
       .description =
           "Parameters of Tersoff's potential: \"Si(B)\", \"Si(C)\", \"Si(D)\", \"C\" or "
           "\"Ge\"; or, with `parameter_file`, the name of an element there. \"Si\" is "
           "Si(D), which can be mixed with C and with Ge.",
       .default_text = "the name of the type",
       .condition = potential_is("tersoff", Severity::error)},
      {.section = "type",
       .name = "charge",
       .target = [](Input& i, std::size_t n) -> Target { return &i.types[n].charge; },
       .description = "Charge of a particle; needs `[electrostatics]`.",
       .dimension = Dimension::charge,
       .aliases = {"q"}},
      {.section = "type",
       .name = "fraction",
       .target = [](Input& i, std::size_t n) -> Target { return &i.types[n].fraction; },
       .description = "Share of the particles of a lattice or random start that are of this type, "
                      "relative to the other types' shares.",
       .range = not_negative,
       .aliases = {"share", "mole_fraction"}},

  };
}

std::vector<KeySchema> further_keys() {
  return {
      // ---- [neighbor]
      {.section = "neighbor",
       .name = "skin",
       .target = [](Input& i, std::size_t) -> Target { return &i.neighbor.skin; },
       .description =
           "The list holds pairs up to cutoff + skin, and is rebuilt when a particle has moved "
           "half the skin or, where that can be told, a pair that it lacks comes within the "
           "cutoff. 0: chosen.",
       .default_text = "0: chosen",
       .dimension = Dimension::length,
       .range = not_negative,
       .aliases = {"verlet_skin", "rlist"}},
      {.section = "neighbor",
       .name = "maximum_interval",
       .target = [](Input& i, std::size_t) -> Target { return &i.neighbor.maximum_interval; },
       .description =
           "Steps after which the list is rebuilt at the latest. With `buffer` = "
           "\"tolerance\": after which it is rebuilt; without it, as many as cost least.",
       .range = {.minimum = 1.0, .maximum = 1e6},
       .aliases = {"interval", "every", "nstlist", "rebuild"}},
      {.section = "neighbor",
       .name = "buffer",
       .target = [](Input& i, std::size_t) -> Target { return target_of(i.neighbor.buffer); },
       .description =
           "\"exact\": no pair within the cutoff is ever missed. \"tolerance\": the list is kept "
           "for a fixed number of steps, and the skin is so wide that missed pairs change the "
           "energy by no more than `tolerance`, as in GROMACS. Faster, for atoms in a fluid that "
           "fills the box.",
       .choices =
           [] {
             return Names{"exact", "tolerance"};
           },
       .aliases = {"verlet_buffer", "cutoff_scheme"}},
      {.section = "neighbor",
       .name = "tolerance",
       .target = [](Input& i, std::size_t) -> Target { return &i.neighbor.tolerance; },
       .description = "How fast the energy per particle may change by pairs that the list misses.",
       .dimension = Dimension::energy_rate,
       .range = positive,
       .condition = Condition{"neighbor", "buffer", {"tolerance"}, Severity::warning},
       .aliases = {"verlet_buffer_tolerance", "verlet-buffer-tolerance", "drift"}},

      // ---- [minimize]
      {.section = "minimize",
       .name = "force_tolerance",
       .target = [](Input& i, std::size_t) -> Target { return &i.minimize.force_tolerance; },
       .description = "Done when no component of any force is larger. 0: all steps are taken.",
       .dimension = Dimension::force,
       .range = not_negative,
       .condition = integrator_is("minimize"),
       .aliases = {"ftol", "emtol", "tolerance"}},
      {.section = "minimize",
       .name = "maximum_displacement",
       .target = [](Input& i, std::size_t) -> Target { return &i.minimize.maximum_displacement; },
       .description = "No particle moves farther in one step. 0: a tenth of the smallest sigma.",
       .default_text = "a tenth of the smallest sigma",
       .dimension = Dimension::length,
       .range = not_negative,
       .condition = integrator_is("minimize"),
       .aliases = {"dmax", "max_step"}},

      // ---- [domain]
      {.section = "domain",
       .name = "decomposition",
       .target = [](Input& i, std::size_t) -> Target { return &i.domain.decomposition; },
       .description =
           "How space is cut into regions, one for each rank. \"grid\": equal boxes. "
           "\"bisection\", \"sampling\": regions of equal computing time, cut anew where that "
           "pays. \"auto\" begins with a grid and goes over to bisection where the measured gain "
           "exceeds the cost; where a grid or the staged halo is asked for, it stays with the "
           "grid. What is cut by measured time cannot be repeated bit for bit.",
       .choices = decompositions,
       .aliases = {"balance", "load_balance", "dlb"}},
      {.section = "domain",
       .name = "weights",
       .target = [](Input& i, std::size_t) -> Target { return &i.domain.weights; },
       .description =
           "What the regions share out evenly. \"time\": the measured time of forces and lists. "
           "\"neighbors\": an estimate of it from the density. \"particles\": their number. The "
           "latter two make runs that can be repeated bit for bit.",
       .choices =
           [] {
             return Names{"time", "neighbors", "particles"};
           },
       .condition =
           Condition{
               "domain", "decomposition", {"auto", "bisection", "sampling"}, Severity::warning}},
      {.section = "domain",
       .name = "rebalance_interval",
       .target = [](Input& i, std::size_t) -> Target { return &i.domain.rebalance_interval; },
       .description = "Steps after which the regions are cut anew, whether it pays or not. 0: "
                      "where the predicted gain exceeds the measured cost.",
       .range = {.minimum = 0.0, .maximum = most_steps},
       .condition =
           Condition{"domain", "decomposition", {"bisection", "sampling"}, Severity::error},
       .aliases = {"balance_interval"}},
      {.section = "domain",
       .name = "grid",
       .target = [](Input& i, std::size_t) -> Target { return &i.domain.grid; },
       .description = "Ranks along x, y and z; 0 lets the program choose that number.",
       .default_text = "[0, 0, 0]: chosen",
       .range = {.minimum = 0.0, .maximum = 1e6},
       .condition = Condition{"domain", "decomposition", {"auto", "grid"}, Severity::error},
       .aliases = {"processors", "ranks"}},
      {.section = "domain",
       .name = "halo",
       .target = [](Input& i, std::size_t) -> Target { return &i.domain.halo; },
       .description = "\"direct\": one message to each of the 26 neighbors. \"staged\": six larger "
                      "ones, axis after axis.",
       .choices =
           [] {
             return Names{"direct", "staged"};
           }},

      // ---- [communication]
      {.section = "communication",
       .name = "halo",
       .target = [](Input& i, std::size_t) -> Target { return &i.communication.halo; },
       .description = "Method of the exchange between neighbors, in every step. \"auto\" measures "
                      "those that work here while the run goes on and keeps the fastest.",
       .choices = halo_methods,
       .aliases = {"neighbor", "method"}},
      {.section = "communication",
       .name = "migration",
       .target = [](Input& i, std::size_t) -> Target { return &i.communication.migration; },
       .description = "Method of the exchange of particles that change their rank. \"auto\" as "
                      "for `halo`.",
       .choices = migration_methods,
       .aliases = {"sparse"}},
      {.section = "communication",
       .name = "fmm",
       .target = [](Input& i, std::size_t) -> Target { return &i.communication.fmm; },
       .description = "Method of the exchanges of the electrostatics: charges between neighbors, "
                      "and expansions of each level. \"auto\" as for `halo`.",
       .choices = halo_methods,
       .aliases = {"electrostatics", "multipole"}},
      {.section = "communication",
       .name = "tuning",
       .target = [](Input& i, std::size_t) -> Target { return &i.communication.tuning; },
       .description = "Whether \"auto\" measures. Otherwise it takes shared memory in a node, else "
                      "RDMA, else MPI. Results are the same.",
       .aliases = {"tune", "autotuning"}},
      {.section = "communication",
       .name = "machine_file",
       .target = [](Input& i, std::size_t) -> Target { return &i.communication.machine_file; },
       .description = "Where the times of the methods are kept from run to run; \"none\" for "
                      "nowhere.",
       .default_text = "`$STERNA_MACHINE_FILE`, or `sterna/machine.json` in the cache folder"},
      {.section = "communication",
       .name = "timeout",
       .target = [](Input& i, std::size_t) -> Target { return &i.communication.timeout; },
       .description = "How long a rank waits for another one before the run ends with an error: "
                      "seconds, or a text such as \"5 min\".",
       .wall_clock = true,
       .range = {.minimum = 0.0, .maximum = 1e7, .exclusive_minimum = true}},
      {.section = "communication",
       .name = "interface",
       .target = [](Input& i, std::size_t) -> Target { return &i.communication.interface; },
       .description = "Network interface that ranks on several nodes use for TCP, such as "
                      "\"eth0\". On one node no rank uses a network.",
       .default_text = "those that MPI and UCX choose",
       .aliases = {"network", "device"}},

      // ---- [output]
      {.section = "output",
       .name = "directory",
       .target = [](Input& i, std::size_t) -> Target { return &i.output.directory; },
       .description = "Folder of all output files, relative to where the program is started; made "
                      "if it does not exist.",
       .aliases = {"folder", "dir", "path"}},
      {.section = "output",
       .name = "thermo_interval",
       .target = [](Input& i, std::size_t) -> Target { return &i.output.thermo_interval; },
       .description = "Steps between two lines of energy, temperature and pressure.",
       .range = {.minimum = 1.0, .maximum = most_steps},
       .aliases = {"thermo", "log_interval", "energy_interval"}},
      {.section = "output",
       .name = "equilibration",
       .target = [](Input& i, std::size_t) -> Target { return &i.output.equilibration; },
       .description =
           "Steps at the start that no average has: neither the averages at the end, nor what "
           "observers find. Without this key observers see the whole run, and from the averages at "
           "the end is left out what makes temperature, potential energy or volume look more "
           "correlated than they are in equilibrium (Chodera, J. Chem. Theory Comput. 12, 1799 "
           "(2016)).",
       .default_text = "found at the end",
       .range = {.minimum = 0.0, .maximum = most_steps},
       .aliases = {"equilibration_steps", "discard", "burn_in"}},
      {.section = "output",
       .name = "trajectory_interval",
       .target = [](Input& i, std::size_t) -> Target { return &i.output.trajectory_interval; },
       .description = "Steps between two frames of the trajectory. 0: no trajectory.",
       .range = {.minimum = 0.0, .maximum = most_steps},
       .aliases = {"trajectory", "dump", "dump_interval", "frame_interval"}},
      {.section = "output",
       .name = "trajectory_fields",
       .target = [](Input& i, std::size_t) -> Target { return &i.output.trajectory_fields; },
       .description = "What a frame holds.",
       .choices = trajectory_field_names,
       .aliases = {"fields"}},
      {.section = "output",
       .name = "trajectory_precision",
       .target = [](Input& i, std::size_t) -> Target { return &i.output.trajectory_precision; },
       .description = "Of the numbers in the trajectory: \"double\" (8 bytes) or \"single\" (4).",
       .choices =
           [] {
             return Names{"double", "single"};
           },
       .aliases = {"dump_precision"}},
      {.section = "output",
       .name = "trajectory_compression",
       .target = [](Input& i, std::size_t) -> Target { return &i.output.trajectory_compression; },
       .description =
           "\"lossless\" compresses the frames (HDF5's shuffle and deflate filters, which every "
           "program that reads HDF5 undoes). One rank does it, so frames take longer to write.",
       .choices =
           [] {
             return Names{"none", "lossless"};
           },
       .aliases = {"compression", "compress"},
       .if_true = "lossless",
       .if_false = "none"},
      {.section = "output",
       .name = "trajectory_rounding",
       .target = [](Input& i, std::size_t) -> Target { return &i.output.trajectory_rounding; },
       .description =
           "Positions in the trajectory are rounded to within this length, so that they compress. "
           "0: all digits are kept.",
       .dimension = Dimension::length,
       .range = {.minimum = 0.0},
       .aliases = {"dump_rounding"}},
      {.section = "output",
       .name = "xtc_interval",
       .target = [](Input& i, std::size_t) -> Target { return &i.output.xtc_interval; },
       .description =
           "Steps between two frames of a second trajectory in GROMACS's compressed format XTC: "
           "positions only, with the sites of rigid molecules as atoms. 0: none. "
           "`sterna export` writes the topology that programs want beside it.",
       .range = {.minimum = 0.0, .maximum = most_steps},
       .aliases = {"xtc", "nstxout_compressed", "nstxtcout"}},
      {.section = "output",
       .name = "xtc_rounding",
       .target = [](Input& i, std::size_t) -> Target { return &i.output.xtc_rounding; },
       .description =
           "Positions in the XTC file are multiples of this length: one over what GROMACS calls "
           "its precision.",
       .dimension = Dimension::length,
       .range = {.minimum = 0.0, .exclusive_minimum = true},
       .aliases = {"compressed_x_precision", "xtc_precision"}},
      {.section = "output",
       .name = "checkpoint_interval",
       .target = [](Input& i, std::size_t) -> Target { return &i.output.checkpoint_interval; },
       .description = "Steps between two checkpoints. 0: only by `checkpoint_time`, at the end and "
                      "on SIGTERM.",
       .range = {.minimum = 0.0, .maximum = most_steps},
       .aliases = {"checkpoint", "restart", "restart_interval"}},
      {.section = "output",
       .name = "checkpoint_time",
       .target = [](Input& i, std::size_t) -> Target { return &i.output.checkpoint_time; },
       .description =
           "Wall time after which a checkpoint is written, so that a crash loses no more "
           "than this: seconds, or a text such as \"5 min\". 0: never by the clock.",
       .default_text = "`\"15 min\"`",
       .wall_clock = true,
       .range = {.minimum = 0.0, .maximum = 1e7},
       .aliases = {"checkpoint_minutes", "cpt", "checkpoint_wall_time"}},
      {.section = "output",
       .name = "report",
       .target = [](Input& i, std::size_t) -> Target { return &i.output.report; },
       .description =
           "Whether the report is written at the end of the run, also of one that failed: "
           "`NAME.report.html` beside the log, which names it. The Python package writes it, "
           "also where `mpiexec` or `srun` started `sterna-md`.",
       .aliases = {"html", "write_report"}},
      {.section = "output",
       .name = "export",
       .target = [](Input& i, std::size_t) -> Target { return &i.output.exports; },
       .description =
           "Formats of other programs that the trajectory is converted to at the end of the run, "
           "also of one that was interrupted or failed: `NAME.export.dcd`, with the sites of rigid "
           "molecules as atoms. \"data\" and \"gro\" hold the last frame. The Python package does "
           "it, as it writes the report; what it lacks for a format it says before the run.",
       .choices =
           [] {
             const auto formats = export_formats();
             return Names(formats.begin(), formats.end());
           },
       .aliases = {"exports", "formats", "convert", "trajectory_formats"}},
      {.section = "output",
       .name = "timing",
       .target = [](Input& i, std::size_t) -> Target { return &i.output.timing; },
       .description = "\"synchronized\" lets the ranks meet before each of them waits for data, so "
                      "that the timing breakdown tells waiting for other ranks from communication. "
                      "A step takes longer then; results are the same.",
       .choices =
           [] {
             return Names{"plain", "synchronized"};
           },
       .aliases = {"timer", "timing_breakdown", "timing_mode"}},
  };
}

/// What single formats have keys for stands behind the format.
void add_keys_of_formats(std::vector<KeySchema>& keys) {
  auto place = std::ranges::find_if(
      keys, [](const KeySchema& key) { return key.section == "start" && key.name == "format"; });
  for (const StartFormat& format : start_formats()) {
    for (KeySchema key : format.keys) {
      key.section = "start";
      key.condition = Condition{"start", "format", {format.name}, Severity::error};
      place = keys.insert(std::next(place), std::move(key));
    }
  }
}

std::vector<KeySchema> make_keys() {
  std::vector<KeySchema> keys = general_keys();
  add_keys_of_formats(keys);
  for (auto&& more : {multiple_time_steps_keys(), component_keys(), molecule_keys(), pair_keys(),
                      interaction_keys(), electrostatics_keys(), ensemble_keys(), external_keys(),
                      motion_keys(), further_keys(), group_keys()}) {
    keys.insert(keys.end(), more.begin(), more.end());
  }
  for (const ObserverSection& observer : observer_sections()) {
    for (KeySchema key : observer.keys) {
      key.section = observer.schema.name;
      keys.push_back(std::move(key));
    }
  }
  return keys;
}

/// As people write it: 1e15, 1000, 0.5.
std::string number_text(double value) {
  const double exponent = std::round(std::log10(std::abs(value)));
  if (exponent >= 6.0 && value == std::pow(10.0, exponent)) return fmt::format("1e{}", exponent);
  return fmt::format("{}", value);
}

std::string with_range(std::string noun, const Range& range) {
  const std::string text = range_text(range);
  return text.empty() ? noun : fmt::format("{} {}", noun, text);
}

/// "[1, 2, 3]" of any three numbers.
template <class Triple>
std::string triple_text(const Triple& triple) {
  return fmt::format("[{}, {}, {}]", triple[0], triple[1], triple[2]);
}

struct DefaultText {
  const KeySchema& key;

  std::string operator()(const UnitSystem* units) const {
    return fmt::format("\"{}\"", units->name());
  }
  std::string operator()(const bool* value) const { return *value ? "true" : "false"; }
  std::string operator()(const int* value) const { return fmt::format("{}", *value); }
  std::string operator()(const std::int64_t* value) const { return fmt::format("{}", *value); }
  std::string operator()(const std::uint64_t* value) const { return fmt::format("{}", *value); }
  std::string operator()(const double* value) const { return number_text(*value); }
  std::string operator()(const std::string* value) const { return fmt::format("\"{}\"", *value); }
  std::string operator()(const std::optional<double>*) const { return {}; }
  std::string operator()(const Vec3* value) const {
    return fmt::format("[{}, {}, {}]", value->x, value->y, value->z);
  }
  std::string operator()(const std::optional<Vec3>*) const { return {}; }
  std::string operator()(const std::array<int, 3>* value) const { return triple_text(*value); }
  std::string operator()(const std::vector<std::string>* values) const {
    std::string text;
    for (const std::string& value : *values) {
      text += fmt::format("{}\"{}\"", text.empty() ? "" : ", ", value);
    }
    return "[" + text + "]";
  }
  std::string operator()(const ChoiceTarget& target) const {
    return fmt::format("\"{}\"", choice_name(key, target));
  }
  std::string operator()(const std::vector<double>*) const { return {}; }
  std::string operator()(const Input::AtomLists*) const { return {}; }
};

/// The terms of a molecule that stand in such a section; null: none do.
std::vector<Input::MoleculeTerm>* terms_in(Input::Molecule& molecule, std::string_view section) {
  if (section == "molecule.bond") return &molecule.bonds;
  if (section == "molecule.angle") return &molecule.angles;
  if (section == "molecule.torsion") return &molecule.torsions;
  if (section == "molecule.improper") return &molecule.impropers;
  if (section == "molecule.cmap") return &molecule.cmaps;
  if (section == "molecule.special_pair") return &molecule.special_pairs;
  if (section == "molecule.exclusion") return &molecule.exclusions;
  return section == "molecule.constraint" ? &molecule.constraints : nullptr;
}

}  // namespace

bool is_inner(const SectionSchema& section) {
  return section.name.find('.') != std::string_view::npos;
}

std::size_t inner_count(const Input& input, std::string_view section, std::size_t outer) {
  if (section == "component.site") return input.components[outer].sites.size();
  if (section == "molecule.atom") return input.molecules[outer].atoms.size();
  if (section == "molecule.virtual_site") return input.molecules[outer].virtual_sites.size();
  // It is only looked at.
  return terms_in(const_cast<Input&>(input).molecules[outer], section)->size();
}

void resize_inner(Input& input, std::string_view section, std::size_t outer, std::size_t count) {
  if (section == "component.site") {
    input.components[outer].sites.resize(count);
  } else if (section == "molecule.atom") {
    input.molecules[outer].atoms.resize(count);
  } else if (section == "molecule.virtual_site") {
    input.molecules[outer].virtual_sites.resize(count);
  } else {
    terms_in(input.molecules[outer], section)->resize(count);
  }
}

std::span<const SectionSchema> input_sections() {
  static const std::vector<SectionSchema> sections = make_sections();
  return sections;
}

std::span<const KeySchema> input_keys() {
  static const std::vector<KeySchema> keys = make_keys();
  return keys;
}

Input input_with_all_sections() {
  Input input;
  input.types.resize(1);
  input.components.resize(1);
  input.components[0].sites.resize(1);
  input.molecules.resize(1);
  for (const SectionSchema& section : input_sections()) {
    if (section.name.starts_with("molecule.")) resize_inner(input, section.name, 0, 1);
  }
  input.pairs.resize(1);
  input.thermostats.resize(1);
  input.drift_controls.resize(1);
  input.limits.resize(1);
  input.walls.resize(1);
  input.fields.resize(1);
  input.restraints.resize(1);
  input.freezes.resize(1);
  input.section<AtomGroupSections>().all.resize(1);
  return input;
}

const SectionSchema* find_section(std::string_view name) {
  for (const SectionSchema& section : input_sections()) {
    if (section.name == name) return &section;
  }
  return nullptr;
}

const KeySchema* find_key(std::string_view section, std::string_view name) {
  for (const KeySchema& key : input_keys()) {
    if (key.section == section && key.name == name) return &key;
  }
  return nullptr;
}

std::string_view translated_choice(std::string_view value,
                                   std::span<const std::string_view> choices) {
  const auto is_choice = [choices](std::string_view name) {
    return std::ranges::find(choices, name) != choices.end();
  };
  static constexpr std::pair<std::string_view, std::string_view> words[] = {
      {"verlet", "velocity_verlet"},
      {"nve", "velocity_verlet"},
      {"nvt", "velocity_verlet"},
      {"md", "velocity_verlet"},
      {"minimise", "minimize"},
      {"cg", "minimize"},
      {"fire", "minimize"},
      {"steepest_descent", "minimize"},
      {"float", "mixed"},
      {"single", "mixed"},
      {"float64", "double"},
      {"shift", "shifted"},
      {"cut", "truncated"},
      {"none", "truncated"},
      {"switch", "switched"},
      {"arithmetic", "lorentz_berthelot"},
      {"si", "nano"},
      {"gromacs", "nano"},
      {"sse", "baseline"},
      {"scalar", "baseline"},
      {"avx", "avx2"},
      {"cubic", "sc"},
      {"lj", "lennard_jones"},
      {"lj126", "lennard_jones"},
      {"LJ126", "lennard_jones"},
      {"Charge", "charge"},
      {"Dipole", "dipole"},
      {"Quadrupole", "quadrupole"},
      {"coulomb", "charge"},
      {"xyz", "extxyz"},
      {"exyz", "extxyz"},
      {"dump", "lammpstrj"},
      {"lammps", "lammpstrj"},
      {"lmp", "data"},
      {"spc/e", "spce"},
      {"SPC/E", "spce"},
      {"SPCE", "spce"},
      {"tip4p/2005", "tip4p_2005"},
      {"TIP4P/2005", "tip4p_2005"},
      {"TIP3P", "tip3p"},
      {"rf", "reaction_field"},
      {"ReactionField", "reaction_field"},
      {"reaction-field", "reaction_field"},
      {"cutoff", "truncated"},
      {"com", "center_of_mass"},
      {"CenterOfMass", "center_of_mass"},
      {"molecule", "center_of_mass"},
      {"atom", "site"},
      {"TwoParticleAverageSite", "2"},
      {"ThreeParticleAverageSite", "3"},
      {"OutOfPlaneSite", "3out"},
      {"LocalCoordinatesSite", "local"},
      {"average2", "2"},
      {"average3", "3"},
      {"outOfPlane", "3out"},
      {"localCoords", "local"},
      {"3FD", "3fd"},
      {"3FAD", "3fad"},
      {"3OUT", "3out"},
      {"2FD", "2fd"},
      {"4FDN", "4fdn"},
  };
  for (const auto& [other, own] : words) {
    if (other == value && is_choice(own)) return own;
  }
  const auto means = [&](const auto& owner) {
    return is_choice(owner.name) && std::ranges::find(owner.aliases, value) != owner.aliases.end();
  };
  for (const ThermostatKind& kind : thermostat_kinds()) {
    if (means(kind)) return kind.name;
  }
  for (const BarostatKind& kind : barostat_kinds()) {
    if (means(kind)) return kind.name;
  }
  for (const StartFormat& format : start_formats()) {
    if (means(format)) return format.name;
  }
  return {};
}

std::string range_text(const Range& range) {
  std::string text;
  if (std::isfinite(range.minimum)) {
    text = fmt::format("{} {}", range.exclusive_minimum ? "greater than" : "of at least",
                       number_text(range.minimum));
  }
  if (std::isfinite(range.maximum)) {
    text += fmt::format("{} {}", text.empty() ? "of at most" : " and at most",
                        number_text(range.maximum));
  }
  return text;
}

std::string_view choice_name(const KeySchema& key, const ChoiceTarget& target) {
  return key.choices().at(target.get(target.place));
}

std::vector<std::string_view> axis_names() {
  return {"x", "y", "z"};
}

std::string choice_list(std::span<const std::string_view> choices) {
  std::string text;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (i > 0) text += i + 1 == choices.size() ? " or " : ", ";
    text += fmt::format("\"{}\"", choices[i]);
  }
  return text;
}

std::string key_label(const KeySchema& key) {
  if (key.section.empty()) return fmt::format("\"{}\"", key.name);
  return fmt::format("\"{}\" in {}", key.name, section_label(*find_section(key.section)));
}

std::string section_label(const SectionSchema& section) {
  return section.is_array ? fmt::format("[[{}]]", section.name) : fmt::format("[{}]", section.name);
}

namespace {

Input& completed_default() {
  static Input input = input_with_all_sections();
  return input;
}

struct Expectation {
  const KeySchema& key;
  const UnitSystem& units;

  std::string quantity() const {
    if (key.wall_clock) return with_range("a time in seconds", key.range);
    const auto noun = units.is_reduced() ? "a number" : dimension_noun(key.dimension);
    std::string text = with_range(std::string(noun), key.range);
    const std::string_view unit = units.label(key.dimension);
    if (!unit.empty()) text += fmt::format(", in {0} or as a text such as \"1.5 {0}\"", unit);
    return text;
  }
  std::string integer() const { return with_range("an integer", key.range); }
  std::string choices() const { return choice_list(key.choices()); }
  std::string triple(std::string_view example) const {
    return fmt::format("{}, such as {}", with_range("three numbers", key.range), example);
  }

  std::string operator()(const UnitSystem*) const { return choices(); }
  std::string operator()(const bool*) const { return "true or false"; }
  std::string operator()(const int*) const { return integer(); }
  std::string operator()(const std::int64_t*) const { return integer(); }
  std::string operator()(const std::uint64_t*) const { return integer(); }
  std::string operator()(const double*) const { return quantity(); }
  std::string operator()(const std::optional<double>*) const { return quantity(); }
  std::string operator()(const std::string*) const {
    return key.choices != nullptr ? choices() : "a text in quotes";
  }
  std::string operator()(const Vec3*) const { return triple("[0.0, 0.0, 1.0]"); }
  std::string operator()(const std::optional<Vec3>*) const { return triple("[20.0, 20.0, 20.0]"); }
  std::string operator()(const std::array<int, 3>*) const {
    return with_range("three integers", key.range) + ", such as [4, 4, 4]";
  }
  std::string operator()(const std::vector<std::string>*) const {
    return key.choices != nullptr ? fmt::format("a list of {}", choices())
                                  : "a list of texts in quotes";
  }
  std::string operator()(const ChoiceTarget&) const { return choices(); }
  std::string operator()(const std::vector<double>*) const {
    return fmt::format("a list of which each item is {}", quantity());
  }
  std::string operator()(const Input::AtomLists*) const {
    return "numbers of atoms, counted from 1, such as [1, 2], or a list of such lists";
  }
};

}  // namespace

std::string default_text(const KeySchema& key) {
  if (key.need == Need::required) return {};
  if (!key.default_text.empty()) return std::string(key.default_text);
  return std::visit(DefaultText{key}, key.target(completed_default(), 0));
}

std::string expectation(const KeySchema& key, const UnitSystem& units) {
  return std::visit(Expectation{key, units}, key.target(completed_default(), 0));
}

}  // namespace sterna::md

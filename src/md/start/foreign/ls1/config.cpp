#include "md/start/foreign/ls1/config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <optional>
#include <utility>

#include "md/core/display_text.hpp"
#include "md/core/lower_case.hpp"
#include "md/input/pairs_of_types.hpp"
#include "md/start/foreign/foreign_draft.hpp"
#include "md/start/foreign/ls1/molecule_types.hpp"
#include "md/start/foreign/ls1/plugins.hpp"
#include "md/start/foreign/ls1/sampling_plugins.hpp"
#include "md/start/foreign/ls1/start_file.hpp"
#include "md/start/foreign/ls1/thermostats.hpp"
#include "sterna/comm/nearest_name.hpp"

namespace sterna::md::ls1 {
namespace {

class ConfigReader {
 public:
  explicit ConfigReader(const std::string& path) { input_.path = path; }

  void read(const XmlElement& root) {
    if (root.name != "mardyn") {
      values_.error(root, fmt::format("the root element is <{}>; expected <mardyn>: this is no "
                                      "input of ls1-MarDyn",
                                      root.name));
      return;
    }
    decides("units", root);
    root.pass_over({"version", "refunits", "loglevel"});
    const XmlElement* simulation = values_.require(root, "simulation");
    if (simulation == nullptr) return;
    if (!values_.choice(*simulation, "type", {"MD"})) return;
    simulation->pass_over({"programtimers", "refunits"});
    if (const XmlElement* e = simulation->find("options")) options(*e);
    if (const XmlElement* e = values_.require(*simulation, "integrator")) integrator(*e);
    if (const XmlElement* e = values_.require(*simulation, "run")) run(*e);
    if (const XmlElement* e = values_.require(*simulation, "ensemble")) ensemble(*e);
    if (const XmlElement* e = values_.require(*simulation, "algorithm")) algorithm(*e);
    if (const XmlElement* e = simulation->find("output")) {
      for (const XmlElement* plugin : e->all("outputplugin")) {
        read_plugin(*plugin, types_, equilibration_, values_, decides_, input_);
      }
    }
    for (const XmlElement* plugin : simulation->all("plugin")) {
      read_plugin(*plugin, types_, equilibration_, values_, decides_, input_);
    }
    if (equilibration_ && !observes(input_)) {
      input_.output.equilibration = *equilibration_;
      decides("output.equilibration", *simulation->find("run/equilibration/steps"));
    }
    if (!input_.places.contains("run.name")) {
      input_.run.name = std::filesystem::path(input_.path).stem().string();
      decides("run.name", root);
    }
    if (const XmlElement* e = simulation->find("NEMD")) {
      values_.warning(*e, "<NEMD> means nothing to ls1, whose plugins took its place");
      e->pass_over();
    }
    interactions();
    if (values_.ok()) warn_of_start_time();
    values_.report_unread(root);
  }

  const ForeignDraft& draft() const { return draft_; }
  XmlValues& values() { return values_; }

 private:
  void decides(std::string_view key, const XmlElement& element) {
    draft_.decide(key, element.diagnostic(Severity::error, {}));
  }

  void options(const XmlElement& element) {
    for (const XmlElement* option : element.all("option")) {
      if (option->attribute("name") != "refreshIDs") {
        values_.warning(*option, fmt::format("the option {} means nothing and is ignored",
                                             quote(option->attribute("name"))));
        continue;
      }
      input_.start.renumber = values_.boolean(*option).value_or(false);
      decides("start.renumber", *option);
    }
  }

  void integrator(const XmlElement& element) {
    decides("run", element);
    if (!values_.choice(element, "type", {"Leapfrog", "LeapfrogRMM"})) return;
    const XmlElement* step = values_.require(element, "timestep");
    if (step == nullptr) return;
    if (const auto value = values_.positive(*step)) input_.run.timestep = *value;
    decides("run.timestep", *step);
  }

  void run(const XmlElement& element) {
    if (const XmlElement* time = element.find("currenttime")) {
      start_time_ = values_.number(*time).value_or(0.0);
      start_time_element_ = time;
    }
    if (const XmlElement* steps = element.find("equilibration/steps")) {
      equilibration_ = values_.integer(*steps, 0, most_steps);
    }
    const XmlElement* steps = values_.require(element, "production/steps");
    if (steps == nullptr) return;
    if (const auto count = values_.integer(*steps, 0, most_steps)) input_.run.steps = *count;
    decides("run.steps", *steps);
    if (const XmlElement* limit = element.find("production/loop-abort-time")) {
      values_.warning(*limit,
                      "<loop-abort-time>: Sterna ends at a signal (SIGTERM), after a "
                      "checkpoint");
    }
  }

  void ensemble(const XmlElement& element) {
    if (element.attribute("type") == "muVT") {
      values_.error(
          element,
          "ls1 ends at an <ensemble> of type=\"muVT\", because it does not read its chemical "
          "potentials; expected type=\"NVT\", and [[grand_canonical]] in an input of Sterna "
          "(docs/howto/grand-canonical.md)");
      return;
    }
    if (!values_.choice(element, "type", {"NVT", "NVE"})) return;
    if (const XmlElement* t = values_.require(element, "temperature")) {
      temperature_element_ = t;
      const auto value = values_.number(*t);
      if (value && *value < 0.0) values_.error(*t, "<temperature> is negative");
      temperature_ = value.value_or(0.0);
    }
    if (const XmlElement* domain = values_.require(element, "domain")) box(*domain);
    if (const XmlElement* components = values_.require(element, "components")) {
      types_ = read_molecule_types(*components, values_);
    }
    if (const XmlElement* start = values_.require(element, "phasespacepoint")) {
      phase_space_point(*start);
    }
  }

  void box(const XmlElement& domain) {
    if (!values_.choice(domain, "type", {"box"})) return;
    Vec3 edges;
    bool good = true;
    constexpr std::string_view names[3] = {"lx", "ly", "lz"};
    for (int axis = 0; axis < 3; ++axis) {
      const XmlElement* edge = values_.require(domain, names[axis]);
      const auto value = edge != nullptr ? values_.positive(*edge) : std::nullopt;
      good = good && value.has_value();
      edges[axis] = value.value_or(1.0);
    }
    if (!good) return;
    input_.start.box = edges;
    decides("start.box", domain);
  }

  void phase_space_point(const XmlElement& element) {
    decides("start", element);
    const XmlElement* ignores_time = element.find("ignoreCheckpointTime");
    ignores_start_time_ = ignores_time != nullptr && values_.boolean(*ignores_time).value_or(false);
    const XmlElement* file = element.find("file");
    const XmlElement* generator = element.find("generator");
    if ((file == nullptr) == (generator == nullptr)) {
      values_.error(element, "<phasespacepoint> needs either a <file> or a <generator>");
      return;
    }
    input_.start.kind = StartKind::file;
    input_.start.format = "ls1";
    decides("start.kind", element);
    decides("start.format", element);
    const XmlElement* place = file != nullptr ? file : generator;
    if (file != nullptr) {
      const auto kind = values_.choice(*file, "type", {"ASCII", "binary", "adios2"});
      if (!kind) return;
      if (*kind == 2) {
        values_.error(*file,
                      "start files of ADIOS2 are not read; ls1 writes ASCII and binary "
                      "checkpoints too");
        return;
      }
      if (*kind == 1) {
        const XmlElement* header = values_.require(*file, "header");
        place = values_.require(*file, "data");
        if (header == nullptr || place == nullptr || !file_exists(*header)) return;
        input_.section<Ls1StartOptions>().header = relative(*header);
        decides("start.header", *header);
        read_start_time(*header);
      }
      if (!file_exists(*place)) return;
      input_.start.file = relative(*place);
    } else {
      input_.start.file = std::filesystem::path(input_.path).filename().string();
      generator->pass_over();  // the start's reader reports its mistakes
    }
    decides("start.file", *place);
  }

  /// Reads the time of a checkpoint, which replaces `<currenttime>`.
  void read_start_time(const XmlElement& header) {
    try {
      const XmlElement root = read_xml(header.resolve(header.text));
      const XmlElement* time = root.find("headerinfo/time");
      XmlValues quiet;
      if (time == nullptr) return;
      start_time_ = quiet.number(*time).value_or(0.0);
      start_time_element_ = &header;
    } catch (const XmlError&) {
      // The reader of the start reports this error.
    }
  }

  /// Warns because ls1 begins with the step number of the start's time, but Sterna with step 0.
  void warn_of_start_time() {
    if (start_time_element_ == nullptr || ignores_start_time_) return;
    const double first = std::round(start_time_ / input_.run.timestep);
    if (!(std::abs(first) >= 1.0)) return;
    values_.warning(*start_time_element_,
                    fmt::format("the start is of time {:g}: ls1 would begin with step {:.0f} and "
                                "end with step {}; Sterna takes {} steps from 0",
                                start_time_, first, input_.run.steps, input_.run.steps));
  }

  bool file_exists(const XmlElement& element) {
    const auto name = values_.text(element);
    if (!name) return false;
    const std::string path = element.resolve(*name);
    std::error_code problem;
    if (std::filesystem::is_regular_file(path, problem)) return true;
    values_.error(element, fmt::format("the file {} does not exist", quote_path(path)));
    return false;
  }

  /// The path relative to the folder of the config.xml. The element may be in an included file of
  /// another folder.
  std::string relative(const XmlElement& element) const {
    const std::filesystem::path file = element.resolve(element.text);
    const std::filesystem::path folder = std::filesystem::path(input_.path).parent_path();
    return file.is_absolute() && !folder.is_absolute() ? file.string()
                                                       : file.lexically_proximate(folder).string();
  }

  void algorithm(const XmlElement& element) {
    element.pass_over({"datastructure"});
    algorithm_ = &element;
    decides("interaction", element);
    if (const XmlElement* cutoffs = values_.require(element, "cutoffs")) read_cutoffs(*cutoffs);
    electrostatics(element);
    if (const XmlElement* e = element.find("parallelisation")) parallelisation(*e);
    if (const XmlElement* e = element.find("longrange")) {
      const auto kind = values_.choice(*e, "type", {"homogeneous", "none", "planar"});
      if (kind) long_range_ = static_cast<LongRange>(*kind);
      long_range_element_ = e;
    }
    if (temperature_element_ == nullptr) return;
    read_thermostats(element, *temperature_element_, temperature_, types_, values_, decides_,
                     input_);
  }

  void read_cutoffs(const XmlElement& element) {
    const std::string_view kind = element.attribute("type");
    if (!kind.empty() && kind != "CenterOfMass") {
      values_.warning(element, fmt::format("ls1 does not read the type {} of <cutoffs>: distances "
                                           "are those of the centers of mass",
                                           quote(kind)));
    }
    const XmlElement* general = element.find("defaultCutoff");
    const XmlElement* lennard_jones = element.find("radiusLJ");
    if (general == nullptr && lennard_jones == nullptr) {
      values_.error(element, "<cutoffs> lacks <defaultCutoff> or <radiusLJ>");
      return;
    }
    const auto all = general != nullptr ? values_.positive(*general) : std::nullopt;
    const auto lj = lennard_jones != nullptr ? values_.positive(*lennard_jones) : std::nullopt;
    if (!all && !lj) return;
    cutoff_ = std::max(all.value_or(0.0), lj.value_or(0.0));
    lennard_jones_cutoff_ = lj.value_or(cutoff_);
    cutoff_element_ = general != nullptr ? general : lennard_jones;
    lennard_jones_element_ = lennard_jones != nullptr ? lennard_jones : general;
  }

  void electrostatics(const XmlElement& algorithm) {
    values_.require(algorithm, "electrostatic");
    for (const XmlElement* one : algorithm.all("electrostatic")) electrostatic(*one);
  }

  /// Reads an `<electrostatic>`. Of several with the same type ls1 uses the first.
  void electrostatic(const XmlElement& element) {
    const auto kind = values_.choice(element, "type", {"ReactionField", "FastMultipoleMethod"});
    if (!kind) return;
    if (*kind == 1) {
      values_.error(element, "ls1's fast multipole method is not taken over; give ReactionField");
      return;
    }
    if (reaction_field_element_ != nullptr) {
      values_.warning(element,
                      "there is already a reaction field, which is taken; this one is "
                      "ignored, as in ls1");
      element.pass_over();
      return;
    }
    if (const XmlElement* epsilon = values_.require(element, "epsilon")) {
      reaction_field_epsilon_ = values_.positive(*epsilon).value_or(1.0);
      reaction_field_element_ = epsilon;
    }
  }

  /// Reads the boundaries, which are the only part of the parallelization that changes the physics.
  void parallelisation(const XmlElement& element) {
    constexpr std::string_view boundaries_name = "boundaries";
    const XmlElement* boundaries = element.find(boundaries_name);
    element.attribute("type");
    for (const XmlElement& child : element.children) {
      const bool is_misspelled = boundaries == nullptr &&
                                 comm::nearest_name(child.name, {&boundaries_name, 1}).has_value();
      if (&child != boundaries && !is_misspelled) child.pass_over();
    }
    if (boundaries == nullptr) return;
    for (const char* axis : {"x", "y", "z"}) {
      const XmlElement* boundary = values_.require(*boundaries, axis);
      // ls1 accepts any text with "per" in any case as periodic.
      if (boundary == nullptr || lower_case(boundary->text).find("per") != std::string::npos) {
        continue;
      }
      values_.error(*boundary, fmt::format("the boundary {} = {}: Sterna's boxes are periodic",
                                           axis, quote(boundary->text)));
    }
  }

  // ---- components become the input's types

  enum class LongRange { homogeneous, none, planar };

  void interactions() {
    if (!values_.ok()) return;
    if (types_.all_atoms() && one_kind_of_shift()) {
      atoms();
    } else {
      molecules();
    }
    const bool corrected = types_.shifted[0] == 0;
    const XmlElement& tail = long_range_element_ != nullptr ? *long_range_element_ : *algorithm_;
    if (long_range_ == LongRange::planar) {
      planar_correction(tail);
    } else {
      // ls1 gives a shifted potential no correction beyond the cutoff.
      input_.interaction.tail_correction = long_range_ == LongRange::homogeneous && corrected
                                               ? TailCorrection::homogeneous
                                               : TailCorrection::none;
    }
    decides("interaction.tail_correction", tail);
    input_.interaction.truncation = corrected ? Truncation::truncated : Truncation::shifted;
    decides("interaction.truncation", *types_.elements[0]);
  }

  /// Reads the planar correction, whose layers always lie across y in ls1.
  void planar_correction(const XmlElement& element) {
    input_.interaction.tail_correction = TailCorrection::planar;
    input_.interaction.tail_normal = Axis::y;
    decides("interaction.tail_normal", element);
    if (const XmlElement* slabs = element.find("slabs")) {
      constexpr std::int64_t most_slabs = 10'000;
      const auto count = values_.integer(*slabs, 1, most_slabs);
      input_.interaction.tail_slabs = static_cast<int>(count.value_or(1));
      decides("interaction.tail_slabs", *slabs);
    }
    if (const XmlElement* region = element.find("region")) {
      values_.error(*region, "<region>: Sterna corrects the forces in the whole box");
    }
    const XmlElement* smooth = element.find("smooth");
    if (smooth != nullptr && values_.boolean(*smooth).value_or(false)) {
      values_.warning(*smooth,
                      "<smooth>: ls1 corrects by the mean of all profiles since the start of the "
                      "run; Sterna corrects by the profile of the last rebuild of the neighbor "
                      "list, so that corrections follow a density that changes, and fluctuate");
    }
    if (const XmlElement* frequency = element.find("frequency")) {
      values_.warning(*frequency,
                      "<frequency>: Sterna takes the profile of densities at each rebuild of the "
                      "neighbor list");
    }
    if (const XmlElement* writing = element.find("writecontrol")) {
      values_.warning(*writing, "<writecontrol>: Sterna does not write the correction's profiles");
      writing->pass_over();
    }
    for (std::size_t n = 0; n < types_.components.size(); ++n) {
      if (!has_dipole(types_.components[n])) continue;
      values_.error(*types_.elements[n],
                    "ls1's planar correction is also one of dipoles; Sterna's is of Lennard-Jones "
                    "sites only");
    }
  }

  /// Whether charges and dipoles together have a dipole moment above rounding.
  static bool has_dipole(const Input::Component& component) {
    Vec3 moment;
    double scale = 0.0;
    for (const Input::Site& site : component.sites) {
      Vec3 part;
      if (site.kind == SiteKind::charge) part = site.charge * site.position;
      if (site.kind == SiteKind::dipole) {
        part = (site.moment / std::sqrt(dot(site.axis, site.axis))) * site.axis;
      }
      moment += part;
      scale += std::sqrt(dot(part, part));
    }
    return std::sqrt(dot(moment, moment)) > 1e-9 * scale;
  }

  /// Whether all pairs are shifted or none. Then atoms can become particle types, which have the
  /// fastest kernels.
  bool one_kind_of_shift() const {
    if (types_.components.size() == 1) return true;
    return std::ranges::all_of(types_.shifted, [](char shifted) { return shifted != 0; });
  }

  void atoms() {
    for (std::size_t n = 0; n < types_.components.size(); ++n) {
      const Input::Component& component = types_.components[n];
      const Input::Site& site = component.sites[0];
      const XmlElement& element = *types_.elements[n];
      const std::string place = fmt::format("type[{}]", n);
      input_.types.push_back({component.name, site.mass, site.epsilon, site.sigma, 1.0});
      decides(place, element);
      for (const char* key : {"name", "mass", "epsilon", "sigma"}) {
        decides(fmt::format("{}.{}", place, key), element);
      }
    }
    for (const MoleculeTypes::Mixing& rule : types_.mixing) {
      const Input::Type& a = input_.types[rule.first];
      const Input::Type& b = input_.types[rule.second];
      const std::string place = fmt::format("pair[{}]", input_.pairs.size());
      Input::Pair pair;
      pair.first = a.name;
      pair.second = b.name;
      set_pair_parameter(pair, "epsilon", rule.xi * std::sqrt(a.epsilon * b.epsilon));
      set_pair_parameter(pair, "sigma", rule.eta * 0.5 * (a.sigma + b.sigma));
      input_.pairs.push_back(pair);
      decides(place, *types_.elements[rule.second]);
      for (const char* key : {"first", "second", "epsilon", "sigma"}) {
        decides(fmt::format("{}.{}", place, key), *types_.elements[rule.second]);
      }
    }
    input_.interaction.cutoff = lennard_jones_cutoff_;
    decides("interaction.cutoff", *lennard_jones_element_);
  }

  void molecules() {
    turn_dipoles();
    for (std::size_t n = 0; n < types_.components.size(); ++n) {
      const XmlElement& element = *types_.elements[n];
      if (types_.shifted[n] != types_.shifted[0]) {
        values_.error(element,
                      "<shifted> differs from that of another <moleculetype>; Sterna "
                      "shifts all or none");
      }
      warn_of_center(types_.components[n], element);
      input_.components.push_back(types_.components[n]);
      const std::string place = fmt::format("component[{}]", n);
      decides(place, element);
      decides(place + ".name", element);
      decides(place + ".inertia", element);
      for (std::size_t k = 0; k < types_.components[n].sites.size(); ++k) {
        site(fmt::format("{}.site[{}]", place, k), types_.components[n].sites[k], element);
      }
    }
    for (const MoleculeTypes::Mixing& rule : types_.mixing) {
      const std::string place = fmt::format("pair[{}]", input_.pairs.size());
      Input::Pair pair;
      pair.first = input_.components[rule.first].name;
      pair.second = input_.components[rule.second].name;
      pair.eta = rule.eta;
      pair.xi = rule.xi;
      input_.pairs.push_back(pair);
      for (const char* key : {"", ".first", ".second", ".eta", ".xi"}) {
        decides(place + key, *types_.elements[rule.second]);
      }
    }
    input_.run.rotation = RotationMethod::leapfrog;
    decides("run.rotation", *types_.elements[0]);
    Input::Interaction& interaction = input_.interaction;
    interaction.cutoff = cutoff_;
    decides("interaction.cutoff", *cutoff_element_);
    interaction.molecular_cutoff = MolecularCutoff::center_of_mass;
    decides("interaction.molecular_cutoff", *cutoff_element_);
    if (lennard_jones_cutoff_ < cutoff_) {
      interaction.lennard_jones_cutoff = lennard_jones_cutoff_;
      decides("interaction.lennard_jones_cutoff", *lennard_jones_element_);
    }
    interaction.electrostatics = CutoffElectrostatics::reaction_field;
    interaction.reaction_field_epsilon = reaction_field_epsilon_;
    decides("interaction.electrostatics", *reaction_field_element_);
    decides("interaction.reaction_field_epsilon", *reaction_field_element_);
    if (types_.components.size() > 1 && types_.shifted[0] == 0) {
      interaction.shift_unlike_components = true;
      decides("interaction.shift_unlike_components", *types_.elements[1]);
    }
  }

  void site(const std::string& place, const Input::Site& site, const XmlElement& element) {
    decides(place, element);
    const auto key = [&](std::string_view name) {
      decides(fmt::format("{}.{}", place, name), element);
    };
    key("kind");
    key("position");
    if (site.kind == SiteKind::lennard_jones) {
      for (const char* name : {"mass", "epsilon", "sigma"}) key(name);
    } else if (site.kind == SiteKind::charge) {
      for (const char* name : {"mass", "charge"}) key(name);
    } else {
      key("axis");
      key(site.kind == SiteKind::dipole ? "dipole_moment" : "quadrupole_moment");
    }
  }

  /// Reverses the dipoles, because in ls1 they point from the positive to the negative charge if
  /// they act on charges. Reversing two dipoles leaves their energy unchanged; reversing a dipole
  /// beside a quadrupole does not.
  void turn_dipoles() {
    const auto have = [&](SiteKind kind) {
      return std::ranges::any_of(types_.components, [&](const Input::Component& component) {
        return std::ranges::find(component.sites, kind, &Input::Site::kind) !=
               component.sites.end();
      });
    };
    if (!have(SiteKind::charge) || !have(SiteKind::dipole)) return;
    const XmlElement& element = *types_.elements[0];
    if (have(SiteKind::quadrupole)) {
      values_.warning(element,
                      "between charges and dipoles ls1's energies have the other sign than those "
                      "of dipoles that point towards the positive charge, as Sterna's do");
      return;
    }
    values_.warning(element,
                    "between charges and dipoles ls1's energies are those of dipoles that point "
                    "towards the negative charge; Sterna's point towards the positive one, so they "
                    "are turned around here, for the same energies");
    for (Input::Component& component : types_.components) {
      for (Input::Site& site : component.sites) {
        if (site.kind == SiteKind::dipole) site.axis = -1.0 * site.axis;
      }
    }
  }

  /// Warns if the origin is not the center of mass, which ls1 assumes without a check.
  void warn_of_center(const Input::Component& component, const XmlElement& element) {
    Vec3 center;
    double reach = 0.0;
    for (const Input::Site& site : component.sites) {
      center += (site.mass / mass_of(component)) * site.position;
      reach = std::max(reach, dot(site.position, site.position));
    }
    if (dot(center, center) <= 1e-12 * reach) return;
    values_.warning(element, fmt::format("the sites' center of mass is at ({:g}, {:g}, {:g}), not "
                                         "at the origin; Sterna moves the sites so that it is",
                                         center.x, center.y, center.z));
  }

  ForeignDraft draft_;
  Input& input_ = draft_.input;
  XmlValues values_;
  const Decides decides_ = [this](std::string_view key, const XmlElement& element) {
    decides(key, element);
  };
  double start_time_ = 0.0;
  const XmlElement* start_time_element_ = nullptr;
  bool ignores_start_time_ = false;
  std::optional<std::int64_t> equilibration_;  // steps before the production
  const XmlElement* temperature_element_ = nullptr;
  double temperature_ = 0.0;
  MoleculeTypes types_;
  const XmlElement* algorithm_ = nullptr;
  double cutoff_ = 0.0, lennard_jones_cutoff_ = 0.0;
  const XmlElement* cutoff_element_ = nullptr;
  const XmlElement* lennard_jones_element_ = nullptr;
  double reaction_field_epsilon_ = 1.0;
  const XmlElement* reaction_field_element_ = nullptr;
  LongRange long_range_ = LongRange::homogeneous;
  const XmlElement* long_range_element_ = nullptr;
};

}  // namespace

ReadResult read_config(const std::string& path, const LoadText& load) {
  std::vector<Diagnostic> found;
  ConfigReader reader(path);
  try {
    reader.read(read_xml(path, load, &found));
  } catch (const XmlError& error) {
    found.push_back(error.diagnostic());
  }
  std::ranges::move(reader.values().diagnostics(), std::back_inserter(found));
  return reader.draft().check(std::move(found));
}

std::vector<std::string> files_of_config(const std::string& path) {
  std::vector<std::string> files;
  const LoadText load = [&files](const std::string& file) {
    files.push_back(file);
    return load_text(file);
  };
  const auto look_into = [&](const auto& self, const XmlElement& element) -> void {
    for (const XmlElement& child : element.children) self(self, child);
    if (!element.children.empty() || element.text.empty()) return;
    if (element.name == "header") {
      try {
        read_xml(element.resolve(element.text), load);
      } catch (const XmlError&) {
        // The reader of the start reports this error.
      }
    } else if (element.name == "file" || element.name == "data") {
      files.push_back(element.resolve(element.text));
    }
  };
  try {
    const XmlElement root = read_xml(path, load);
    const XmlElement* start = root.find("simulation/ensemble/phasespacepoint");
    if (start != nullptr) look_into(look_into, *start);
  } catch (const XmlError&) {
    // The reader of the input reports this error.
  }
  std::erase(files, path);
  return files;
}

}  // namespace sterna::md::ls1

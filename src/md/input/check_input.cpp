#include "md/input/check_input.hpp"
#include "md/input/observer_row.hpp"
#include "md/input/trajectory_row.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>
#include <vector>

#include "md/core/display_text.hpp"
#include "md/domain/decomposition_method.hpp"
#include "md/input/atom_groups.hpp"
#include "md/input/check_exports.hpp"
#include "md/input/check_neighbor.hpp"
#include "md/input/input_schema.hpp"
#include "md/input/particle_names.hpp"
#include "md/input/physics_row.hpp"
#include "md/input/read_input.hpp"
#include "md/input/run_files.hpp"
#include "md/model/truncation.hpp"
#include "md/output/xtc_writer.hpp"
#include "sterna/comm/nearest_name.hpp"

namespace sterna::md {
namespace {

class Checker {
 public:
  Checker(Input& input, const IsGood& is_good, const Report& report)
      : input_(input), good_(is_good), report_(report) {}

  void start(bool look_at_files) {
    const bool cells = input_.places.contains("start.cells");
    const bool particles = input_.places.contains("start.particles");
    if (good_("start.kind") && input_.start.kind == StartKind::lattice) {
      if (cells && particles) {
        error("start.particles",
              "\"particles\" contradicts \"cells\": the cells alone say how many particles there "
              "are; give one of the two");
      } else if (!cells && !particles) {
        error("start",
              "a lattice needs either \"cells\" (unit cells per axis) or \"particles\" in [start]");
      }
      if (good_("start.cells")) cell_count();
      if (input_.start.lattice == CrystalLattice::zincblende) zincblende(cells);
    }
    if (good_("start.kind") && input_.start.kind == StartKind::random && !particles) {
      error(
          "start",
          "[start] lacks the key \"particles\", required with kind = \"random\": an integer of at "
          "least 1");
    }
    if (good_("start.tilt") && !input_.places.contains("start.box")) {
      error("start.tilt",
            "\"tilt\" makes the box a triclinic one, but [start] gives no \"box\"; a start file "
            "with a box says itself how that leans");
    }
    if (look_at_files && good_("start.file")) start_file();
  }

  void types() {
    std::set<std::string, std::less<>> seen;
    double fractions = 0.0;
    bool all_good = true;
    for (std::size_t n = 0; n < input_.types.size(); ++n) {
      const auto& type = input_.types[n];
      const std::string place = fmt::format("type[{}].name", n);
      if (good_(place) && !seen.insert(type.name).second) {
        error(place, fmt::format("there is already a [[type]] with the name {}", quote(type.name)));
      }
      const std::string mass = fmt::format("type[{}].mass", n);
      if (good_(mass) && type.mass == 0.0 && input_.molecules.empty()) {
        error(mass,
              "\"mass\" in [[type]] counts as 0; only a [[molecule.virtual_site]] has no mass");
      }
      const std::string fraction = fmt::format("type[{}].fraction", n);
      all_good = all_good && (good_(fraction) || !input_.places.contains(fraction));
      fractions += type.fraction;
    }
    for (const Input::Component& component : input_.components) fractions += component.fraction;
    if (all_good && !input_.types.empty() && !(fractions > 0.0)) {
      error("type[0].fraction", "the \"fraction\" of every [[type]] is 0; one must be greater");
    }
  }

  void pairs() {
    std::set<std::pair<std::string, std::string>> seen;
    for (std::size_t n = 0; n < input_.pairs.size(); ++n) {
      const auto& pair = input_.pairs[n];
      const std::string place = fmt::format("pair[{}]", n);
      const bool first = known_type(place + ".first", pair.first);
      const bool second = known_type(place + ".second", pair.second);
      if (first && second && !pair.adds &&
          !seen.insert(std::minmax(pair.first, pair.second)).second) {
        error(place, fmt::format("there is already a [[pair]] of {} and {}; one that acts besides "
                                 "it says adds = true",
                                 quote(pair.first), quote(pair.second)));
      }
      const bool molecules = is_component(input_, pair.first) || is_component(input_, pair.second);
      // If it has other keys, these are the error.
      const bool gives_something = std::ranges::any_of(input_keys(), [&](const KeySchema& key) {
        return key.section == "pair" && key.need != Need::required && key.name != "potential" &&
               key.name != "adds" && input_.places.contains(fmt::format("{}.{}", place, key.name));
      });
      const std::string potential = place + ".potential";
      const bool mixes =
          pair.is_lennard_jones() && (good_(potential) || !input_.places.contains(potential));
      if (mixes && !gives_something) {
        error(place, fmt::format("[[pair]] changes nothing; it needs {}",
                                 molecules ? "\"eta\" or \"xi\""
                                           : "\"potential\", \"epsilon\" or \"sigma\""));
      }
    }
  }

  void interaction() {
    if (good_("interaction.switch_start") && good_("interaction.cutoff") &&
        good_("interaction.truncation") && is_switched(input_.interaction.truncation) &&
        input_.interaction.switch_start >= input_.interaction.cutoff) {
      error(
          "interaction.switch_start",
          fmt::format("\"switch_start\" in [interaction] is {}; expected less than the cutoff, "
                      "which is {}",
                      length(input_.interaction.switch_start), length(input_.interaction.cutoff)));
    }
  }

  void domain() {
    if (!good_("domain.decomposition") || !good_("domain.halo_route")) return;
    const auto& domain = input_.domain;
    if (domain.halo_route == "direct" || domain.decomposition == "auto" ||
        !decomposition_method(domain.decomposition).weighs) {
      return;
    }
    error("domain.halo_route",
          fmt::format("the {} halo goes along the rows of a regular grid, which decomposition = {} "
                      "does not have; expected \"direct\"",
                      domain.halo_route, quote(domain.decomposition)));
  }

  /// Checks that the steps of frames, each `interval` steps, fit into a format with fewer bits for
  /// them.
  void last_step(const std::string& place, std::int64_t interval, std::int64_t last) {
    if (interval <= 0 || !good_(place) || !good_("run.steps")) return;
    const std::int64_t step = input_.run.steps / interval * interval;
    if (step <= last) return;
    error(place, fmt::format("a frame is due at step {}, and a file of this format has steps up to "
                             "{}; expected at most so many \"steps\" in [run], or another format: "
                             "\"trajectory_interval\" in [output], [lammps_dump], [xyz]",
                             step, last));
  }

  void output(bool look_at_files) {
    if (good_("run.name")) {
      const std::string& name = input_.run.name;
      if (name.find_first_of("/\\") != std::string::npos || name == "." || name == "..") {
        error("run.name", fmt::format("\"name\" in [run] is {}; expected the beginning of a file "
                                      "name without \"/\" (\"directory\" in [output] takes a path)",
                                      quote_path(name)));
      } else {
        file_names(name);
      }
    }
    const auto& fields = input_.output.trajectory_fields;
    if (good_("output.trajectory_fields")) {
      if (std::ranges::find(fields, "position") == fields.end()) {
        error("output.trajectory_fields",
              "\"trajectory_fields\" in [output] must contain \"position\"; no program reads a "
              "trajectory without positions");
      }
      if (std::set<std::string>(fields.begin(), fields.end()).size() < fields.size()) {
        error("output.trajectory_fields",
              "\"trajectory_fields\" in [output] names a field more than once");
      }
    }
    std::error_code problem;
    if (look_at_files && good_("output.directory") &&
        std::filesystem::exists(input_.output.directory, problem) &&
        !std::filesystem::is_directory(input_.output.directory, problem)) {
      error("output.directory", fmt::format("\"directory\" in [output] is {}, which is a file; "
                                            "expected a folder",
                                            quote_path(input_.output.directory)));
    }
  }

 private:
  void error(std::string_view place, std::string message) {
    report_(Severity::error, place, std::move(message));
  }

  std::string length(double value) const { return input_.units.text(value, Dimension::length); }

  void zincblende(bool cells) {
    if (!input_.components.empty()) {
      error("start.lattice",
            "the sublattices of \"zincblende\" are of two [[type]]s, and this file has "
            "[[component]]s");
    } else if (input_.types.size() != 2) {
      error("start.lattice",
            fmt::format("the two sublattices of \"zincblende\" need two [[type]]; "
                        "there {} {}",
                        input_.types.size() == 1 ? "is" : "are", input_.types.size()));
    } else if (input_.types[0].fraction != input_.types[1].fraction) {
      error("type[1].fraction",
            "the sublattices of \"zincblende\" are of equal size; leave out "
            "\"fraction\"");
    }
    if (!cells && input_.places.contains("start.particles")) {
      error("start.particles",
            "the sublattices of \"zincblende\" are both full; give \"cells\", not \"particles\"");
    }
  }

  /// Checks names of files before the run, because the file system would refuse them only after
  /// hours.
  void file_names(const std::string& name) {
    constexpr std::size_t longest = 255;  // of all file systems of Linux, in bytes
    const std::size_t others = longest_file_name(name.size()) - name.size();
    const bool given = input_.places.contains("run.name");
    if (name.size() + others > longest) {
      error(given ? "run.name" : "run",
            fmt::format("{} has {} bytes, and the names of output files would be longer than a "
                        "file system takes; expected at most {}",
                        given ? "\"name\" in [run]"
                              : "the name of the input file, which is that "
                                "of the run,",
                        name.size(), longest - others));
    }
    const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 32 || c == 127; };
    if (std::ranges::any_of(name, is_control)) {
      error(given ? "run.name" : "run",
            fmt::format("the name of the run, {}, has control characters, which file names must "
                        "not have",
                        quote_path(name)));
    }
    if (std::ranges::any_of(input_.output.directory, is_control)) {
      error("output.directory", fmt::format("\"directory\" in [output] is {}, which has control "
                                            "characters",
                                            quote_path(input_.output.directory)));
    }
  }

  void cell_count() {
    const auto& cells = input_.start.cells;
    const double sites = 8.0 * cells[0] * cells[1] * cells[2];
    if (sites > 1e12) {
      error("start.cells",
            fmt::format("\"cells\" in [start] makes up to {:.0e} particles; expected "
                        "at most 1e12",
                        sites));
    }
  }

  void start_file() {
    const std::string path = start_file_path(input_);
    std::error_code problem;
    const auto status = std::filesystem::status(path, problem);
    if (std::filesystem::is_directory(status)) {
      error("start.file", fmt::format("the start file {} is a folder", quote_path(path)));
      return;
    }
    if (std::filesystem::exists(status)) return;
    std::string message = fmt::format("the start file {} does not exist", quote_path(path));
    std::vector<std::string> neighbors;
    std::filesystem::directory_iterator file(std::filesystem::path(path).parent_path().empty()
                                                 ? std::filesystem::path(".")
                                                 : std::filesystem::path(path).parent_path(),
                                             problem);
    constexpr std::size_t most = 1000;  // bounds the time in folders with a million files
    for (; !problem && file != std::filesystem::directory_iterator() && neighbors.size() < most;
         file.increment(problem)) {
      neighbors.push_back(file->path().filename().string());
    }
    std::ranges::sort(neighbors);
    const std::vector<std::string_view> names(neighbors.begin(), neighbors.end());
    const std::string name = std::filesystem::path(path).filename().string();
    if (const auto near = comm::nearest_name(name, names)) {
      message += fmt::format("; did you mean {}?", quote_path(*near));
    }
    error("start.file", std::move(message));
  }

  bool known_type(const std::string& place, const std::string& name) {
    if (!good_(place)) return false;
    const std::vector<std::string_view> names = particle_names(input_);
    if (std::ranges::find(names, name) != names.end()) return true;
    // Types without names, or no types at all, are errors that are reported elsewhere.
    if (names.empty() || std::ranges::find(names, "") != names.end()) return false;
    if (++unknown_types_ > most_suggestions) {
      error(place, fmt::format("no {} has the name {}", particle_section(input_), quote(name)));
    } else {
      error(place, unknown_particle(input_, name));
    }
    return false;
  }

  static constexpr int most_suggestions = 100;  // more are not shown; bounds the time

  int unknown_types_ = 0;
  Input& input_;
  const IsGood& good_;
  const Report& report_;
};

}  // namespace

void check_input(Input& input, bool look_at_files, const IsGood& is_good, const Report& report) {
  if (!input.places.contains("run.name")) {
    const std::string stem = std::filesystem::path(input.path).stem().string();
    input.run.name = stem.empty() ? "run" : stem;
  }
  if (!input.stage.name.empty()) input.run.name += "." + input.stage.name;
  Checker checker(input, is_good, report);
  checker.start(look_at_files);
  checker.types();
  checker.pairs();
  for (const PhysicsRow& physics : physics_rows()) {
    if (physics.check != nullptr) physics.check(input, look_at_files, is_good, report);
  }
  checker.interaction();
  check_owners_sections(input, is_good, report);
  check_neighbor(input, is_good, report);
  checker.domain();
  checker.output(look_at_files);
  check_exports(input, is_good, report);
  check_groups(input, is_good, report);
  for (const ObserverRow& section : observer_rows()) {
    if (section.check != nullptr) section.check(input, is_good, report);
  }
  checker.last_step("output.xtc_interval", input.output.xtc_interval, XtcWriter::highest_step);
  for (const std::string& format : input.output.exports) {
    if (format != "xtc" && format != "trr" && format != "dcd") continue;
    checker.last_step("output.export", input.output.trajectory_interval, XtcWriter::highest_step);
    break;
  }
  for (const TrajectoryRow& section : trajectory_rows()) {
    checker.last_step(fmt::format("{}.interval", section.schema.name), section.interval(input),
                      section.last_step);
    check_group_names(input, is_good, report, fmt::format("{}.groups", section.schema.name),
                      section.groups(input), true);
    if (section.check != nullptr) section.check(input, is_good, report);
  }
}

}  // namespace sterna::md

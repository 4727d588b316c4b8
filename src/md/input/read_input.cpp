#include "md/input/read_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "md/core/sort_by.hpp"
#include "md/input/check_completeness.hpp"
#include "md/input/check_input.hpp"
#include "md/input/foreign_files.hpp"
#include "md/input/hydrogen_mass.hpp"
#include "md/input/input_reading.hpp"
#include "md/input/input_schema.hpp"
#include "md/input/molecule_file.hpp"
#include "md/input/physics_row.hpp"
#include "md/input/published_components.hpp"
#include "md/input/section_reader.hpp"
#include "md/input/stages.hpp"
#include "md/input/toml_document.hpp"
#include "sterna/comm/joined.hpp"
#include "sterna/comm/regular_file.hpp"

namespace sterna::md {
namespace {

constexpr std::size_t largest_file = 1u << 20;           // bytes; an input file has a few thousand
constexpr std::int64_t endless = 1'000'000'000'000'000;  // of a run whose end a program decides

class Reader {
 public:
  Reader(std::string_view text, std::string_view name, bool look_at_files,
         bool from_program = false, std::optional<std::int64_t> steps = std::nullopt,
         std::optional<std::size_t> stage = std::nullopt)
      : reading_(text, name),
        look_at_files_(look_at_files),
        from_program_(from_program),
        steps_(steps),
        stage_(stage) {}

  ReadResult read() {
    std::optional<toml::table> document = toml_document(reading_);
    if (!document) return std::move(reading_.result);
    if (const std::vector<std::string> stages = stage_names(*document);
        stage_ && *stage_ < stages.size()) {
      take_stage(reading_, *document, *stage_);
    } else if (!stages.empty()) {
      reading_.error(document->get("stage")->as_array()->get(0)->source(),
                     fmt::format("the input has stages, which \"sterna run\" runs one after the "
                                 "other: {}; here one of them is expected",
                                 comm::joined(stages, ", ")));
      return std::move(reading_.result);
    }
    SectionReader(reading_).read_document(*document);
    check_completeness(reading_, from_program_);
    const std::vector<Diagnostic> in_molecule_files = read_molecule_files();
    settle_what_programs_do();
    // From here on the components have more sites than the file, so indices of sites differ from
    // the file's.
    take_published_sites(input());
    if (reading_.density_of_mass) mass_density();
    round_tilt();
    check_input(input(), look_at_files_, is_good(), reports());
    if (reading_.result.ok() && in_molecule_files.empty()) hydrogen_masses();
    if (reading_.result.ok()) {
      for (const PhysicsRow& physics : physics_rows()) {
        if (physics.check_good != nullptr) physics.check_good(input(), reports());
      }
    }
    sort_diagnostics();
    std::vector<Diagnostic>& diagnostics = reading_.result.diagnostics;
    diagnostics.insert(diagnostics.end(), in_molecule_files.begin(), in_molecule_files.end());
    if (reading_.more_errors) {
      diagnostics.push_back({Severity::error,
                             input().path,
                             0,
                             0,
                             1,
                             "there are more errors, which are not shown",
                             {},
                             1});
    }
    return std::move(reading_.result);
  }

  /// Reads the file of a molecule, whose text is that of this reader; the result has it as its
  /// first molecule. `around`: the input that names the file.
  ReadResult read_molecule(const Input& around, const Input::Molecule& molecule) {
    input().units = around.units;
    input().types = around.types;
    input().components = around.components;
    input().interaction = around.interaction;
    input().molecules.resize(1);
    input().molecules[0].name = molecule.name;
    input().molecules[0].count = molecule.count;
    input().molecules[0].file = molecule.file;
    input().molecules[0].residue_numbers = molecule.residue_numbers;
    input().molecules[0].chains = molecule.chains;
    std::optional<toml::table> document = toml_document(reading_);
    if (!document) return std::move(reading_.result);
    for (const char* key : {"name", "count", "residue_numbers", "chains", "file"}) {
      if (const toml::node* node = document->get(key)) {
        reading_.error(node->source(),
                       fmt::format("\"{}\" belongs in the [[molecule]] of the input", key));
        document->erase(key);
      }
      reading_.excused.insert(fmt::format("molecule[0].{}", key));
    }
    SectionReader(reading_).read_section(*find_section("molecule"), *document, "molecule[0]", 0,
                                         document->source());
    check_keys(reading_, from_program_);
    for (const PhysicsRow& physics : physics_rows()) {
      if (physics.check_molecule_file == nullptr) continue;
      physics.check_molecule_file(input(), is_good(), reports());
    }
    sort_diagnostics();
    return std::move(reading_.result);
  }

 private:
  Input& input() { return reading_.input(); }

  IsGood is_good() const {
    return [this](std::string_view place) {
      return reading_.input().places.contains(place) && !reading_.bad.contains(place);
    };
  }
  Report reports() {
    return [this](Severity severity, std::string_view place, std::string message) {
      reading_.report(severity, reading_.place_named(place), std::move(message));
    };
  }

  /// Sorts by place in the file; diagnostics without a line come last.
  void sort_diagnostics() {
    sort_by(reading_.result.diagnostics, [](const Diagnostic& d) {
      return std::tuple(d.line == 0 ? std::numeric_limits<int>::max() : d.line, d.column);
    });
  }

  /// Reads the files of molecules and returns their mistakes.
  std::vector<Diagnostic> read_molecule_files() {
    std::vector<Diagnostic> findings;
    for (std::size_t m = 0; m < input().molecules.size(); ++m) {
      const std::string place = fmt::format("molecule[{}].file", m);
      if (!look_at_files_ || !is_good()(place)) continue;
      try {
        const std::string text = molecule_file_text(input(), input().molecules[m]);
        ReadResult read = read_molecule_text(input(), m, text);
        findings.insert(findings.end(), read.diagnostics.begin(), read.diagnostics.end());
        if (read.ok()) input().molecules[m] = std::move(read.input.molecules[0]);
      } catch (const std::runtime_error& problem) {
        reports()(Severity::error, place, problem.what());
      }
    }
    return findings;
  }

  void settle_what_programs_do() {
    if (steps_) input().run.steps = *steps_;
    if (from_program_ && !input().places.contains("run.steps")) {
      input().run.steps = endless;
    } else if (!from_program_ && input().start.kind == StartKind::program) {
      reports()(Severity::error, "start.kind",
                "only a program in C++ or Python can give particles itself; expected \"lattice\", "
                "\"random\" or \"file\"");
    }
  }

  /// Sets a tilt of the size of rounding to 0, which is left after a program has rotated its box.
  void round_tilt() {
    auto& start = input().start;
    if (!start.box || !start.tilt) return;
    const double rounding = 1e-15 * (start.box->x + start.box->y + start.box->z);
    for (int axis = 0; axis < 3; ++axis) {
      double& tilt = (*start.tilt)[axis];
      if (std::abs(tilt) <= rounding) tilt = 0.0;
    }
  }

  /// Turns a mass density such as "1.4 g/cm^3" into a number density, with the mean mass of the
  /// types or components.
  void mass_density() {
    double mass = 0.0, fractions = 0.0;
    for (const Input::Type& type : input().types) {
      mass += type.fraction * type.mass;
      fractions += type.fraction;
    }
    for (const Input::Component& component : input().components) {
      for (const Input::Site& site : component.sites) mass += component.fraction * site.mass;
      fractions += component.fraction;
    }
    // Types without mass or share are reported elsewhere.
    if (mass > 0.0 && fractions > 0.0) input().start.density *= fractions / mass;
  }

  void hydrogen_masses() {
    try {
      move_hydrogen_masses(input());
    } catch (const HydrogenMassError& problem) {
      reports()(Severity::error, fmt::format("molecule[{}].hydrogen_mass", problem.molecule()),
                problem.what());
    }
  }

  InputReading reading_;
  bool look_at_files_;
  bool from_program_;
  std::optional<std::int64_t> steps_;  ///< replaces "steps" in [run]
  std::optional<std::size_t> stage_;   ///< index of the stage; nothing: no stages
};

ReadResult unreadable(std::string_view name, std::string message) {
  ReadResult result;
  result.input.path = name;
  Diagnostic diagnostic;
  diagnostic.file = name;
  diagnostic.message = std::move(message);
  result.diagnostics.push_back(std::move(diagnostic));
  return result;
}

}  // namespace

ReadResult read_input_text(std::string_view text, std::string_view name, bool look_at_files,
                           std::optional<std::int64_t> steps) {
  if (text.size() > largest_file) {
    return unreadable(name, fmt::format("the input file is larger than {} MiB; is it the start "
                                        "file? Name that one in [start]",
                                        largest_file >> 20));
  }
  return Reader(text, name, look_at_files, false, steps).read();
}

ReadResult read_stage_text(std::string_view text, std::string_view name, std::size_t stage,
                           bool look_at_files) {
  return Reader(text, name, look_at_files, false, std::nullopt, stage).read();
}

ReadResult read_molecule_text(const Input& input, std::size_t molecule, std::string_view text) {
  const Input::Molecule& around = input.molecules[molecule];
  return Reader(text, molecule_file_path(input, around), true).read_molecule(input, around);
}

std::optional<std::string> input_file_text(const std::string& path, ReadResult& result) {
  try {
    std::string text = comm::read_regular_file(path, largest_file);
    if (const auto foreign = foreign_file_advice(path)) {
      result = unreadable(path, fmt::format("this is no input file: it {}", *foreign));
      return std::nullopt;
    }
    return text;
  } catch (const comm::UnreadableFile& error) {
    const bool large = error.reason() == comm::UnreadableFile::Reason::too_large;
    result = unreadable(
        path, fmt::format("the input file {}{}", error.what(),
                          large ? "; is it the start file? Name that one in [start]" : ""));
    return std::nullopt;
  }
}

ReadResult read_program_input(std::string_view text, std::string_view name) {
  return Reader(text, name, true, true).read();
}

ReadResult read_input(const std::string& path) {
  ReadResult failure;
  const auto text = input_file_text(path, failure);
  return text ? read_input_text(*text, path) : failure;
}

Diagnostic diagnose(const Input& input, Severity severity, std::string_view place,
                    std::string message) {
  Diagnostic diagnostic{severity, input.path, 0, 0, 1, std::move(message), {}, 1};
  const auto found_place = input.places.find(place);
  if (found_place != input.places.end()) {
    diagnostic.line = found_place->second.line;
    diagnostic.column = found_place->second.column;
    diagnostic.length = found_place->second.length;
    diagnostic.source_line = found_place->second.source_line;
    diagnostic.source_column = found_place->second.source_column;
    if (!found_place->second.file.empty()) diagnostic.file = found_place->second.file;
  }
  return diagnostic;
}

std::string output_stem(const Input& input) {
  return (std::filesystem::path(input.output.directory) / input.run.name).string();
}

std::string start_file_path(const Input& input) {
  const std::filesystem::path file(input.start.file);
  if (file.is_absolute()) return input.start.file;
  return (std::filesystem::path(input.path).parent_path() / file).string();
}

}  // namespace sterna::md

// The outputs that a run opens at its start: log, trajectory, and the lines that describe the run.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "md/core/agreement.hpp"
#include "md/core/file_error.hpp"
#include "md/core/json.hpp"
#include "md/forces/coulomb/rounded_charge.hpp"
#include "md/input/model_list.hpp"
#include "md/input/run_files.hpp"
#include "md/output/atomic_file.hpp"
#include "md/output/checkpoint.hpp"
#include "md/simulation/simulation_implementation.hpp"
#include "sterna/comm/joined.hpp"
#include "sterna/version.hpp"

namespace sterna::md {

void Simulation::Implementation::report_terms() {
  for (const ForceTerm* term : std::as_const(*engine_).terms()) {
    if (const std::string line = term->description(); !line.empty()) messages_.console.line(line);
    for (const std::string& warning : term->warnings()) {
      warn(warning);
    }
  }
  const Constraints* const constraints = dynamics_.constraints();
  if (constraints != nullptr && !constraints->with_rotors().empty()) {
    messages_.console.line(
        fmt::format("constraints: rigid atoms of {} move as rotors (constraint_algorithm in [run])",
                    comm::joined(constraints->with_rotors(), ", ")));
  }
  if (constraints != nullptr && constraints->span_ranks()) {
    messages_.console.line(
        "constraints: chains of them are longer than the halo of a rank: all ranks solve these "
        "together (constraint_algorithm in [run])");
  }
  if (input_.electrostatics.is_used()) return;
  double charge = 0.0, largest = 0.0;
  for (std::size_t type = 0; type < system_.interaction.components().size(); ++type) {
    for (const auto& site : system_.interaction.components()[type].charges) {
      charge += static_cast<double>(system_.type_counts[type]) * site.charge;
      largest = std::max(largest, std::abs(site.charge));
    }
  }
  if (std::abs(charge) > rounded_charge * largest) {
    charge /= std::sqrt(input_.units.coulomb());
    const std::string warning = fmt::format(
        "the system has a charge of {:.6g}, which nothing neutralizes: energies and "
        "pressures depend on the cutoff",
        charge);
    warn(warning);
  }
}

void Simulation::Implementation::warn_of_lost_rows() {
  if (context_.rank() != 0 || input_.output.thermo_interval == 0) return;
  // The interval may have changed since the rows were written.
  const auto missing =
      messages_.log->kept_rows().first_missing(input_.output.thermo_interval, clock_.step);
  if (!missing) return;
  warn(fmt::format("{}.log.jsonl has no rows from step {} to {}, which the run had written",
                   files_.folder.stem(), *missing, clock_.step));
}

void Simulation::Implementation::log_start(std::optional<std::int64_t> resume_step) {
  Json units = Json::object();
  units["system"] = std::string(input_.units.name());
  units["time"] = std::string(input_.units.label(Dimension::time));
  units["energy"] = std::string(input_.units.label(Dimension::energy));
  units["temperature"] = std::string(input_.units.label(Dimension::temperature));
  units["pressure"] = std::string(input_.units.label(Dimension::pressure));
  const auto energy = [&](double value) {
    return input_.units.from_internal(value, Dimension::energy);
  };
  Json terms = Json::object();
  for (const ForceTerm* term : std::as_const(*engine_).terms()) {
    Json& settings = terms[std::string(term->name())];
    for (const auto& [name, value] : term->settings()) {
      std::visit([&, &key = name](const auto& held) { settings[key] = held; }, value);
    }
  }
  Json buffer;
  if (const auto& kept = lists_.buffer()) {
    buffer = {{"interval", kept->interval},
              {"drift", input_.units.from_internal(kept->drift, Dimension::energy_rate)}};
  }
  Json steps;  // null if a program decides how many steps to run
  if (input_.places.contains("run.steps")) steps = input_.run.steps;
  messages_.log->start(
      {.program = fmt::format("sterna {}", version),
       .communication = context_.description(),
       .input_path = input_.path,
       .input_text = files_.input_text,
       .settings = {{"particles", system_.particle_count},
                    {"steps", steps},
                    {"ranks", context_.size()},
                    {"regions", balancer_->description()},
                    {"kernels", std::string(engine_->kernels())},
                    {"precision", choice_name(input_.run.precision)},
                    {"skin", input_.units.from_internal(lists_.skin(), Dimension::length)},
                    {"list_buffer", buffer},
                    {"terms", terms},
                    {"tail_energy", energy(system_.tail.energy)},
                    {"tail_virial", energy(system_.tail.virial)},
                    {"units", units},
                    {"report", files_.folder.report_path()},
                    {"exports", files_.folder.export_paths()},
                    {"changed_settings", files_.continuation.changes().settings}},
       .resumed_from = resume_step});
}

void Simulation::Implementation::open_files(bool resumed) {
  const std::optional<std::int64_t> resume_step =
      resumed ? std::optional<std::int64_t>(clock_.step) : std::nullopt;
  const std::vector<std::string> missing =
      resumed ? files_.folder.missing_files() : std::vector<std::string>();
  if (!resumed) files_.folder.clear_for_new_run();
  // Trajectories are opened first: if the run cannot continue one of them, it must fail before any
  // file is changed.
  files_.trajectories.open(context_, input_, system_, files_.folder.stem(), resume_step);
  const std::vector<std::string> lost_texts =
      files_.terms.open(context_, *engine_, files_.folder.stem(), resumed);
  files_.continuation.drop_end_of_shorter_run();
  if (start_.resumes) files_.checkpoints.goes_on_from(clock_);
  messages_.log =
      std::make_unique<JsonLog>(context_, files_.folder.stem() + ".log.jsonl", resume_step);
  log_start(resume_step);
  for (const std::string& path : missing) {
    warn(fmt::format("{} is not there, and a new one begins at step {}", path, clock_.step));
  }
  for (const std::string& path : lost_texts) {
    warn(fmt::format("{} is not there, and a new one begins at step {}", path, clock_.step));
  }
  const bool had_log =
      resumed && (missing.empty() || missing.front() != files_.folder.stem() + ".log.jsonl");
  if (had_log) warn_of_lost_rows();
  for (const std::string& lost : files_.trajectories.lost_frames()) warn(lost);
  cite_models();
}

void Simulation::Implementation::open_outputs(bool resumed) {
  if (options_.files) open_files(resumed);
  const auto in_unit = [&](double x) { return input_.units.from_internal(x, Dimension::length); };
  std::string box_text = fmt::format("{:.6g} x {:.6g} x {:.6g}", in_unit(system_.box.length.x),
                                     in_unit(system_.box.length.y), in_unit(system_.box.length.z));
  if (!input_.units.is_reduced()) {
    box_text += fmt::format(" {}", input_.units.label(Dimension::length));
  }
  if (!system_.box.tilt.none()) {
    box_text += fmt::format(" with tilt [{:.6g}, {:.6g}, {:.6g}]", in_unit(system_.box.tilt.xy),
                            in_unit(system_.box.tilt.xz), in_unit(system_.box.tilt.yz));
  }
  messages_.console.line(fmt::format("sterna {}: {} particles, box {}, {} rank{} ({})", version,
                                     system_.particle_count, box_text, context_.size(),
                                     context_.size() == 1 ? "" : "s", context_.description()));
  if (const auto& kept = lists_.buffer()) {
    messages_.console.line(fmt::format(
        "lists of neighbors are kept for {} steps; the pairs that they miss let the energy change "
        "by at most {} per particle, by estimate",
        kept->interval, input_.units.text(kept->drift, Dimension::energy_rate)));
  }
  messages_.console.line(
      fmt::format("kernels {} in {} precision, ranks {}, cutoff {:.4g} + skin {:.4g}",
                  engine_->kernels(), choice_name(input_.run.precision), balancer_->description(),
                  input_.units.from_internal(system_.interaction.range(), Dimension::length),
                  input_.units.from_internal(lists_.skin(), Dimension::length)));
  report_terms();
}

void Simulation::Implementation::cite_models() {
  const std::string entries = bibliography(input_);
  if (entries.empty()) return;
  std::string citations = citation_lines(input_);
  citations.pop_back();  // the last newline, which the console adds
  messages_.console.line(citations);
  on_first_rank(context_, [&] {
    RawFile file(files_.folder.stem() + ".bib", RawFile::Mode::create);
    file.write_at(0, std::as_bytes(std::span(entries)));
    file.close();
  });
}

}  // namespace sterna::md

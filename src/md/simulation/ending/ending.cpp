// The report at the end of a run: averages, times by phase, and which exchange methods were used
// and why.

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "md/core/agreement.hpp"
#include "md/core/file_error.hpp"
#include "md/core/json.hpp"
#include "md/core/measured_text.hpp"
#include "md/input/model_list.hpp"
#include "md/output/atomic_file.hpp"
#include "md/simulation/ending/loop_account.hpp"
#include "md/simulation/ending/loop_report.hpp"
#include "md/simulation/observers.hpp"
#include "md/simulation/simulation_implementation.hpp"
#include "sterna/comm/collective.hpp"
#include "sterna/comm/joined.hpp"

namespace sterna::md {

void Simulation::Implementation::report_end(Outcome outcome, double seconds) {
  Json found = Json::object();
  const Json observed = report_observers();
  const LoopAccount account =
      gather_loop_account({.context = context_,
                           .timer = loop_.timer,
                           .engine = std::as_const(*engine_),
                           .balancer = *balancer_,
                           .particles = system_.particles,
                           .step = clock_.step,
                           .steps = clock_.step - clock_.first_step,
                           .seconds = seconds,
                           .particle_count = system_.particle_count,
                           .rebuilds = engine_->rebuilds() - loop_.rebuilds_at_begin,
                           .timing_of_loop = input_.output.timing});
  if (context_.rank() == 0) {
    messages_.console.line("");
    if (outcome == Outcome::interrupted) {
      const std::string reason = std::as_const(*engine_).reason_to_stop();
      if (!reason.empty()) messages_.console.line(reason);
      messages_.console.line(
          fmt::format("interrupted at step {}: continue with --resume", clock_.step));
    } else if (dynamics_.has_converged()) {
      messages_.console.line(
          fmt::format("converged at step {}: no force component above the tolerance", clock_.step));
    }
    report_averages(observed, found);
    report_loop(account, found);
  }
  if (std::string citations = citation_lines(input_); !citations.empty()) {
    citations.pop_back();  // the last newline, which the console adds
    messages_.console.line(
        fmt::format("\nplease cite ({}.bib):\n{}", files_.folder.stem(), citations));
  }
  if (!messages_.log) return;
  messages_.log->end(clock_.step, outcome == Outcome::complete ? "complete" : "interrupted", found);
  messages_.log->agree_on_failure();
  files_.terms.agree_on_failure(context_);
  on_first_rank(context_, [this] {
    if (const std::vector<std::string> gone = files_.folder.missing_files(); !gone.empty()) {
      throw FileError(
          fmt::format("{}: was removed while the run went on, and what the run wrote is "
                      "lost",
                      comm::joined(gone, ", ")));
    }
  });
}

void Simulation::Implementation::report_averages(const Json& observed, Json& log) {
  std::vector<std::string> unsettled;
  if (sampling_.averages) {
    const Averages::Report report = sampling_.averages->report();
    for (const std::string& line : report.lines) messages_.console.line(line);
    unsettled = report.warnings;
    if (!report.lines.empty()) {
      log["averages"] = report.averages;
      log["averages_over"] = report.rows;
    }
  }
  for (const auto& [name, value] : observed.items()) {
    const std::string unit = value.value("unit", "");
    messages_.console.line(fmt::format(
        "  {:<20} {}{}{}", name,
        measured_text(value["mean"].get<double>(), value["standard_error"].get<double>()),
        unit.empty() ? "" : " ", unit));
    log["averages"][name] = value;
  }
  if (unsettled.empty()) return;
  messages_.console.line("the run has not settled, or is too short to tell:");
  for (const std::string& why : unsettled) messages_.console.line("  " + why);
}

void Simulation::Implementation::report_loop(const LoopAccount& account, Json& log) {
  const LoopReport report(account);
  const auto detail = [this](const std::vector<std::string>& lines) {
    for (const std::string& line : lines) {
      if (options_.verbose) messages_.console.line(line);
    }
  };
  messages_.console.line("\n" + report.speed());
  detail(report.times());
  messages_.console.line(report.communication());
  if (engine_->late_rebuilds() > 0) {
    warn(fmt::format(
        "{} list rebuilds came late: particles sped up faster than the skin allows; use a larger "
        "skin or a shorter timestep",
        engine_->late_rebuilds()));
  }
  detail(report.work());
  report.add_to(log);
}

std::int64_t Simulation::Implementation::first_settled_step() const {
  std::string first_step =
      std::to_string(sampling_.averages ? sampling_.averages->first_step() : 0);
  comm::broadcast(context_, 0, first_step);
  return std::stoll(first_step);
}

Json Simulation::Implementation::report_observers() {
  Json averages = Json::object();
  const std::int64_t first_step = first_settled_step();
  for (const auto& observer : sampling_.observers) {
    const ObserverReport report = total_report(context_, *observer, first_step);
    for (const auto& average : report.averages) {
      Json& entry = averages[average.name];
      entry = {{"mean", average.mean}, {"standard_error", average.standard_error}};
      if (!average.unit.empty()) entry["unit"] = average.unit;
    }
    for (const std::string& warning : report.warnings) warn(warning);
    if (!options_.files) continue;
    on_first_rank(context_, [&] {
      const std::string path = fmt::format("{}.{}.txt", files_.folder.stem(), report.name);
      RawFile file(path + ".new", RawFile::Mode::create);
      file.write_at(0, std::as_bytes(std::span(report.text.data(), report.text.size())));
      file.close();
      rename_file(path + ".new", path);
    });
  }
  return averages;
}

}  // namespace sterna::md

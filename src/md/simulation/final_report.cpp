// What a run says at its end: averages, where the time went, which exchanges were used and why.

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "md/core/agreement.hpp"
#include "md/core/file_error.hpp"
#include "md/core/json.hpp"
#include "md/core/measured_text.hpp"
#include "md/input/model_list.hpp"
#include "md/output/atomic_file.hpp"
#include "md/simulation/observers.hpp"
#include "md/simulation/rank_tables.hpp"
#include "md/simulation/simulation_implementation.hpp"
#include "sterna/comm/collective.hpp"
#include "sterna/comm/joined.hpp"

namespace sterna::md {

namespace {

struct Spread {
  double least = 1e300, sum = 0.0, most = 0.0;
  void add(double value) {
    least = std::min(least, value);
    sum += value;
    most = std::max(most, value);
  }
};

}  // namespace

void Simulation::Implementation::report_end(Outcome outcome, double seconds) {
  const std::int64_t steps = step_ - first_step_;

  const Json observed = report_observers();

  const bool synchronized = input_.output.timing == Input::Output::Timing::synchronized;
  Json mine = Json::object();
  double measured = 0.0;
  // Force terms first.
  std::vector<Phase> phases_in_order;
  for (std::size_t k = 0; k < timer_.phase_count(); ++k) {
    phases_in_order.push_back(static_cast<Phase>(k));
  }
  std::stable_partition(phases_in_order.begin(), phases_in_order.end(),
                        [this](Phase phase) { return timer_.is_term(phase); });
  for (const Phase phase : phases_in_order) {
    measured += timer_.seconds(phase);
    // Exchanges of a phase that computes as well have a row of their own.
    const double within = timer_.info(phase).communication ? 0.0 : timer_.communication(phase);
    mine["phases"].push_back(timer_.seconds(phase) - timer_.waiting(phase) - within);
    mine["exchanges"].push_back(within);
    mine["waiting"].push_back(timer_.waiting(phase));
  }
  const auto terms = std::as_const(*engine_).terms();
  for (const ForceTerm* term : terms) {
    for (const ForceTerm::Part& part : term->parts()) mine["parts"].push_back(part.seconds);
  }
  mine["other"] = std::max(0.0, seconds - measured);
  mine["particles"] = particles_.local_count();
  mine["ghosts"] = particles_.ghost_count();
  auto verdicts = engine_->verdicts();
  if (const auto moved = balancer_->verdict()) verdicts.push_back(*moved);
  std::vector<comm::SentToRank> sent_to;
  for (const comm::Verdict& verdict : verdicts) {
    mine["sent"].push_back({verdict.bytes_sent, verdict.messages_sent});
    comm::add_sent(sent_to, verdict.sent);
  }
  mine["sent_to"] = Json::array();
  for (const comm::SentToRank& to : sent_to) {
    mine["sent_to"].push_back({to.rank, to.bytes, to.messages});
  }
  const Balancer::Summary balance = balancer_->summary(step_);
  const std::vector<std::string> all = comm::gather(context_, 0, json_text(mine));

  Json timing;
  if (context_.rank() == 0) {
    std::vector<Json> ranks;
    for (const std::string& text : all) ranks.push_back(parse_json(text));
    const auto detail = [&](const std::string& line) {
      if (options_.verbose) console_.line(line);
    };

    console_.line("");
    if (outcome == Outcome::interrupted) {
      console_.line(fmt::format("interrupted at step {}: continue with --resume", step_));
    } else if (has_converged()) {
      console_.line(
          fmt::format("converged at step {}: no force component above the tolerance", step_));
    }
    std::vector<std::string> unsettled;
    if (averages_) {
      const Averages::Report report = averages_->report();
      for (const std::string& line : report.lines) console_.line(line);
      unsettled = report.warnings;
      if (!report.lines.empty()) {
        timing["averages"] = report.averages;
        timing["averages_over"] = report.rows;
      }
    }
    for (const auto& [name, value] : observed.items()) {
      const std::string unit = value.value("unit", "");
      console_.line(fmt::format(
          "  {:<20} {}{}{}", name,
          measured_text(value["mean"].get<double>(), value["standard_error"].get<double>()),
          unit.empty() ? "" : " ", unit));
      timing["averages"][name] = value;
    }
    if (!unsettled.empty()) {
      console_.line("the run has not settled, or is too short to tell:");
      for (const std::string& why : unsettled) console_.line("  " + why);
    }

    const double per_step = steps > 0 ? seconds / static_cast<double>(steps) : 0.0;
    console_.line(fmt::format(
        "\n{} steps in {:.3f} s: {:.5g} steps/s, {:.4g} ns per particle and step on {} rank{}",
        steps, seconds, steps > 0 ? static_cast<double>(steps) / seconds : 0.0,
        per_step / static_cast<double>(particle_count_) * 1e9, context_.size(),
        context_.size() == 1 ? "" : "s"));
    detail(fmt::format("{:<18} {:>10} {:>10} {:>10} {:>8}", "time in s", "min", "avg", "max",
                       "share"));
    double communication = 0.0;
    Json phases;
    const auto row = [&](std::string_view label, std::string_view name, const Spread& spread) {
      const double average = spread.sum / context_.size();
      if (spread.most < 5e-7) return;
      detail(fmt::format("{:<18} {:>10.4f} {:>10.4f} {:>10.4f} {:>7.1f}%", label, spread.least,
                         average, spread.most, 100.0 * average / seconds));
      phases[std::string(name)] = {{"min", spread.least}, {"avg", average}, {"max", spread.most}};
    };
    const auto spread_of = [&](const char* kind, std::size_t phase) {
      Spread spread;
      for (const auto& rank : ranks) spread.add(rank[kind][phase].get<double>());
      return spread;
    };
    for (std::size_t k = 0; k < phases_in_order.size(); ++k) {
      const PhaseInfo& info = timer_.info(phases_in_order[k]);
      const Spread phase = spread_of("phases", k), exchanges = spread_of("exchanges", k);
      row(info.name, info.name, phase);
      row("  its exchanges", fmt::format("{}, exchanges", info.name), exchanges);
      std::size_t number = 0;
      for (const ForceTerm* term : terms) {
        for (const ForceTerm::Part& part : term->parts()) {
          const Spread spread = spread_of("parts", number++);
          if (!timer_.is_term(phases_in_order[k]) || term->name() != info.name) continue;
          row(fmt::format("  {}", part.name), fmt::format("{}, {}", info.name, part.name), spread);
        }
      }
      communication += ((info.communication ? phase.sum : 0.0) + exchanges.sum) / context_.size();
    }
    Spread other, particles, ghosts, waiting;
    Json waiting_in;
    for (std::size_t k = 0; k < phases_in_order.size(); ++k) {
      const Spread spread = spread_of("waiting", k);
      if (spread.most < 5e-7) continue;
      waiting_in[timer_.info(phases_in_order[k]).name] = {
          {"min", spread.least}, {"avg", spread.sum / context_.size()}, {"max", spread.most}};
    }
    for (const auto& rank : ranks) {
      double sum = 0.0;
      for (const auto& seconds_of_phase : rank["waiting"]) sum += seconds_of_phase.get<double>();
      waiting.add(sum);
      other.add(rank["other"].get<double>());
      particles.add(rank["particles"].get<double>());
      ghosts.add(rank["ghosts"].get<double>());
    }
    std::vector<std::string> parts;
    std::vector<bool> is_communication;
    for (const Phase phase : phases_in_order) {
      const PhaseInfo& info = timer_.info(phase);
      for (const bool exchanges : {false, true}) {
        parts.push_back(exchanges ? info.name + ", exchanges" : info.name);
        is_communication.push_back(exchanges || info.communication);
      }
    }
    for (const char* name : {"other", "waiting for ranks"}) parts.emplace_back(name);
    is_communication.insert(is_communication.end(), {false, true});
    std::vector<RankAccount> accounts;
    for (const auto& rank : ranks) {
      RankAccount& account = accounts.emplace_back();
      account.communication = is_communication;
      double wait = 0.0;
      for (std::size_t k = 0; k < phases_in_order.size(); ++k) {
        account.seconds.push_back(rank["phases"][k].get<double>());
        account.seconds.push_back(rank["exchanges"][k].get<double>());
        wait += rank["waiting"][k].get<double>();
      }
      account.seconds.insert(account.seconds.end(), {rank["other"].get<double>(), wait});
      account.particles = rank["particles"].get<double>();
      account.ghosts = rank["ghosts"].get<double>();
      for (const auto& to : rank["sent_to"]) {
        account.sent.push_back(
            {to[0].get<int>(), to[1].get<std::size_t>(), to[2].get<std::size_t>()});
      }
    }
    row("other", "other", other);
    row("waiting for ranks", "waiting for ranks", waiting);
    const auto share = [&](double part) { return seconds > 0.0 ? part / seconds : 0.0; };
    const double waiting_share = share(waiting.sum / context_.size());
    console_.line(synchronized ? fmt::format("communication: {:.1f}% of the time, waiting for "
                                             "ranks that compute: {:.1f}%",
                                             100.0 * share(communication), 100.0 * waiting_share)
                               : fmt::format("communication and waiting: {:.1f}% of the time",
                                             100.0 * share(communication)));
    const std::int64_t rebuilds = engine_->rebuilds() - rebuilds_at_begin_;
    detail(fmt::format(
        "particles per rank {:.0f} to {:.0f}, ghosts {:.0f} to {:.0f}; {} list rebuilds, one every "
        "{:.1f} steps",
        particles.least, particles.most, ghosts.least, ghosts.most, rebuilds,
        static_cast<double>(steps) / static_cast<double>(std::max<std::int64_t>(rebuilds, 1))));
    if (engine_->late_rebuilds() > 0) {
      const std::string warning = fmt::format(
          "{} list rebuilds came late: particles sped up faster than the skin allows; use a larger "
          "skin or a shorter timestep",
          engine_->late_rebuilds());
      warn(warning);
    }
    Json methods = Json::array();
    for (const std::string& line : balance.lines) detail(line);
    if (!verdicts.empty()) detail("exchange methods:");
    for (std::size_t k = 0; k < verdicts.size(); ++k) {
      const comm::Verdict& verdict = verdicts[k];
      Spread bytes, messages;
      for (const auto& rank : ranks) {
        bytes.add(rank["sent"][k][0].get<double>());
        messages.add(rank["sent"][k][1].get<double>());
      }
      detail(fmt::format("  {}: {}", verdict.exchange, verdict.text));
      Json candidates = Json::array();
      for (const comm::MethodEvidence& e : verdict.candidates) {
        candidates.push_back({{"method", e.method},
                              {"state", e.state},
                              {"median_us", e.median_us},
                              {"model_us", e.model_us},
                              {"rounds", e.rounds},
                              {"outliers", e.outliers},
                              {"why", e.why}});
      }
      methods.push_back({{"exchange", verdict.exchange},
                         {"method", verdict.method},
                         {"reason", verdict.text},
                         {"rounds", verdict.rounds},
                         {"median_us", verdict.median_us},
                         {"bytes_sent", verdict.bytes_sent},
                         {"messages_sent", verdict.messages_sent},
                         {"busiest_bytes_sent", bytes.most},
                         {"busiest_messages_sent", messages.most},
                         {"times_decided", verdict.times_decided},
                         {"candidates", candidates}});
    }
    if (!balance.lines.empty()) timing["balance"] = balance.values;
    timing["steps"] = steps;
    timing["seconds"] = seconds;
    timing["mode"] = choice_name(input_.output.timing);
    timing["phases"] = phases;
    timing["communication_share"] = share(communication);
    if (synchronized) {
      timing["waiting_share"] = waiting_share;
      timing["waiting"] = waiting_in;
    }
    timing["rebuilds"] = engine_->rebuilds() - rebuilds_at_begin_;
    timing["methods"] = methods;
    timing["by_rank"] = times_by_rank(accounts, parts);
    if (auto traffic = traffic_between_ranks(accounts); !traffic.is_null()) {
      timing["traffic"] = std::move(traffic);
    }
    if (auto regions = regions_of_ranks(balancer_->decomposition()); !regions.is_null()) {
      timing["regions"] = std::move(regions);
    }
  }
  if (std::string citations = citation_lines(input_); !citations.empty()) {
    citations.pop_back();  // the end of the last line
    console_.line(fmt::format("\nplease cite ({}.bib):\n{}", stem_, citations));
  }
  if (!log_) return;
  log_->end(step_, outcome == Outcome::complete ? "complete" : "interrupted", timing);
  log_->agree_on_failure();
  on_first_rank(context_, [this] {
    if (const std::vector<std::string> gone = missing_files(); !gone.empty()) {
      throw FileError(
          fmt::format("{}: was removed while the run went on, and what the run wrote is "
                      "lost",
                      comm::joined(gone, ", ")));
    }
  });
}

std::int64_t Simulation::Implementation::first_settled_step() const {
  std::string first_step = std::to_string(averages_ ? averages_->first_step() : 0);
  comm::broadcast(context_, 0, first_step);
  return std::stoll(first_step);
}

Json Simulation::Implementation::report_observers() {
  Json averages = Json::object();
  const std::int64_t first_step = first_settled_step();
  for (const auto& observer : observers_) {
    const ObserverReport report = total_report(context_, *observer, first_step);
    for (const auto& average : report.averages) {
      Json& entry = averages[average.name];
      entry = {{"mean", average.mean}, {"standard_error", average.standard_error}};
      if (!average.unit.empty()) entry["unit"] = average.unit;
    }
    if (!options_.files) continue;
    on_first_rank(context_, [&] {
      const std::string path = fmt::format("{}.{}.txt", stem_, report.name);
      RawFile file(path + ".new", RawFile::Mode::create);
      file.write_at(0, std::as_bytes(std::span(report.text.data(), report.text.size())));
      file.close();
      rename_file(path + ".new", path);
    });
  }
  return averages;
}

}  // namespace sterna::md

#include "md/simulation/ending/loop_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "md/simulation/ending/rank_tables.hpp"

namespace sterna::md {

namespace {

constexpr double shortest_row = 5e-7;  // s

}  // namespace

void LoopReport::Spread::add(double value) {
  least = std::min(least, value);
  sum += value;
  most = std::max(most, value);
}

template <typename Value>
LoopReport::Spread LoopReport::over_ranks(const Value& value) const {
  Spread spread;
  for (const LoopAccount::Rank& rank : account_.ranks) spread.add(value(rank));
  return spread;
}

void LoopReport::add_row(std::string label, std::string name, const Spread& seconds) {
  if (seconds.most >= shortest_row) rows_.push_back({std::move(label), std::move(name), seconds});
}

double LoopReport::mean(const Spread& spread) const {
  return spread.sum / static_cast<double>(account_.ranks.size());
}

double LoopReport::share(double seconds) const {
  return account_.seconds > 0.0 ? seconds / account_.seconds : 0.0;
}

LoopReport::LoopReport(const LoopAccount& account) : account_(account) {
  using Rank = LoopAccount::Rank;
  for (std::size_t k = 0; k < account.phases.size(); ++k) {
    const PhaseInfo& info = account.phases[k];
    const Spread phase = over_ranks([k](const Rank& rank) { return rank.phases[k]; });
    const Spread exchanges = over_ranks([k](const Rank& rank) { return rank.exchanges[k]; });
    add_row(info.name, info.name, phase);
    add_row("  its exchanges", info.name + ", exchanges", exchanges);
    for (std::size_t n = 0; n < account.parts.size(); ++n) {
      const LoopAccount::TermPart& part = account.parts[n];
      if (part.phase != k) continue;
      add_row("  " + part.name, fmt::format("{}, {}", info.name, part.name),
              over_ranks([n](const Rank& rank) { return rank.parts[n]; }));
    }
    communication_ += mean(exchanges) + (info.communication ? mean(phase) : 0.0);
  }
  waiting_ = over_ranks([](const Rank& rank) {
    double sum = 0.0;
    for (const double seconds : rank.waiting) sum += seconds;
    return sum;
  });
  add_row("other", "other", over_ranks([](const Rank& rank) { return rank.other; }));
  add_row("waiting for ranks", "waiting for ranks", waiting_);
  particles_ = over_ranks([](const Rank& rank) { return rank.particles; });
  ghosts_ = over_ranks([](const Rank& rank) { return rank.ghosts; });
}

std::string LoopReport::speed() const {
  const auto steps = static_cast<double>(account_.steps);
  const std::size_t ranks = account_.ranks.size();
  const double per_step = account_.steps > 0 ? account_.seconds / steps : 0.0;
  return fmt::format(
      "{} steps in {:.3f} s: {:.5g} steps/s, {:.4g} ns per particle and step on {} rank{}",
      account_.steps, account_.seconds, account_.steps > 0 ? steps / account_.seconds : 0.0,
      per_step / account_.particle_count * 1e9, ranks, ranks == 1 ? "" : "s");
}

std::string LoopReport::communication() const {
  const double communication = 100.0 * share(communication_);
  return account_.timing == Input::Output::Timing::synchronized
             ? fmt::format(
                   "communication: {:.1f}% of the time, waiting for ranks that compute: "
                   "{:.1f}%",
                   communication, 100.0 * share(mean(waiting_)))
             : fmt::format("communication and waiting: {:.1f}% of the time", communication);
}

std::vector<std::string> LoopReport::times() const {
  std::vector<std::string> lines{
      fmt::format("{:<18} {:>10} {:>10} {:>10} {:>8}", "time in s", "min", "avg", "max", "share")};
  for (const Row& row : rows_) {
    const double average = mean(row.seconds);
    lines.push_back(fmt::format("{:<18} {:>10.4f} {:>10.4f} {:>10.4f} {:>7.1f}%", row.label,
                                row.seconds.least, average, row.seconds.most,
                                100.0 * average / account_.seconds));
  }
  return lines;
}

std::vector<std::string> LoopReport::work() const {
  const auto rebuilds = static_cast<double>(std::max<std::int64_t>(account_.rebuilds, 1));
  std::vector<std::string> lines{fmt::format(
      "particles per rank {:.0f} to {:.0f}, ghosts {:.0f} to {:.0f}; {} list rebuilds, one every "
      "{:.1f} steps",
      particles_.least, particles_.most, ghosts_.least, ghosts_.most, account_.rebuilds,
      static_cast<double>(account_.steps) / rebuilds)};
  lines.insert(lines.end(), account_.balance.lines.begin(), account_.balance.lines.end());
  if (!account_.verdicts.empty()) lines.emplace_back("exchange methods:");
  for (const comm::Verdict& verdict : account_.verdicts) {
    lines.push_back(fmt::format("  {}: {}", verdict.exchange, verdict.text));
  }
  return lines;
}

Json LoopReport::exchange_methods() const {
  Json methods = Json::array();
  for (std::size_t k = 0; k < account_.verdicts.size(); ++k) {
    const comm::Verdict& verdict = account_.verdicts[k];
    const auto of_busiest = [&](const auto& count) {
      return over_ranks([&](const LoopAccount::Rank& rank) {
               return static_cast<double>(count(rank.sent[k]));
             })
          .most;
    };
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
    methods.push_back(
        {{"exchange", verdict.exchange},
         {"method", verdict.method},
         {"reason", verdict.text},
         {"rounds", verdict.rounds},
         {"median_us", verdict.median_us},
         {"bytes_sent", verdict.bytes_sent},
         {"messages_sent", verdict.messages_sent},
         {"busiest_bytes_sent", of_busiest([](const auto& sent) { return sent.first; })},
         {"busiest_messages_sent", of_busiest([](const auto& sent) { return sent.second; })},
         {"times_decided", verdict.times_decided},
         {"candidates", candidates}});
  }
  return methods;
}

void LoopReport::add_tables_of_ranks(Json& log) const {
  std::vector<std::string> names;
  std::vector<bool> is_communication;
  const auto add = [&](std::string name, bool communication) {
    names.push_back(std::move(name));
    is_communication.push_back(communication);
  };
  for (const PhaseInfo& info : account_.phases) {
    add(info.name, info.communication);
    add(info.name + ", exchanges", true);
  }
  add("other", false);
  add("waiting for ranks", true);
  std::vector<RankAccount> accounts;
  for (const LoopAccount::Rank& rank : account_.ranks) {
    RankAccount& account = accounts.emplace_back();
    account.communication = is_communication;
    double waiting = 0.0;
    for (std::size_t k = 0; k < account_.phases.size(); ++k) {
      account.seconds.push_back(rank.phases[k]);
      account.seconds.push_back(rank.exchanges[k]);
      waiting += rank.waiting[k];
    }
    account.seconds.insert(account.seconds.end(), {rank.other, waiting});
    account.particles = rank.particles;
    account.ghosts = rank.ghosts;
    account.sent = rank.sent_to;
  }
  log["by_rank"] = times_by_rank(accounts, names);
  if (auto traffic = traffic_between_ranks(accounts); !traffic.is_null()) {
    log["traffic"] = std::move(traffic);
  }
  if (!account_.regions.is_null()) log["regions"] = account_.regions;
}

void LoopReport::add_to(Json& log) const {
  const auto in_words = [this](const Spread& spread) -> Json {
    return {{"min", spread.least}, {"avg", mean(spread)}, {"max", spread.most}};
  };
  Json phases;
  for (const Row& row : rows_) phases[row.name] = in_words(row.seconds);
  if (!account_.balance.lines.empty()) log["balance"] = account_.balance.values;
  log["steps"] = account_.steps;
  log["seconds"] = account_.seconds;
  log["mode"] = choice_name(account_.timing);
  log["phases"] = phases;
  log["communication_share"] = share(communication_);
  if (account_.timing == Input::Output::Timing::synchronized) {
    Json waiting;
    for (std::size_t k = 0; k < account_.phases.size(); ++k) {
      const Spread spread =
          over_ranks([k](const LoopAccount::Rank& rank) { return rank.waiting[k]; });
      if (spread.most >= shortest_row) waiting[account_.phases[k].name] = in_words(spread);
    }
    log["waiting_share"] = share(mean(waiting_));
    log["waiting"] = waiting;
  }
  log["rebuilds"] = account_.rebuilds;
  log["methods"] = exchange_methods();
  add_tables_of_ranks(log);
}

}  // namespace sterna::md

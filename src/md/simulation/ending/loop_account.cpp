#include "md/simulation/ending/loop_account.hpp"

#include <algorithm>

#include "md/simulation/ending/rank_tables.hpp"
#include "sterna/comm/collective.hpp"

namespace sterna::md {

namespace {

Json to_json(const LoopAccount::Rank& rank) {
  Json sent = Json::array(), sent_to = Json::array();
  for (const auto& [bytes, messages] : rank.sent) sent.push_back({bytes, messages});
  for (const comm::SentToRank& to : rank.sent_to) {
    sent_to.push_back({to.rank, to.bytes, to.messages});
  }
  return {{"phases", rank.phases},   {"exchanges", rank.exchanges},
          {"waiting", rank.waiting}, {"parts", rank.parts},
          {"other", rank.other},     {"particles", rank.particles},
          {"ghosts", rank.ghosts},   {"sent", sent},
          {"sent_to", sent_to}};
}

LoopAccount::Rank from_json(const Json& json) {
  LoopAccount::Rank rank;
  rank.phases = json["phases"].get<std::vector<double>>();
  rank.exchanges = json["exchanges"].get<std::vector<double>>();
  rank.waiting = json["waiting"].get<std::vector<double>>();
  rank.parts = json["parts"].get<std::vector<double>>();
  rank.other = json["other"].get<double>();
  rank.particles = json["particles"].get<double>();
  rank.ghosts = json["ghosts"].get<double>();
  for (const Json& sent : json["sent"]) {
    rank.sent.emplace_back(sent[0].get<std::size_t>(), sent[1].get<std::size_t>());
  }
  for (const Json& to : json["sent_to"]) {
    rank.sent_to.push_back({to[0].get<int>(), to[1].get<std::size_t>(), to[2].get<std::size_t>()});
  }
  return rank;
}

}  // namespace

LoopAccount gather_loop_account(const LoopSources& sources) {
  const PhaseTimer& timer = sources.timer;
  LoopAccount account;
  account.steps = sources.steps;
  account.seconds = sources.seconds;
  account.particle_count = static_cast<double>(sources.particle_count);
  account.rebuilds = sources.rebuilds;
  account.timing = sources.timing_of_loop;

  std::vector<Phase> order;
  for (std::size_t k = 0; k < timer.phase_count(); ++k) order.push_back(static_cast<Phase>(k));
  std::stable_partition(order.begin(), order.end(),
                        [&](Phase phase) { return timer.is_term(phase); });
  LoopAccount::Rank mine;
  double measured = 0.0;
  for (const Phase phase : order) {
    account.phases.push_back(timer.info(phase));
    account.phase_is_term.push_back(timer.is_term(phase));
    measured += timer.seconds(phase);
    // The exchanges within a computing phase have a row of their own.
    const double within = timer.info(phase).communication ? 0.0 : timer.communication(phase);
    mine.phases.push_back(timer.seconds(phase) - timer.waiting(phase) - within);
    mine.exchanges.push_back(within);
    mine.waiting.push_back(timer.waiting(phase));
  }
  for (const ForceTerm* term : sources.engine.terms()) {
    for (const ForceTerm::Part& part : term->parts()) {
      for (std::size_t k = 0; k < order.size(); ++k) {
        if (!account.phase_is_term[k] || account.phases[k].name != term->name()) continue;
        account.parts.push_back({k, std::string(part.name)});
        mine.parts.push_back(part.seconds);
      }
    }
  }
  mine.other = std::max(0.0, sources.seconds - measured);
  mine.particles = static_cast<double>(sources.particles.local_count());
  mine.ghosts = static_cast<double>(sources.particles.ghost_count());

  account.verdicts = sources.engine.verdicts();
  if (const auto moved = sources.balancer.verdict()) account.verdicts.push_back(*moved);
  for (const comm::Verdict& verdict : account.verdicts) {
    mine.sent.emplace_back(verdict.bytes_sent, verdict.messages_sent);
    comm::add_sent(mine.sent_to, verdict.sent);
  }
  account.balance = sources.balancer.summary(sources.step);
  account.regions = regions_of_ranks(sources.balancer.decomposition());
  for (const std::string& text : comm::gather(sources.context, 0, json_text(to_json(mine)))) {
    account.ranks.push_back(from_json(parse_json(text)));
  }
  return account;
}

}  // namespace sterna::md

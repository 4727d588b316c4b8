#include "comm/tune/tuner.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <memory>
#include <utility>

#include "comm/context/context_implementation.hpp"
#include "comm/context/mpi_error.hpp"
#include "comm/context/waiter.hpp"
#include "comm/tune/evidence_store.hpp"
#include "sterna/comm/collective.hpp"

namespace sterna::comm {
namespace {

constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

/// A method that was slower than the best by this factor, in an earlier run on the same class of
/// pattern, does not run again.
constexpr double stored_drop_above = 1.3;
/// The same factor if only the model says so, once it is based on this many measurements of earlier
/// runs.
constexpr double predicted_drop_above = 5.0;
constexpr std::size_t enough_evidence = 10;
/// The previous race may have cost this part of the time since then; a new race begins only after
/// that.
constexpr double largest_loss_before_next = 0.02;
/// The shortest believable time of a round in us; a clock that shows less is not precise enough.
constexpr double shortest_round = 0.05;
/// The number of slower methods that the verdict's text names.
constexpr std::size_t named_in_text = 4;

/// Returns earlier measurements of the family, of exchanges and runs, for the model.
std::vector<Measured> measured_before(const TunerSetting& setting) {
  std::vector<Measured> measured;
  if (!setting.context.implementation().options.tuning.reuse) return measured;
  for (const StoredEvidence& e : stored_evidence(setting.context)) {
    if (e.family != setting.family) continue;
    for (const Candidate& candidate : setting.candidates) {
      const auto found = e.us.find(std::string(candidate.name));
      if (found != e.us.end()) measured.push_back({candidate.cost(e.shape), found->second});
    }
  }
  return measured;
}

}  // namespace

std::size_t expected_best(const TunerSetting& setting, const PatternShape& shape) {
  const CostModel model = CostModel::fit(measured_before(setting));
  std::size_t best = setting.usual;
  double best_us = model.predict(setting.candidates[best].cost(shape));
  for (std::size_t i = 0; i < setting.candidates.size(); ++i) {
    if (!setting.candidates[i].why_not.empty()) continue;
    const double us = model.predict(setting.candidates[i].cost(shape));
    if (us >= best_us) continue;
    best = i;
    best_us = us;
  }
  // Rank 0 decides, because processors of different kinds may round the model's logarithms
  // differently.
  std::string said(1, static_cast<char>(best));
  broadcast(setting.context, 0, said);
  return static_cast<std::size_t>(said.front());
}

Tuner::Tuner(TunerSetting setting)
    : setting_(std::move(setting)),
      records_(setting_.candidates.size()),
      live_{setting_.usual},
      chosen_(setting_.usual),
      made_(std::chrono::steady_clock::now()),
      next_agreement_(setting_.rules.rounds_before) {
  for (std::size_t i = 0; i < records_.size(); ++i) {
    records_[i].why = setting_.candidates[i].why_not;
    if (records_[i].why.empty()) {
      ++usable_;
    } else {
      records_[i].state = State::unavailable;
    }
  }
  if (usable_ == 1) {
    next_agreement_ = never;
    setting_.usual_reason = "the only method that works here";
  }
}

void Tuner::agree() {
  if (race_) {
    const std::vector<double> largest = agree_on(race_->medians()).times;
    race_->decide(largest);
    live_.clear();
    for (const Race::Entrant& e : race_->entrants()) live_.push_back(e.candidate);
    next_agreement_ = never;  // no agreement until the next stage has ended
    if (race_->over()) {
      settle(race_->winner(decided_ ? chosen_ : records_.size()));
    } else {
      stage_begins_ =
          round_that_earns(race_->lost_us() + race_->next_loss_us(), race_->leader_us());
    }
  } else if (decided_) {
    look_for_drift();
  } else {
    choose_first_time();
  }
}

void Tuner::note(double us, const Traffic& traffic) {
  traffic_.messages += traffic.messages;
  traffic_.off_node += traffic.off_node;
  traffic_.bytes += traffic.bytes;
  ++traffic_rounds_;
  if (race_ && !resting()) {
    race_->note(us);
    if (race_->stage_is_over()) next_agreement_ = rounds_ + 1;
  } else if (worth_timing(rounds_)) {
    window_.add(us);
  }
  ++rounds_;
}

void Tuner::exclude(std::size_t candidate, const std::string& reason) {
  records_[candidate].state = State::failed;
  records_[candidate].why = reason;
  std::erase(live_, candidate);
  race_->remove(candidate);
  if (race_->over()) settle(race_->winner(records_.size()));
}

Tuner::Agreed Tuner::agree_on(std::vector<double> mine) {
  const std::size_t times = mine.size();
  const double rounds = static_cast<double>(std::max<std::uint64_t>(1, traffic_rounds_));
  const auto messages = static_cast<double>(traffic_.messages);
  mine.push_back(messages / rounds);
  mine.push_back(static_cast<double>(traffic_.bytes) / rounds);
  mine.push_back(messages > 0.0 ? static_cast<double>(traffic_.off_node) / messages : 0.0);
  mine.push_back(setting_.possible_sources);
  const std::chrono::duration<double, std::micro> since = std::chrono::steady_clock::now() - made_;
  mine.push_back(since.count() / static_cast<double>(std::max<std::uint64_t>(1, rounds_)));
  Context::Implementation& context = setting_.context.implementation();
  std::vector<double> largest(mine.size());
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Iallreduce(mine.data(), largest.data(), static_cast<int>(mine.size()), MPI_DOUBLE,
                           MPI_MAX, context.communicator, &request),
            setting_.exchange_name);
  wait_for_request(context, request, setting_.exchange_name, "auto (agreement on the method)",
                   rounds_);
  traffic_ = {};
  traffic_rounds_ = 0;
  const std::span shape(largest.data() + times, 4);
  program_us_ = largest.back();
  return {{setting_.context.size(), most_ranks_on_a_node(setting_.context), shape[0], shape[1],
           shape[2], shape[3]},
          {largest.begin(), largest.begin() + static_cast<std::ptrdiff_t>(times)}};
}

std::uint64_t Tuner::round_that_earns(double lost_us, double us) const {
  const double part = setting_.rules.largest_loss;
  if (part <= 0.0 || setting_.context.implementation().race_at_once) return 0;
  return static_cast<std::uint64_t>(lost_us / (part * worth_of_round(us)));
}

double Tuner::worth_of_round(double us) const {
  return std::max({us, shortest_round, setting_.rules.part_of_program * program_us_});
}

void Tuner::remember() {
  StoredEvidence evidence;
  evidence.family = setting_.family;
  evidence.shape = shape_;
  evidence.chosen = setting_.candidates[chosen_].name;
  for (std::size_t i = 0; i < records_.size(); ++i) {
    if (records_[i].us > 0.0) {
      evidence.us[std::string(setting_.candidates[i].name)] = records_[i].us;
    }
  }
  keep_evidence(setting_.context, std::move(evidence));
}

void Tuner::choose_first_time() {
  const Agreed now = agree_on({window_.median()});
  window_.clear();
  shape_ = now.shape;
  std::vector<std::size_t> entrants = find_entrants(true);
  const bool known =
      std::ranges::all_of(entrants, [&](std::size_t i) { return records_[i].stored; });
  const std::size_t best =
      *std::ranges::min_element(entrants, {}, [&](std::size_t i) { return records_[i].us; });
  const double us = std::max(now.times[0], shortest_round);
  auto rounds = static_cast<std::uint64_t>(setting_.rules.race_us / worth_of_round(us));
  if (!known) {
    // Nothing is known of the first stage, so its loss is estimated as if all methods took part,
    // each for twice as long as the usual one. (All methods that work: the ranks have not agreed
    // yet on those that the model leaves out.)
    const Race race(std::vector<std::size_t>(usable_), setting_.rules.race);
    rounds = std::max(rounds, round_that_earns(race.stage_rounds() * us, us));
  }
  if (known && best == chosen_) {
    settle(best);
  } else if (!postponed_ && rounds > rounds_ && !setting_.context.implementation().race_at_once) {
    postponed_ = true;
    next_agreement_ = rounds;
    for (Record& r : records_) {
      if (r.state != State::unavailable && r.state != State::failed) r = {};
    }
  } else if (known) {
    settle(best);
  } else {
    open_race(std::move(entrants));
  }
}

std::vector<std::size_t> Tuner::find_entrants(bool use_stored_choice) {
  std::vector<std::size_t> entrants;
  for (std::size_t i = 0; i < records_.size(); ++i) {
    if (records_[i].state == State::unavailable || records_[i].state == State::failed) continue;
    records_[i] = {};
    entrants.push_back(i);
  }

  stored_.clear();
  double best_stored = std::numeric_limits<double>::infinity();
  const bool reuse = setting_.context.implementation().options.tuning.reuse;
  for (const StoredEvidence& e : stored_evidence(setting_.context)) {
    if (!reuse || e.family != setting_.family) continue;
    const bool same = use_stored_choice && pattern_class(e.shape) == pattern_class(shape_);
    for (const std::size_t i : entrants) {
      const auto found = e.us.find(std::string(setting_.candidates[i].name));
      if (found == e.us.end()) continue;
      stored_.push_back({setting_.candidates[i].cost(e.shape), found->second});
      if (!same) continue;
      records_[i].us = found->second;
      records_[i].stored = true;
      best_stored = std::min(best_stored, found->second);
    }
  }
  model_ = CostModel::fit(stored_);
  double best_model = std::numeric_limits<double>::infinity();
  for (const std::size_t i : entrants) {
    records_[i].model_us = model_.predict(setting_.candidates[i].cost(shape_));
    best_model = std::min(best_model, records_[i].model_us);
  }
  std::erase_if(entrants, [&](std::size_t i) {
    Record& r = records_[i];
    if (r.stored) {
      r.state = State::slower;
      return r.us > stored_drop_above * best_stored;
    }
    if (i == chosen_ || !use_stored_choice || stored_.size() < enough_evidence) return false;
    if (r.model_us <= predicted_drop_above * best_model) return false;
    r.state = State::unlikely;
    return true;
  });
  return entrants;
}

void Tuner::open_race(std::vector<std::size_t> entrants) {
  const auto expected = [&](std::size_t i) {
    return records_[i].stored ? records_[i].us : records_[i].model_us;
  };
  std::ranges::stable_sort(entrants, {}, expected);
  // Rank 0 decides which methods run. The model must not decide on each rank, since processors of
  // different kinds may round its exponential functions differently.
  std::string said(entrants.begin(), entrants.end());
  broadcast(setting_.context, 0, said);
  entrants.assign(said.begin(), said.end());

  live_ = entrants;
  next_agreement_ = never;
  stage_begins_ = 0;
  race_.emplace(entrants, setting_.rules.race);
  if (race_->over()) settle(entrants.front());
}

void Tuner::settle(std::size_t winner) {
  lost_us_ = 0.0;
  std::vector<Race::Entrant> ran;
  if (race_) {
    ran.assign(race_->dropped().begin(), race_->dropped().end());
    ran.insert(ran.end(), race_->entrants().begin(), race_->entrants().end());
    std::erase_if(ran, [](const Race::Entrant& e) { return e.us <= 0.0; });
  }
  for (const Race::Entrant& e : ran) {
    records_[e.candidate].state = State::slower;
    records_[e.candidate].us = e.us;
    records_[e.candidate].stored = false;
    records_[e.candidate].rounds = e.times.count();
    records_[e.candidate].outliers = e.times.outliers();
  }
  race_.reset();
  chosen_ = winner;
  records_[winner].state = State::chosen;
  for (const Record& r : records_) {
    lost_us_ += static_cast<double>(r.rounds) * std::max(0.0, r.us - records_[winner].us);
  }
  live_ = {winner};
  decided_ = true;
  ++times_decided_;
  decided_at_ = rounds_;
  next_agreement_ = rounds_ + setting_.rules.rounds_between_looks;
  window_.clear();
  // A time that an earlier run measured is the reference for drift, so it must prove true here.
  // After a race of this run the first look becomes the reference, because the winner now runs
  // alone.
  drift_ =
      records_[winner].stored ? Drift({records_[winner].us, shape_.peers, shape_.bytes}) : Drift();
  fit_model();
  if (!ran.empty()) remember();
}

void Tuner::look_for_drift() {
  const Agreed now = agree_on({window_.median()});
  window_.clear();
  next_agreement_ = rounds_ + setting_.rules.rounds_between_looks;
  const std::string reason = drift_.look({now.times[0], now.shape.peers, now.shape.bytes});
  if (reason.empty()) return;
  const double since = static_cast<double>(rounds_ - decided_at_) * records_[chosen_].us;
  if (lost_us_ > largest_loss_before_next * since) return;
  drift_reason_ = reason;
  shape_ = now.shape;
  open_race(find_entrants(false));
}

void Tuner::fit_model() {
  std::vector<Measured> evidence = stored_;
  for (std::size_t i = 0; i < records_.size(); ++i) {
    if (records_[i].us <= 0.0 || records_[i].stored) continue;
    evidence.push_back({setting_.candidates[i].cost(shape_), records_[i].us});
  }
  model_ = CostModel::fit(evidence);
  for (std::size_t i = 0; i < records_.size(); ++i) {
    records_[i].model_us = model_.predict(setting_.candidates[i].cost(shape_));
  }
}

std::vector<std::size_t> Tuner::by_time() const {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < records_.size(); ++i) {
    if (i != chosen_ && records_[i].us > 0.0) order.push_back(i);
  }
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return records_[i].us; });
  return order;
}

MethodEvidence Tuner::evidence_of(std::size_t candidate) const {
  const auto& candidates = setting_.candidates;
  const Record& r = records_[candidate];
  MethodEvidence evidence{
      std::string(candidates[candidate].name), {}, r.us, r.model_us, r.rounds, r.outliers, r.why};
  switch (r.state) {
    case State::unavailable:
      evidence.state = "unavailable";
      break;
    case State::failed:
      evidence.state = "failed";
      break;
    case State::not_run:
      evidence.state = "not measured";
      break;
    case State::unlikely:
      evidence.state = "not measured";
      evidence.why = fmt::format("the model expects {:.1f} us", r.model_us);
      break;
    case State::slower:
      evidence.state = "slower";
      evidence.why =
          model_.reason(candidates[candidate].cost(shape_), candidates[chosen_].cost(shape_));
      break;
    case State::chosen:
      evidence.state = "chosen";
      break;
  }
  return evidence;
}

void Tuner::explain_race(Verdict& verdict) const {
  const auto& candidates = setting_.candidates;
  std::vector<Race::Entrant> order(race_->entrants().begin(), race_->entrants().end());
  std::ranges::stable_sort(order, {}, &Race::Entrant::us);
  verdict.method = candidates[order.front().candidate].name;
  verdict.text = fmt::format("auto: still measuring {} methods", order.size());
  for (const Race::Entrant& e : order) {
    if (e.us <= 0.0) continue;  // the first stage has not ended
    verdict.text += fmt::format("{} {} {:.1f} us", &e == &order.front() ? ":" : ",",
                                candidates[e.candidate].name, e.us);
  }
}

void Tuner::explain(Verdict& verdict) const {
  const auto& candidates = setting_.candidates;
  verdict.method = candidates[chosen_].name;
  verdict.times_decided = times_decided_;
  for (std::size_t i = 0; i < records_.size(); ++i) verdict.candidates.push_back(evidence_of(i));
  if (race_) return explain_race(verdict);
  if (!decided_) {
    verdict.text = fmt::format(
        "{} {:.1f} us (auto: {}; not measured{})", verdict.method, verdict.median_us,
        setting_.usual_reason,
        next_agreement_ == never
            ? std::string()
            : fmt::format(", which begins in round {} at the earliest", next_agreement_ + 1));
    return;
  }
  const Record& best = records_[chosen_];
  verdict.text = fmt::format("{} {:.1f} us (model {:.1f}{})", verdict.method, best.us,
                             best.model_us, best.stored ? ", measured before" : "");
  const std::vector<std::size_t> order = by_time();
  for (std::size_t k = 0; k < std::min(order.size(), named_in_text); ++k) {
    const std::string& why = verdict.candidates[order[k]].why;
    verdict.text += fmt::format("; {} {:.1f} us", candidates[order[k]].name, records_[order[k]].us);
    // If the model finds no reason, the text says so.
    verdict.text += why.empty() ? std::string(", for no reason that the model knows") : ": " + why;
  }
  if (order.size() > named_in_text) {
    verdict.text += fmt::format("; {} more are slower", order.size() - named_in_text);
  }
  if (!drift_reason_.empty()) {
    verdict.text += fmt::format("; chosen again in round {}: {}", decided_at_ + 1, drift_reason_);
  }
}

}  // namespace sterna::comm

// The files of a run with replicas, and how it goes on after its end.

#include "md/replicas/replica_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>

#include "md/core/agreement.hpp"
#include "md/core/file_error.hpp"
#include "md/core/random.hpp"
#include "md/ensemble/replica_files.hpp"
#include "md/ensemble/state_sections.hpp"
#include "md/ensemble/states_from_input.hpp"
#include "md/input/diagnostics.hpp"
#include "md/input/overwritten_inputs.hpp"
#include "md/input/read_input.hpp"
#include "md/input/run_files.hpp"
#include "md/output/atomic_file.hpp"
#include "md/output/checkpoint_file.hpp"
#include "sterna/comm/collective.hpp"
#include "sterna/comm/reduction_batch.hpp"
#include "sterna/version.hpp"

namespace sterna::md {
namespace {

constexpr int set_format = 1;

std::string text_of_set(const std::string& path) {
  const RawFile file(path, RawFile::Mode::read);
  std::string text(file.size(), '\0');
  file.read_at(0, std::as_writable_bytes(std::span(text)));
  return text;
}

/// Replaces a file by a whole one at once.
void replace_file(const std::string& path, std::string_view text) {
  const std::string unfinished = path + ".new";
  RawFile file(unfinished, RawFile::Mode::create);
  file.write_at(0, std::as_bytes(std::span(text.data(), text.size())));
  file.sync();
  file.close();
  rename_file(unfinished, path);
  sync_directory_of(path);
}

std::vector<std::size_t> first_states(const Input& input) {
  std::vector<std::size_t> states;
  for (std::size_t replica = 0; replica < count_of_replicas(input); ++replica) {
    states.push_back(first_state_of(input, replica));
  }
  return states;
}

/// Of what is there for as long as there are numbers: NAME.state-0, NAME.state-1 ...
template <class Stem, class Work>
void for_present(std::size_t least, const Stem& stem, const Work& work) {
  for (std::size_t number = 0;; ++number) {
    const std::string of = stem(number);
    if (number >= least && present_run_files(of).empty()) return;
    work(of);
  }
}

}  // namespace

ReplicaRecord::ReplicaRecord(const comm::Context& world, const Input& input,
                             const SimulationOptions& options, Console& console)
    : world_(world),
      input_(input),
      options_(options),
      console_(console),
      stem_(output_stem(input)),
      states_(input.tables<StateSection>().size()),
      state_of_(first_states(input)),
      is_alchemical_(states_are_alchemical(input)),
      statistics_(states_, state_of_),
      energies_(input) {
  if (const auto& section = input.section<ReplicasSection>(); section.are_expanded()) {
    weights_.emplace(states_, section.weights);
  }
  on_first_rank(world_, [&] {
    if (const auto errors = overwritten_inputs(input_); !errors.empty()) {
      throw FileError(render(errors));
    }
    std::filesystem::create_directories(input_.output.directory);
    lock_ = OutputLock(stem_ + ".lock");
  });
  if (options_.resume) find_set();
  if (turn_ < 0) clear_for_new_run();
}

ReplicaPlace ReplicaRecord::place() const {
  ReplicaPlace place;
  if (turn_ >= 0) place = {.turn = turn_, .step = step_};
  return place;
}

Json ReplicaRecord::states_as_text() const {
  Json states = Json::array();
  for (std::size_t number = 0; number < states_; ++number) {
    const RunState state = run_state(input_, number);
    Json one = {{"temperature", exact_text(state.temperature.value_or(0.0))}};
    if (state.pressure) one["pressure"] = exact_text(*state.pressure);
    for (const auto& [name, value] : state.parameters) one[name] = exact_text(value);
    states.push_back(std::move(one));
  }
  return states;
}

void ReplicaRecord::find_set() {
  const std::string path = stem_ + std::string(replica_files::set);
  std::string found;
  on_first_rank(world_, [&] {
    if (!file_exists(path)) return;
    found = text_of_set(path);
    const Json set = parse_if_json(found);
    if (!set.is_object() || set.value("format", 0) != set_format) {
      throw FileError(fmt::format(
          "{}: is no list of checkpoints of replicas of this version, so nothing was changed; "
          "without --resume the run starts anew and keeps the files as backups",
          path));
    }
    if (set.at("states") != states_as_text()) {
      throw FileError(
          fmt::format("{}: the run had other states, so nothing was changed; put the [[state]]s "
                      "back, or start anew without --resume",
                      path));
    }
    try {
      take(set);
    } catch (const Json::exception& error) {
      throw FileError(
          fmt::format("{}: is damaged ({}), so nothing was changed", path, error.what()));
    }
  });
  comm::broadcast(world_, 0, found);
  if (found.empty()) {
    console_.line(fmt::format("no checkpoints of {}: starting anew", stem_));
    return;
  }
  take(parse_json(found));
  if (is_complete()) {
    console_.line(
        fmt::format("{}: step {} of {} is done, nothing is left to do; to go on, give "
                    "more \"steps\" in [run], or with --steps",
                    path, step_, input_.run.steps));
  } else {
    console_.line(fmt::format("resuming {} replicas at step {}", count(), step_));
  }
}

void ReplicaRecord::take(const Json& set) {
  set.at("step").get_to(step_);
  set.at("turn").get_to(turn_);
  std::vector<std::size_t> state_of;
  set.at("state_of").get_to(state_of);
  std::vector<std::size_t> numbers(states_);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  const bool are_states =
      weights_
          ? state_of.size() == count() &&
                std::ranges::all_of(state_of, [&](std::size_t of) { return of < states_; })
          : std::is_permutation(state_of.begin(), state_of.end(), numbers.begin(), numbers.end());
  if (!are_states || set.contains("weights") != weights_.has_value()) {
    throw FileError(fmt::format("{}{}: {}, so nothing was changed", stem_, replica_files::set,
                                weights_ ? "is not of so many walkers of an expanded ensemble"
                                         : "\"state_of\" has not each state once"));
  }
  state_of_ = std::move(state_of);
  statistics_.restore(set.at("statistics"));
  if (weights_) weights_->restore(set.at("weights"));
  sizes_ = set.at("sizes");
  checkpoint_step_ = step_;
}

void ReplicaRecord::clear_for_new_run() {
  on_first_rank(world_, [&] {
    const auto clear = [&](const std::string& stem) {
      options_.overwrite ? remove_run_files(stem) : static_cast<void>(back_up_run_files(stem));
    };
    // The list of checkpoints comes first, so that no later run takes what is left for a whole.
    clear(stem_);
    for_present(
        states_, [&](std::size_t k) { return replica_files::of_state(stem_, k); }, clear);
    for (const int turn : {0, 1}) {
      for_present(
          count(), [&](std::size_t k) { return replica_files::of_checkpoint(stem_, k, turn); },
          clear);
    }
    for_present(
        count(), [&](std::size_t k) { return replica_files::of_replica(stem_, k); }, clear);
  });
}

void ReplicaRecord::open() {
  on_first_rank(world_, [&] {
    const std::string log_path = stem_ + std::string(replica_files::log);
    if (turn_ < 0) {
      log_ = std::make_unique<GrowingFile>(log_path, std::string_view());
      energies_.create();
    } else {
      log_ = std::make_unique<GrowingFile>(log_path, sizes_.at("log").get<std::uint64_t>());
      energies_.reopen(sizes_.at("energies"));
    }
    Json states = Json::array();
    for (std::size_t state = 0; state < states_; ++state) {
      const RunState of = run_state(input_, state);
      Json one = {{"temperature", input_.units.from_internal(temperature_of_state(input_, state),
                                                             Dimension::temperature)}};
      if (of.pressure) {
        one["pressure"] = input_.units.from_internal(*of.pressure, Dimension::pressure);
      }
      if (is_alchemical_) one["alchemical_state"] = alchemical_state_of(input_, state);
      states.push_back(std::move(one));
    }
    Json start = {{"event", "start"},
                  {"program", fmt::format("sterna {}", version)},
                  {"step", step_},
                  {"states", states},
                  {"ranks", world_.size()}};
    if (turn_ >= 0) start["resumed_from"] = step_;
    log(start);
  });
}

void ReplicaRecord::log(const Json& line) {
  log_->append(json_text(line) + "\n");
}

void ReplicaRecord::write_energies(const MeetingData& met, double time) {
  on_first_rank(world_, [&] { energies_.write(met, state_of_, time); });
}

const std::vector<std::size_t>& ReplicaRecord::exchange(const Exchanger& exchanger,
                                                        const MeetingData& met, double waited) {
  waited_ += waited;
  std::string told;
  on_first_rank(world_, [&] {
    const std::vector<std::size_t> before = state_of_;
    const auto attempts = exchanger.exchange(met.reduced, step_, statistics_.count(), state_of_);
    if (weights_) jump(met.reduced);
    statistics_.add(attempts, before, state_of_);
    Json line = {{"event", "exchange"}, {"step", step_}, {"states", before}};
    Json energies = Json::array(), volumes = Json::array();
    for (std::size_t replica = 0; replica < count(); ++replica) {
      const double length = input_.units.from_internal(1.0, Dimension::length);
      energies.push_back(
          input_.units.from_internal(met.potential_energies[replica], Dimension::energy));
      volumes.push_back(met.volumes[replica] * length * length * length);
    }
    line["potential_energy"] = std::move(energies);
    line["volume"] = std::move(volumes);
    // Gibbs sampling has so many attempts that only what they come to is told.
    if (input_.section<ReplicasSection>().exchange == ReplicasSection::Exchange::neighbors) {
      Json all = Json::array();
      for (const ExchangeAttempt& attempt : attempts) {
        all.push_back({{"states", attempt.states},
                       {"delta", attempt.delta},
                       {"random", attempt.random},
                       {"accepted", attempt.accepted}});
      }
      line["attempts"] = std::move(all);
    }
    line["next_states"] = state_of_;
    if (weights_) {
      line["weights"] = weights_->values();
      line["settled"] = weights_->are_settled();
    }
    log(line);
    told = json_text(Json(state_of_));
  });
  comm::broadcast(world_, 0, told);
  parse_json(told).get_to(state_of_);
  return state_of_;
}

void ReplicaRecord::jump(const ReducedEnergies& energies) {
  // The id of a sequence is the walker; no pairs of states are exchanged in this kind of run.
  const RandomStream stream(input_.run.seed, RandomPurpose::exchange);
  for (std::size_t replica = 0; replica < count(); ++replica) {
    RandomSequence random = stream.sequence(replica, static_cast<std::uint64_t>(step_));
    state_of_[replica] = weights_->jump(energies[replica], random.uniform());
  }
}

Json ReplicaRecord::set() const {
  Json set = {{"format", set_format},
              {"program", fmt::format("sterna {}", version)},
              {"step", step_},
              {"turn", turn_},
              {"state_of", state_of_},
              {"states", states_as_text()},
              {"statistics", statistics_.state()},
              {"sizes", {{"log", log_->bytes()}, {"energies", energies_.sizes()}}}};
  if (weights_) set["weights"] = weights_->state();
  return set;
}

void ReplicaRecord::commit(int turn) {
  turn_ = turn;
  checkpoint_step_ = step_;
  on_first_rank(world_, [&] {
    log_->sync();
    energies_.sync();
    replace_file(stem_ + std::string(replica_files::set), json_text(set(), 1) + "\n");
  });
}

std::string ReplicaRecord::state_text(std::size_t state) const {
  std::string text = input_.units.text(temperature_of_state(input_, state), Dimension::temperature);
  if (const auto pressure = pressure_of_state(input_, state)) {
    text += ", " + input_.units.text(*pressure, Dimension::pressure);
  }
  if (is_alchemical_) {
    text += fmt::format(", alchemical state {}", alchemical_state_of(input_, state));
  }
  return text;
}

void ReplicaRecord::report_weights() const {
  console_.line(
      fmt::format("\n{} draws of states", count() * static_cast<std::size_t>(statistics_.count())));
  console_.line("  state  weight (kT)    visits  at");
  for (std::size_t k = 0; k < states_; ++k) {
    console_.line(fmt::format("  {:5}  {:11.4f}  {:8}  {}", k, weights_->values()[k],
                              weights_->visits()[k], state_text(k)));
  }
}

std::vector<std::string> ReplicaRecord::complaints() const {
  if (weights_ && !weights_->are_settled()) {
    return {
        "the weights have not settled: not all states were visited alike, so that the free "
        "energies of weights are wrong; run on, or put states between those that overlap little"};
  }
  constexpr std::int64_t enough = 20;  // attempts that tell a poor overlap from chance
  constexpr double poor = 0.1;
  std::vector<std::string> lines;
  for (std::size_t k = 0; k < statistics_.pairs().size(); ++k) {
    const ExchangeStatistics::Pair& pair = statistics_.pairs()[k];
    if (pair.attempts < enough || pair.ratio() >= poor) continue;
    lines.push_back(fmt::format(
        "states {} and {} overlap little: {:.2g} of {} attempts to exchange them were accepted, "
        "and 0.2 to 0.4 mix best; put a state between them, or bring them nearer",
        k, k + 1, pair.ratio(), pair.attempts));
  }
  return lines;
}

void ReplicaRecord::report_pairs() const {
  console_.line(fmt::format("\n{} attempts to exchange states", statistics_.count()));
  console_.line("  states    accepted  of  between");
  for (std::size_t k = 0; k < statistics_.pairs().size(); ++k) {
    const ExchangeStatistics::Pair& pair = statistics_.pairs()[k];
    console_.line(fmt::format("  {} - {}   {:8.3f}  {}  {} and {}", k, k + 1, pair.ratio(),
                              pair.attempts, state_text(k), state_text(k + 1)));
  }
}

void ReplicaRecord::report_mixing() const {
  const auto& trips = statistics_.round_trips();
  console_.line(fmt::format("round trips of replicas through all states: {}",
                            std::accumulate(trips.begin(), trips.end(), std::int64_t{0})));
  console_.line(
      fmt::format("second eigenvalue of the transition matrix: {:.4f} (1: states do not mix)",
                  statistics_.second_eigenvalue()));
  console_.line(
      "averages of a replica are over all states that it has visited: rows of its log say in "
      "which \"state\" they are");
}

void ReplicaRecord::report_files() const {
  console_.line("\nfiles of this run:");
  const auto list = [&](const std::string& stem) {
    for (const std::string& file : present_run_files(stem)) console_.line("  " + file);
  };
  list(stem_);
  for (std::size_t k = 0; k < states_; ++k) list(replica_files::of_state(stem_, k));
  for (std::size_t k = 0; k < count(); ++k) list(replica_files::of_replica(stem_, k));
}

Json ReplicaRecord::last_line(double longest_wait) const {
  Json pairs = Json::array();
  for (std::size_t k = 0; !weights_ && k < statistics_.pairs().size(); ++k) {
    const ExchangeStatistics::Pair& pair = statistics_.pairs()[k];
    pairs.push_back({{"states", {k, k + 1}},
                     {"attempts", pair.attempts},
                     {"accepted", pair.accepted},
                     {"acceptance", pair.ratio()}});
  }
  Json line = {{"event", "end"},
               {"step", step_},
               {"exchanges", statistics_.count()},
               {"pairs", pairs},
               {"round_trips", statistics_.round_trips()},
               {"transition_matrix", statistics_.transition_matrix()},
               {"second_eigenvalue", statistics_.second_eigenvalue()},
               {"longest_wait", longest_wait}};
  if (weights_) {
    line["weights"] = weights_->values();
    line["visits"] = weights_->visits();
    line["settled"] = weights_->are_settled();
  }
  return line;
}

void ReplicaRecord::finish() {
  double most = waited_;
  comm::ReductionBatch(world_, "waiting for replicas").max(most).run();
  on_first_rank(world_, [&] {
    const bool changes =
        input_.section<ReplicasSection>().exchange != ReplicasSection::Exchange::none;
    Json warnings = Json::array();
    if (weights_) {
      report_weights();
    } else if (changes) {
      report_pairs();
    }
    if (changes) {
      report_mixing();
      for (const std::string& line : complaints()) {
        console_.line("warning: " + line);
        warnings.push_back(line);
      }
    }
    Json end = last_line(most);
    end["warnings"] = std::move(warnings);
    log(end);
    log_->sync();
    energies_.sync();
    report_files();
  });
}

}  // namespace sterna::md

#include "md/replicas/replica_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "md/ensemble/state_sections.hpp"
#include "md/ensemble/states_from_input.hpp"
#include "md/replicas/replica_group.hpp"
#include "md/replicas/replica_record.hpp"
#include "md/simulation/files/console.hpp"
#include "md/simulation/signals.hpp"
#include "sterna/comm/collective.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {
namespace {

/// The steps of a run at which replicas meet.
struct Meetings {
  std::int64_t exchanges, energies, last;

  std::int64_t after(std::int64_t step) const {
    const auto next = [step](std::int64_t interval) { return (step / interval + 1) * interval; };
    return std::min({next(exchanges), next(energies), last});
  }
};

class ReplicaRun {
 public:
  ReplicaRun(const comm::Context& world, const Input& input, const SimulationOptions& options)
      : world_(world),
        input_(input),
        console_(world.rank() == 0 && !options.quiet, options.progress, input.units),
        meetings_{input.section<ReplicasSection>().interval,
                  input.section<ReplicasSection>().steps_between_energies(), input.run.steps},
        record_(world, input, options, console_),
        exchanger_(input.section<ReplicasSection>().exchange, input.run.seed) {
    if (record_.is_complete()) return;
    group_ = std::make_unique<ReplicaGroup>(world, input, options, record_.place());
    console_.line(fmt::format("{} replica{} on {} group{} of ranks ({} rank{})", record_.count(),
                              record_.count() == 1 ? "" : "s", group_->count(),
                              group_->count() == 1 ? "" : "s", world.size(),
                              world.size() == 1 ? "" : "s"));
    record_.open();
  }

  Outcome run() {
    if (record_.is_complete()) return Outcome::complete;
    const std::int64_t first = record_.step();
    last_checkpoint_ = Clock::now();
    while (record_.step() < meetings_.last) {
      const std::int64_t step = meetings_.after(record_.step());
      group_->run_to(step);
      for (const std::string& line : group_->take_warnings()) console_.line(line);
      if (meet(step) == Request::stop) return Outcome::interrupted;
      console_.progress(step, first, meetings_.last);
    }
    group_->finish();
    record_.finish();
    return Outcome::complete;
  }

 private:
  using Clock = std::chrono::steady_clock;

  /// Writes energies and exchanges states, where they are due at this step. Returns what signals
  /// have asked for and was done.
  Request meet(std::int64_t step) {
    const bool exchanges = step % meetings_.exchanges == 0;
    const auto before = Clock::now();
    const MeetingData met = group_->gather();
    const std::chrono::duration<double> waited = Clock::now() - before;
    if (step % meetings_.energies == 0) record_.write_energies(met, group_->time());
    record_.went_to(step);
    if (!exchanges) return Request::none;
    group_->set_states(record_.exchange(exchanger_, met, waited.count()));
    const Request request = highest_request(step);
    if (request != Request::none || step == meetings_.last) write_checkpoint();
    return request;
  }

  /// What any rank's signals, or the time and steps since the last checkpoint ask for.
  Request highest_request(std::int64_t step) {
    auto request = static_cast<std::int64_t>(requested());
    const Input::Output& output = input_.output;
    const std::chrono::duration<double> since = Clock::now() - last_checkpoint_;
    const bool is_due = (world_.rank() == 0 && output.checkpoint_time > 0.0 &&
                         since.count() >= output.checkpoint_time) ||
                        (output.checkpoint_interval > 0 &&
                         step / output.checkpoint_interval >
                             record_.checkpoint_step() / output.checkpoint_interval);
    if (is_due) request = std::max(request, static_cast<std::int64_t>(Request::checkpoint));
    comm::ReductionBatch(world_, "requests").max(request).run();
    return static_cast<Request>(request);
  }

  void write_checkpoint() {
    const int turn = record_.next_turn();
    group_->save(turn);
    record_.commit(turn);
    clear_checkpoint_request();
    last_checkpoint_ = Clock::now();
  }

  const comm::Context& world_;
  const Input& input_;
  Console console_;
  Meetings meetings_;
  ReplicaRecord record_;
  Exchanger exchanger_;
  std::unique_ptr<ReplicaGroup> group_;
  Clock::time_point last_checkpoint_;
};

}  // namespace

bool has_replicas(const Input& input) {
  return input.section<ReplicasSection>().are_used();
}

std::size_t replica_count(const Input& input) {
  return has_replicas(input) ? count_of_replicas(input) : 0;
}

Outcome run_replicas(const comm::Context& world, const Input& input,
                     const SimulationOptions& options) {
  return ReplicaRun(world, input, options).run();
}

}  // namespace sterna::md

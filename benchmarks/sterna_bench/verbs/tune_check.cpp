// tune-check: does the tuner choose right? For each pattern of the grid an exchange with "auto"
// runs until its tuner has chosen; then every method is named in turn and measured side by side, by
// the clock of this program, and the chosen one is held against the best.

#include <fmt/format.h>

#include <algorithm>

#include "comm/context/context_implementation.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/reduction_batch.hpp"
#include "tuning_grid.hpp"
#include "verb.hpp"

namespace sterna::bench {
namespace {

class TuneCheck final : public Verb {
 public:
  void add_options(CLI::App& command) override {
    command.add_option("--family", families_, "neighbor, sparse")
        ->delimiter(',')
        ->check(CLI::IsMember({"neighbor", "sparse"}))
        ->capture_default_str();
  }

  void run(const comm::Context& world, const Sampling& sampling, Report& report) override {
    if (world.size() < 2) throw comm::Error("tune-check: there is nothing to choose on one rank");
    world.set_tuning({.machine_file = "none", .reuse = false});
    world.implementation().race_at_once = true;
    int good = 0;
    int all = 0;
    for (const auto& pattern : tuning_grid(world)) {
      if (std::ranges::find(families_, pattern->family()) == families_.end()) continue;
      ++all;
      good += check(world, sampling, *pattern, report) ? 1 : 0;
    }
    report.note(fmt::format("chosen within 5 % of the best: {} of {} patterns", good, all));
  }

 private:
  bool check(const comm::Context& world, const Sampling& sampling, const TuningPattern& pattern,
             Report& report) const {
    const comm::Verdict verdict = run_until_chosen(*pattern.make("auto"), 20000);
    std::vector<std::unique_ptr<Exchange>> exchanges;
    std::vector<Candidate> candidates;
    for (const comm::MethodEvidence& e : verdict.candidates) {
      if (e.state == "unavailable") continue;
      exchanges.push_back(pattern.make(e.method));
      candidates.push_back({e.method, [exchange = exchanges.back().get()] { exchange->round(); }});
    }
    const std::vector<Timing> timings = measure(world, candidates, sampling);
    const auto best = static_cast<std::size_t>(
        std::ranges::min_element(timings, {}, &Timing::median_us) - timings.begin());
    const auto chosen = static_cast<std::size_t>(
        std::ranges::find(candidates, verdict.method, &Candidate::method) - candidates.begin());
    const double ratio = timings[chosen].median_us / timings[best].median_us;
    auto bytes = static_cast<std::int64_t>(pattern.bytes());
    comm::ReductionBatch(world).max(bytes).run();
    Row row = row_of(candidates[chosen].method, world, pattern.peers(),
                     static_cast<std::size_t>(bytes), timings[chosen]);
    row["pattern"] = pattern.name();
    row["best"] = candidates[best].method;
    row["best_us"] = timings[best].median_us;
    row["ratio"] = ratio;
    row["tuning_rounds"] = verdict.rounds;
    report.add(std::move(row));
    return ratio <= 1.05;
  }

  std::vector<std::string> families_{"neighbor", "sparse"};
};

}  // namespace

std::unique_ptr<Verb> make_tune_check() {
  return std::make_unique<TuneCheck>();
}

}  // namespace sterna::bench

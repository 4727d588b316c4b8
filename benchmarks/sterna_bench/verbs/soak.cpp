// soak: a very long run of every method. Does its memory grow, does a round ever stall? In each of
// a hundred parts the resident memory of each rank and its longest round are looked at; growth is
// counted from the first tenth on, when all buffers have grown.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <functional>
#include <memory>
#include <vector>

#include "sterna/comm/error.hpp"
#include "sterna/comm/reduction_batch.hpp"
#include "tuning_grid.hpp"
#include "verb.hpp"

namespace sterna::bench {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double resident_kilobytes() {
  std::ifstream file("/proc/self/statm");
  double all = 0.0;
  double resident = 0.0;
  file >> all >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1024.0;
}

struct Soaked {
  std::string family;
  std::string pattern;
  Candidate candidate;
};

class Soak final : public Verb {
 public:
  void add_options(CLI::App& command) override {
    command.add_option("--family", families_, "neighbor, sparse, reduce")
        ->delimiter(',')
        ->check(CLI::IsMember({"neighbor", "sparse", "reduce"}))
        ->capture_default_str();
    for (const auto table : {comm::neighbor_methods(), comm::sparse_methods()}) {
      for (const comm::MethodInfo& method : table) methods_.emplace_back(method.name);
    }
    command.add_option("--methods", methods_, "of neighbor and sparse exchange: only these")
        ->delimiter(',')
        ->check(CLI::IsMember(methods_))
        ->default_str("every method");
    command.add_option("--most-seconds", most_seconds_, "of a method; then fewer rounds are run")
        ->check(CLI::PositiveNumber)
        ->default_str("no limit");
    command.add_option("--growth", growth_, "kB that a rank's memory may grow by")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    command.add_option("--stall", stall_, "seconds that a round may take")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
  }

  void run(const comm::Context& world, const Sampling& sampling, Report& report) override {
    const std::size_t rounds = sampling.rounds > 0 ? sampling.rounds : 10'000'000;
    world.set_tuning({.machine_file = "none", .reuse = false});
    if (wanted("neighbor") || wanted("sparse")) soak_exchanges(world, rounds, report);
    if (wanted("reduce")) soak_reductions(world, rounds, report);
    report.note(fmt::format("rounds: as many as were run; {} were asked for", rounds));
  }

 private:
  bool wanted(std::string_view family) const {
    return std::ranges::find(families_, family) != families_.end();
  }

  /// Each method on the first pattern of the grid that it works on.
  void soak_exchanges(const comm::Context& world, std::size_t rounds, Report& report) {
    std::vector<std::string> done;
    for (const auto& pattern : tuning_grid(world)) {
      if (!wanted(pattern->family())) continue;
      for (const comm::MethodEvidence& method : pattern->make("auto")->verdict().candidates) {
        const std::string name = fmt::format("{} {}", pattern->family(), method.method);
        if (std::ranges::find(methods_, method.method) == methods_.end()) continue;
        if (method.state == "unavailable" || std::ranges::find(done, name) != done.end()) continue;
        done.push_back(name);
        const std::unique_ptr<Exchange> exchange = pattern->make(method.method);
        soak(world, rounds, pattern->peers(), pattern->bytes(),
             {pattern->family(), pattern->name(), {method.method, [&] { exchange->round(); }}},
             report);
      }
    }
  }

  void soak_reductions(const comm::Context& world, std::size_t rounds, Report& report) {
    for (const bool fixed : {false, true}) {
      std::vector<double> values(4, 1.0);
      std::int64_t count = 1;
      comm::ReductionBatch batch(world, "soak",
                                 fixed ? comm::ReductionOrder::fixed : comm::ReductionOrder::any);
      for (double& value : values) batch.sum(value);
      batch.sum(count);
      const auto round = [&] {
        count = 1;
        std::ranges::fill(values, 1.0);
        batch.run();
        if (count != world.size() || values[3] != world.size()) {
          throw comm::Error("soak: a sum is wrong");
        }
      };
      soak(world, rounds, static_cast<std::size_t>(world.size() - 1), 40,
           {"reduce", "5 sums", {fixed ? "fixed order" : "any order", round}}, report);
    }
  }

  void soak(const comm::Context& world, std::size_t rounds, std::size_t peers, std::size_t bytes,
            const Soaked& soaked, Report& report) {
    constexpr std::size_t parts = 100;
    const std::size_t part = std::max<std::size_t>(1, rounds / parts);
    std::vector<double> memory;  // after each part
    double longest = 0.0;
    std::size_t run = 0;
    const auto start = Clock::now();
    double elapsed = 0.0;
    while (run < rounds && (most_seconds_ == 0.0 || elapsed < most_seconds_)) {
      for (std::size_t i = std::min(part, rounds - run); i > 0; --i, ++run) {
        const auto round_start = Clock::now();
        soaked.candidate.round();
        longest = std::max(longest, seconds_since(round_start));
      }
      memory.push_back(resident_kilobytes());
      elapsed = seconds_since(start);
      comm::ReductionBatch(world).max(elapsed).run();
    }
    double growth = memory.back() - memory[memory.size() / 10];
    double most = memory.back();
    comm::ReductionBatch(world).max(growth).max(most).max(longest).run();

    Timing timing;
    timing.rounds = run;
    timing.median_us = timing.p10_us = timing.p90_us = timing.mean_us =
        1e6 * elapsed / static_cast<double>(run);
    Row row = row_of(soaked.candidate.method, world, peers, bytes, timing);
    for (const char* const quantile : {"median_us", "p10_us", "p90_us"}) row.erase(quantile);
    row["family"] = soaked.family;
    row["pattern"] = soaked.pattern;
    row["seconds"] = elapsed;
    row["longest_ms"] = 1e3 * longest;
    row["memory_kB"] = most;
    row["growth_kB"] = growth;
    report.add(std::move(row));
    const std::string name = fmt::format("{} {}", soaked.family, soaked.candidate.method);
    if (growth > growth_) {
      report.add_fault(fmt::format("the memory of {} grew by {} kB", name, growth));
    }
    if (longest > stall_) report.add_fault(fmt::format("{} stalled for {:.1f} s", name, longest));
  }

  std::vector<std::string> families_{"neighbor", "sparse", "reduce"};
  std::vector<std::string> methods_;
  double most_seconds_ = 0.0;
  double growth_ = 1024.0;
  double stall_ = 10.0;
};

}  // namespace

std::unique_ptr<Verb> make_soak() {
  return std::make_unique<Soak>();
}

}  // namespace sterna::bench

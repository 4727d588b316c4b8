// tune: lets the tuner measure every method on a grid of patterns, and the size from which on
// messages are better not copied. The results go to the machine file, from which later runs on as
// many ranks of this machine start.

#include <fmt/format.h>

#include "comm/context/context_implementation.hpp"
#include "comm/tune/evidence_store.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/messenger.hpp"
#include "sterna/comm/reduction_batch.hpp"
#include "tuning_grid.hpp"
#include "verb.hpp"

namespace sterna::bench {
namespace {

class Tune final : public Verb {
 public:
  void add_options(CLI::App& command) override {
    command.add_option("--machine-file", machine_file_,
                       "write here (default: $STERNA_MACHINE_FILE, or in the user's cache folder)");
  }

  void run(const comm::Context& world, const Sampling&, Report& report) override {
    if (world.size() < 2) throw comm::Error("tune: there is nothing to measure on one rank");
    world.set_tuning({.machine_file = machine_file_, .reuse = false});
    world.implementation().race_at_once = true;
    for (const auto& pattern : tuning_grid(world)) {
      const auto exchange = pattern->make("auto");
      const comm::Verdict verdict = run_until_chosen(*exchange, 20000);
      auto bytes = static_cast<std::int64_t>(pattern->bytes());
      comm::ReductionBatch(world).max(bytes).run();
      for (const comm::MethodEvidence& e : verdict.candidates) {
        if (e.median_us <= 0.0) continue;
        Timing timing;
        timing.median_us = e.median_us;
        timing.rounds = e.rounds;
        Row row =
            row_of(e.method, world, pattern->peers(), static_cast<std::size_t>(bytes), timing);
        // The tuner keeps no other quantiles.
        for (const char* const none : {"p10_us", "p90_us", "mean_us"}) row.erase(none);
        row["model_us"] = e.model_us;
        row["pattern"] = pattern->name();
        row["state"] = e.state;
        report.add(std::move(row));
      }
      report.note(fmt::format("{}: {}: {}", pattern->family(), pattern->name(), verdict.text));
    }
    for (const comm::MessageTiming& message : comm::tune_messages(world)) {
      report.note(fmt::format("message by {}: {} bytes: copied {:.2f} us, in place {:.2f} us",
                              message.transport, message.bytes, message.copied_us,
                              message.in_place_us));
    }
    const std::string file = comm::machine_file(world);
    const std::string why_not = comm::why_not_kept(world);
    if (file.empty()) {
      report.note("kept nowhere: there is no machine file");
    } else if (!why_not.empty()) {
      report.note(fmt::format("not kept: {}", why_not));
    } else {
      report.note(fmt::format("kept in {}", file));
    }
  }

 private:
  std::string machine_file_;
};

}  // namespace

std::unique_ptr<Verb> make_tune() {
  return std::make_unique<Tune>();
}

}  // namespace sterna::bench

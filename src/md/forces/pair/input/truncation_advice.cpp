#include "md/forces/pair/input/truncation_advice.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "md/model/truncation.hpp"

namespace sterna::md {
namespace {

class TruncationAdviser {
 public:
  TruncationAdviser(const Input& input, const Report& report) : input_(input), report_(report) {}

  void advise() {
    correction();
    jump();
    switching();
  }

 private:
  void add(Severity severity, std::string_view key, std::string message) {
    report_(severity, key, std::move(message));
  }

  std::string length(double value) const { return input_.units.text(value, Dimension::length); }

  void correction() {
    const auto& interaction = input_.interaction;
    if (interaction.tail_correction == TailCorrection::none) return;
    if (!has_tail(interaction.truncation)) {
      add(Severity::warning, "interaction.tail_correction",
          fmt::format("the tail correction is that of a potential that is cut off; with truncation "
                      "= \"{}\" energy and pressure are those of neither the full nor the {} "
                      "potential. Use \"truncated\", or no correction",
                      choice_name(interaction.truncation),
                      interaction.truncation == Truncation::force_shifted
                          ? "force-shifted"
                          : choice_name(interaction.truncation)));
    }
  }

  void jump() {
    if (input_.interaction.truncation != Truncation::truncated) return;
    // If the input has stages, its minimization need not end exactly at a minimum.
    if (input_.minimizes() && !input_.stage.name.empty()) return;
    if (input_.minimizes()) {
      add(Severity::advice, "interaction.truncation",
          "a truncated potential jumps at the cutoff, where a minimization may get stuck; "
          "\"force_shifted\" or \"switched\" is smooth");
    } else if (!input_.has_thermostat() && input_.run.steps > 0) {
      add(Severity::advice, "interaction.truncation",
          "a truncated potential jumps at the cutoff: without a thermostat the energy drifts. "
          "\"shifted\" removes the jump, \"force_shifted\" that of the force too");
    }
  }

  void switching() {
    const auto& interaction = input_.interaction;
    if (!is_switched(interaction.truncation)) return;
    const double share = interaction.switch_start / interaction.cutoff;
    if (share > 0.95) {
      add(Severity::advice, "interaction.switch_start",
          fmt::format("switching from {} to {} is steep: the force has a sharp peak there, which "
                      "needs a shorter time step. 0.8 to 0.9 of the cutoff is usual",
                      length(interaction.switch_start), length(interaction.cutoff)));
    } else if (share < 0.6) {
      add(Severity::advice, "interaction.switch_start",
          fmt::format("switching begins at {}, {:.2g} of the cutoff, and weakens much of the "
                      "attraction; 0.8 to 0.9 of the cutoff is usual",
                      length(interaction.switch_start), share));
    }
  }

  const Input& input_;
  const Report& report_;
};

}  // namespace

void advise_on_truncation(const Input& input, const Report& report) {
  TruncationAdviser(input, report).advise();
}

}  // namespace sterna::md

#include "md/forces/pair/input/check_pair_potentials.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <vector>

#include "md/core/display_text.hpp"
#include "md/forces/pair/input/mixed_pairs.hpp"
#include "md/forces/pair/input/pair_functions_from_input.hpp"
#include "md/input/input_schema.hpp"
#include "md/input/particle_names.hpp"

namespace sterna::md {
namespace {

class PairChecker {
 public:
  PairChecker(Input& input, bool look_at_files, const IsGood& is_good, const Report& report)
      : input_(input), look_at_files_(look_at_files), good_(is_good), report_(report) {}

  void check() {
    for (std::size_t n = 0; n < input_.pairs.size(); ++n) {
      const std::string place = fmt::format("pair[{}]", n);
      if (!readable(place + ".potential")) {
        all_are_good_ = false;
        continue;
      }
      if (is_component(input_, input_.pairs[n].first) ||
          is_component(input_, input_.pairs[n].second) || input_.types.empty()) {
        components(place);
        continue;
      }
      pair(input_.pairs[n], place);
    }
    const bool planar = good_("interaction.tail_correction") && good_("interaction.truncation") &&
                        input_.interaction.tail_correction == TailCorrection::planar;
    if (planar && is_switched(input_.interaction.truncation)) {
      error("interaction.tail_correction",
            fmt::format("the planar correction is that of a potential that is cut off, and "
                        "\"truncation\" is {}; expected \"homogeneous\" or \"none\"",
                        quote(choice_name(input_.interaction.truncation))));
    } else if (planar && has_pair_potentials(input_)) {
      error("interaction.tail_correction",
            "the planar correction is that of Lennard-Jones pairs that end as [interaction] says, "
            "and a [[pair]] has another potential or another end; expected \"homogeneous\" or "
            "\"none\"");
    }
  }

  bool all_are_good() const { return all_are_good_; }

 private:
  /// Whether its value is known: given, or the default.
  bool readable(const std::string& place) const {
    return good_(place) || !input_.places.contains(place);
  }

  void components(const std::string& place) {
    if (good_(place + ".potential")) {
      error(
          place + ".potential",
          "\"potential\" in [[pair]] is there for two [[type]]s; sites of [[component]]s have the "
          "Lennard-Jones potential and charges");
    }
    for (const std::string_view key : {"cutoff", "truncation", "switch_start", "adds"}) {
      const std::string at = fmt::format("{}.{}", place, key);
      if (!good_(at)) continue;
      error(at, fmt::format("\"{}\" in [[pair]] is there for two [[type]]s; sites of "
                            "[[component]]s {} as [interaction] says",
                            key, key == "adds" ? "interact" : "end"));
    }
  }

  void error(std::string_view place, std::string message) {
    all_are_good_ = false;
    report_(Severity::error, place, std::move(message));
  }

  void pair(Input::Pair& pair, const std::string& place) {
    const PairPotentialRow& potential = *find_pair_potential(pair.potential);
    const bool own = pair.truncation.has_value();
    const Truncation truncation = pair.truncation.value_or(input_.interaction.truncation);
    const bool known = readable(own ? place + ".truncation" : "interaction.truncation");
    if (known && !can_end(potential, truncation)) {
      error(place + (own ? ".truncation" : ".potential"),
            fmt::format("the potential {} cannot end with truncation = {}, which is of powers 12 "
                        "and 6; expected \"cubic_force_switched\" or another one",
                        quote(pair.potential), quote(choice_name(truncation))));
    }
    end(pair, place, known, truncation);
    mixing(pair, place);
    if (pair.is_lennard_jones() && !pair.adds) return;  // what it lacks is mixed
    std::vector<double> values;
    bool complete = true;
    for (const PairParameter& parameter : potential.parameters) {
      const std::string key_place = fmt::format("{}.{}", place, parameter.name);
      const bool given = input_.places.contains(key_place);
      KeySchema key = *find_key("pair", parameter.name);
      key.range = parameter.range;
      if (!given && pair.is_lennard_jones()) {
        error(place, fmt::format("[[pair]] lacks the key \"{}\", required with adds = true, where "
                                 "nothing is mixed: {}",
                                 parameter.name, expectation(key, input_.units)));
        complete = false;
      } else if (!given && parameter.required) {
        error(place,
              fmt::format("[[pair]] lacks the key \"{}\", required with potential = {}: {}",
                          parameter.name, quote(pair.potential), expectation(key, input_.units)));
        complete = false;
      } else if (given && !good_(key_place)) {
        complete = all_are_good_ = false;
      } else {
        const double value = pair_parameter(pair, parameter.name).value_or(parameter.preset);
        const Range& range = parameter.range;
        if (value < range.minimum || (value == range.minimum && range.exclusive_minimum)) {
          error(key_place, fmt::format("\"{}\" of the potential {} must be {}", parameter.name,
                                       quote(pair.potential),
                                       range.exclusive_minimum ? "greater than 0" : "at least 0"));
          complete = false;
        }
        values.push_back(value);
      }
    }
    if (complete && potential.contradiction != nullptr) {
      if (const auto problem = potential.contradiction(values); !problem.empty()) {
        error(place, std::string(problem));
      }
    }
    if (potential.reads_table && good_(place + ".table") && look_at_files_) table(pair, place);
  }

  /// The rule and the factors are of parameters that are mixed.
  void mixing(const Input::Pair& pair, const std::string& place) {
    const auto given = [&](std::string_view key) {
      return input_.places.contains(fmt::format("{}.{}", place, key));
    };
    std::string why;
    if (pair.first == pair.second) {
      why = "is of two unlike types, and both are " + quote(pair.first);
    } else if (!pair.is_lennard_jones()) {
      why = fmt::format("has no meaning with potential = {}, whose parameters are given here",
                        quote(pair.potential));
    } else if (pair.adds) {
      why = "has no meaning with adds = true, where nothing is mixed";
    } else if (given("epsilon") && given("sigma")) {
      why = "has no meaning beside \"epsilon\" and \"sigma\", as nothing is mixed";
    }
    for (const auto& [key, own] : {std::pair{"mixing", ""}, {"eta", "sigma"}, {"xi", "epsilon"}}) {
      if (!given(key)) continue;
      const std::string at = fmt::format("{}.{}", place, key);
      if (!why.empty()) {
        error(at, fmt::format("\"{}\" in [[pair]] {}", key, why));
      } else if (given(own)) {
        error(at,
              fmt::format("\"{0}\" in [[pair]] is a factor of the mixed {1}, and this pair gives "
                          "{1} itself; expected one of the two",
                          key, own));
      }
    }
  }

  std::string length(double value) const { return input_.units.text(value, Dimension::length); }

  /// Checks the cutoff and the truncation of the pair.
  void end(const Input::Pair& pair, const std::string& place, bool known, Truncation truncation) {
    if (!readable(place + ".cutoff") || !good_("interaction.cutoff")) return;
    const Input::Interaction& run = input_.interaction;
    if (pair.cutoff > run.cutoff) {
      error(place + ".cutoff", fmt::format("\"cutoff\" in [[pair]] is {}; expected at most that in "
                                           "[interaction], which is {}",
                                           length(pair.cutoff), length(run.cutoff)));
    }
    const std::string start = place + ".switch_start";
    if (!known || !readable(start)) return;
    const double cutoff = pair.cutoff > 0.0 ? pair.cutoff : run.cutoff;
    if (pair.switch_start > 0.0 && !is_switched(truncation)) {
      error(start, fmt::format("\"switch_start\" in [[pair]] goes with a truncation that switches, "
                               "and it is {}",
                               quote(choice_name(truncation))));
    } else if (pair.switch_start >= cutoff) {
      error(start, fmt::format("\"switch_start\" in [[pair]] is {}; expected less than the cutoff, "
                               "which is {}",
                               length(pair.switch_start), length(cutoff)));
    } else if (is_switched(truncation) && pair.switch_start == 0.0 &&
               readable("interaction.truncation") && !is_switched(run.truncation)) {
      error(place,
            fmt::format("[[pair]] lacks the key \"switch_start\", required with truncation = "
                        "{} where [interaction] has none: where the switching begins",
                        quote(choice_name(truncation))));
    }
  }

  void table(Input::Pair& pair, const std::string& place) {
    try {
      take_pair_table(input_, pair, pair_table_text(input_, pair));
    } catch (const PairTableError& problem) {
      error(place + ".table", fmt::format("{}:{}:{}: {}", printable(pair.table), problem.line,
                                          problem.column, problem.what()));
    } catch (const std::runtime_error& problem) {
      error(place + ".table", problem.what());
    }
  }

  Input& input_;
  bool look_at_files_;
  const IsGood& good_;
  const Report& report_;
  bool all_are_good_ = true;  // so that parameters may be mixed
};

}  // namespace

void check_pair_potentials(Input& input, bool look_at_files, const IsGood& is_good,
                           const Report& report) {
  PairChecker checker(input, look_at_files, is_good, report);
  checker.check();
  if (checker.all_are_good()) add_mixed_pairs(input, is_good, report);
}

}  // namespace sterna::md

#include "md/forces/manybody/input/check_many_body.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "md/core/display_text.hpp"
#include "md/forces/manybody/input/many_body_table.hpp"
#include "md/input/many_body_input.hpp"
#include "md/input/pairs_of_types.hpp"

namespace sterna::md {
namespace {

class ManyBodyChecker {
 public:
  ManyBodyChecker(Input& input, const IsGood& is_good, const Report& report)
      : input_(input), good_(is_good), report_(report) {}

  /// Completes the cutoff, which is that of the parameters where there are no pairs.
  void check(bool look_at_files) {
    // Where a name could not be read, that is the error.
    if (is_unreadable("interaction.potential")) return;
    for (std::size_t n = 0; n < input_.types.size(); ++n) {
      if (!good_(fmt::format("type[{}].name", n))) return;
      for (const ManyBodyName& row : many_body_names()) {
        if (is_unreadable(fmt::format("type[{}].{}", n, row.name))) return;
      }
    }
    for (const ManyBodyRow& row : many_body_rows()) file_has_a_reader(row);
    if (!uses_many_body_potential(input_)) return;
    if (input_.units.is_reduced()) {
      error(place_of_many_body_potential(),
            "this potential has lengths and energies of its own, which \"reduced\" units do not "
            "know; expected units = \"nano\", \"metal\" or \"real\"");
      return;
    }
    one_potential_for_each_type();
    if (has_pairs_besides(input_)) molecules_of_one_atom();
    try {
      const double cutoff = longest_cutoff(look_at_files);
      if (!has_pairs_besides(input_) && cutoff > 0.0) input_.interaction.cutoff = cutoff;
    } catch (const ManyBodyInputError& problem) {
      report_(Severity::error, problem.place, problem.what());
    }
  }

 private:
  bool is_unreadable(std::string_view place) const {
    return input_.places.contains(place) && !good_(place);
  }

  /// Of all potentials; 0 where their files were not looked at.
  double longest_cutoff(bool look_at_files) const {
    double cutoff = 0.0;
    for (const ManyBodyRow& row : many_body_rows()) {
      if (!uses(input_, row.kind)) continue;
      const bool has_file = !(input_.interaction.*name_of(row.kind).file).empty();
      if ((has_file || row.needs_file) && !look_at_files) return 0.0;
      const auto potential = row.potential(input_, row.file.text(input_));
      cutoff = std::max(cutoff, potential->cutoff());
      for (const std::string& warning : potential->warnings()) {
        report_(Severity::warning, fmt::format("interaction.{}", name_of(row.kind).file_key),
                warning);
      }
    }
    return cutoff;
  }

  void error(std::string_view place, std::string message) {
    report_(Severity::error, place, std::move(message));
  }

  void file_has_a_reader(const ManyBodyRow& row) {
    if (uses(input_, row.kind)) return;
    const ManyBodyName& name = name_of(row.kind);
    std::string place = fmt::format("interaction.{}", name.file_key);
    if (!input_.places.contains(place)) place = fmt::format("interaction.{}", row.second_file_key);
    if (!input_.places.contains(place)) return;
    error(place, fmt::format("the file has parameters of {}, which no [[type]] has; expected "
                             "\"{}\" = an element of the file in a [[type]], or potential = "
                             "\"{}\" in [interaction]",
                             row.noun, name.name, name.name));
  }

  std::string place_of_many_body_potential() const {
    if (!has_pairs_besides(input_)) return "interaction.potential";
    std::size_t type = 0;
    while (many_body_kind(input_, type) == ManyBodyKind::none) ++type;
    return fmt::format("type[{}].{}", type, name_of(many_body_kind(input_, type)).name);
  }

  /// Each pair of types interacts in one way.
  void one_potential_for_each_type() {
    for (std::size_t n = 0; n < input_.types.size(); ++n) {
      const Input::Type& type = input_.types[n];
      const ManyBodyKind kind = many_body_kind(input_, n);
      for (const ManyBodyName& row : many_body_names()) {
        if ((type.*row.of_type).empty() || kind == row.kind) continue;
        error(fmt::format("type[{}].{}", n, row.name),
              fmt::format("\"{}\" in [[type]]: {} has another many-body potential already",
                          row.name, quote(type.name)));
      }
      for (std::size_t other = 0; other <= n; ++other) {
        const Input::Pair* const pair = pair_of_types(input_, n, other);
        if (pair == nullptr) continue;
        if (!have_many_body_potential(input_, n, other)) continue;
        error(fmt::format("pair[{}]", pair - input_.pairs.data()),
              fmt::format("the types {} and {} interact by their many-body potential and not in "
                          "pairs; expected no [[pair]] of them",
                          quote(pair->first), quote(pair->second)));
      }
    }
    if (has_pairs_besides(input_) && all_pairs_are_many_body()) {
      error("type[0]",
            "all types have the same many-body potential, so there are no pairs besides; "
            "expected its name as \"potential\" in [interaction]");
    }
  }

  bool all_pairs_are_many_body() const {
    if (!input_.components.empty()) return false;
    for (std::size_t n = 0; n < input_.types.size(); ++n) {
      if (!have_many_body_potential(input_, 0, n)) return false;
    }
    return std::ranges::none_of(input_.pairs, &Input::Pair::adds);
  }

  void molecules_of_one_atom() {
    for (std::size_t n = 0; n < input_.molecules.size(); ++n) {
      const auto& atoms = input_.molecules[n].atoms;
      if (atoms.size() == 1) continue;
      for (const auto& atom : atoms) {
        const auto type = std::ranges::find(input_.types, atom.type, &Input::Type::name);
        if (type == input_.types.end()) continue;
        const auto place = static_cast<std::size_t>(type - input_.types.begin());
        if (many_body_kind(input_, place) == ManyBodyKind::none) continue;
        error(fmt::format("molecule[{}]", n),
              fmt::format("atoms of type {} are bound by a many-body potential; expected molecules "
                          "of one such atom each",
                          quote(atom.type)));
        break;
      }
    }
  }

  Input& input_;
  const IsGood& good_;
  const Report& report_;
};

}  // namespace

void check_many_body(Input& input, bool look_at_files, const IsGood& is_good,
                     const Report& report) {
  ManyBodyChecker(input, is_good, report).check(look_at_files);
}

}  // namespace sterna::md

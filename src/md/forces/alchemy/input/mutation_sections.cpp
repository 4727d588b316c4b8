#include "md/forces/alchemy/input/mutation_sections.hpp"

#include <algorithm>

#include "md/forces/alchemy/input/alchemy_section.hpp"
#include "md/input/sections/section.hpp"

namespace sterna::md {
namespace section {
namespace {

/// Tables of one section: molecules have many terms.
constexpr std::size_t most_terms = 100000;

}  // namespace

InputSection mutation() {
  return {
      .schema = {.name = "mutation",
                 .is_array = true,
                 .tables = tables_of<MutationSection>(),
                 .description =
                     "What atoms of an alchemical molecule become, with kind = \"mutation\" in "
                     "`[alchemy]`: [how](howto/alchemy.md#mutations).",
                 .aliases = {"state_b", "perturbed_type"}},
      .keys = {{.name = "type",
                .target = target_in_table_of<&MutationSection::type>,
                .description = "Name of the `[[type]]` of atoms that change.",
                .need = Need::required},
               {.name = "becomes",
                .target = target_in_table_of<&MutationSection::becomes>,
                .description = "Name of the `[[type]]` whose pair potentials they have at lambda "
                               "1.",
                .default_text = "none: their pair potentials are switched off",
                .aliases = {"typeB", "to"}},
               {.name = "charge",
                .target = target_in_table_of<&MutationSection::charge>,
                .description = "Their charge at lambda 1.",
                .default_text = "it does not change",
                .aliases = {"chargeB", "qB"}},
               {.name = "mass",
                .target = target_in_table_of<&MutationSection::mass>,
                .description = "Their mass at lambda 1.",
                .default_text = "it does not change",
                .dimension = Dimension::mass,
                .range = positive,
                .aliases = {"massB"}}},
      .behind = "alchemy"};
}

InputSection mutated_term() {
  return {
      .schema = {.name = "mutated_term",
                 .is_array = true,
                 .tables = tables_of<MutatedTermSection>(most_terms),
                 .description =
                     "A bonded term of an alchemical molecule whose parameters change in "
                     "proportion to lambda. It takes the place of the term in "
                     "`[[molecule]]`.",
                 .aliases = {"perturbed_bond"}},
      .keys =
          {{.name = "molecule",
            .target = target_in_table_of<&MutatedTermSection::molecule>,
            .description = "Name of the `[[molecule]]`.",
            .need = Need::required},
           {.name = "section",
            .target = target_in_table_of<&MutatedTermSection::section>,
            .description = "What the term is: \"bond\", \"angle\", \"torsion\" or \"improper\".",
            .need = Need::required},
           {.name = "potential",
            .target = target_in_table_of<&MutatedTermSection::potential>,
            .description = "Its potential, as in `[[molecule.bond]]` and the others. Tables do not "
                           "change.",
            .need = Need::required},
           {.name = "atoms",
            .target = target_in_table_of<&MutatedTermSection::atoms>,
            .description = "Its atoms, counted from 1 in the molecule, or those of several terms.",
            .need = Need::required},
           {.name = "parameters",
            .target = target_in_table_of<&MutatedTermSection::parameters>,
            .description = "Names of its parameters.",
            .need = Need::required},
           {.name = "from",
            .target = target_in_table_of<&MutatedTermSection::from>,
            .description = "Their values at lambda 0: plain numbers in the units of the input.",
            .need = Need::required},
           {.name = "to",
            .target = target_in_table_of<&MutatedTermSection::to>,
            .description = "Their values at lambda 1.",
            .need = Need::required}},
      .behind = "mutation"};
}

InputSection mutated_constraint() {
  return {
      .schema = {.name = "mutated_constraint",
                 .is_array = true,
                 .tables = tables_of<MutatedConstraintSection>(most_terms),
                 .description =
                     "A constraint of an alchemical molecule whose length changes in proportion to "
                     "lambda of `bonded`. `[[molecule]]` has it with its length at lambda 0.",
                 .aliases = {"perturbed_constraint"}},
      .keys = {{.name = "molecule",
                .target = target_in_table_of<&MutatedConstraintSection::molecule>,
                .description = "Name of the `[[molecule]]`.",
                .need = Need::required},
               {.name = "atoms",
                .target = target_in_table_of<&MutatedConstraintSection::atoms>,
                .description = "Its two atoms, counted from 1, or a list of pairs of atoms.",
                .need = Need::required},
               {.name = "distance",
                .target = target_in_table_of<&MutatedConstraintSection::distance>,
                .description = "Its length at lambda 1.",
                .need = Need::required,
                .dimension = Dimension::length,
                .range = positive,
                .aliases = {"length", "b0B"}}},
      .behind = "mutated_term"};
}

InputSection mutated_pair() {
  return {.schema = {.name = "mutated_pair",
                     .is_array = true,
                     .tables = tables_of<MutatedPairSection>(most_terms),
                     .description = "Two excluded atoms of an alchemical molecule that interact by "
                                    "parameters of their own, such as 1-4 pairs, which change.",
                     .aliases = {"perturbed_pair"}},
          .keys = {{.name = "molecule",
                    .target = target_in_table_of<&MutatedPairSection::molecule>,
                    .description = "Name of the `[[molecule]]`.",
                    .need = Need::required},
                   {.name = "atoms",
                    .target = target_in_table_of<&MutatedPairSection::atoms>,
                    .description =
                        "Two atoms, counted from 1 in the molecule, or several pairs. Each needs "
                        "a `[[molecule.exclusion]]`.",
                    .need = Need::required},
                   {.name = "epsilon",
                    .target = target_in_table_of<&MutatedPairSection::epsilon>,
                    .description = "Depth of the Lennard-Jones well at lambda 0.",
                    .dimension = Dimension::energy,
                    .range = not_negative},
                   {.name = "sigma",
                    .target = target_in_table_of<&MutatedPairSection::sigma>,
                    .description = "Its size at lambda 0.",
                    .dimension = Dimension::length,
                    .range = positive},
                   {.name = "charge_product",
                    .target = target_in_table_of<&MutatedPairSection::charge_product>,
                    .description = "Product of two charges at lambda 0."},
                   {.name = "to_epsilon",
                    .target = target_in_table_of<&MutatedPairSection::to_epsilon>,
                    .description = "Depth of the well at lambda 1.",
                    .dimension = Dimension::energy,
                    .range = not_negative},
                   {.name = "to_sigma",
                    .target = target_in_table_of<&MutatedPairSection::to_sigma>,
                    .description = "Its size at lambda 1.",
                    .dimension = Dimension::length,
                    .range = positive},
                   {.name = "to_charge_product",
                    .target = target_in_table_of<&MutatedPairSection::to_charge_product>,
                    .description = "Product of two charges at lambda 1."}},
          .behind = "mutated_constraint"};
}

}  // namespace section

std::span<const AlchemicalPart> alchemical_parts_of(const Input& input) {
  const bool have_bonded = !input.tables<MutatedTermSection>().empty() ||
                           !input.tables<MutatedConstraintSection>().empty();
  return std::span(alchemical_parts).first(masses_change(input) ? 4 : have_bonded ? 3 : 2);
}

std::span<const AlchemicalPart> alchemical_parts_of_positions(const Input& input) {
  const bool have_bonded = !input.tables<MutatedTermSection>().empty() &&
                           input.tables<MutatedConstraintSection>().empty();
  return std::span(alchemical_parts).first(have_bonded ? 3 : 2);
}

double mass_in_state_b(const Input& input, std::size_t type) {
  for (const MutationSection& mutation : input.tables<MutationSection>()) {
    if (mutation.type == input.types[type].name) {
      return mutation.mass.value_or(input.types[type].mass);
    }
  }
  return input.types[type].mass;
}

double mass_in_run(const Input& input, std::size_t type) {
  const AlchemySection& alchemy = input.section<AlchemySection>();
  const double of_a = input.types[type].mass;
  if (!alchemy.is_used()) return of_a;
  const double lambda = alchemy.masses_of(static_cast<std::size_t>(alchemy.state));
  return (1.0 - lambda) * of_a + lambda * mass_in_state_b(input, type);
}

bool masses_change(const Input& input) {
  for (std::size_t type = 0; type < input.types.size(); ++type) {
    if (mass_in_state_b(input, type) != input.types[type].mass) return true;
  }
  return false;
}

std::vector<std::optional<std::size_t>> mutated_types(const Input& input) {
  std::vector<std::optional<std::size_t>> found;
  const auto index_of = [&](std::string_view name) -> std::optional<std::size_t> {
    const auto at = std::ranges::find(input.types, name, &Input::Type::name);
    if (at == input.types.end()) return std::nullopt;
    return static_cast<std::size_t>(at - input.types.begin());
  };
  for (std::size_t n = 0; n < input.types.size(); ++n) found.emplace_back(n);
  for (const MutationSection& mutation : input.tables<MutationSection>()) {
    if (const auto at = index_of(mutation.type)) found[*at] = index_of(mutation.becomes);
  }
  return found;
}

double mutated_charge(const Input& input, std::string_view type, double charge) {
  for (const MutationSection& mutation : input.tables<MutationSection>()) {
    if (mutation.type == type) return mutation.charge.value_or(charge);
  }
  return charge;
}

}  // namespace sterna::md

#include "md/forces/pair/input/pairs_physics.hpp"

#include "md/forces/pair/input/check_pair_potentials.hpp"
#include "md/forces/pair/input/check_precision.hpp"
#include "md/forces/pair/input/pair_advice.hpp"
#include "md/forces/pair/input/pair_functions_from_input.hpp"
#include "md/forces/pair/input/pair_sections.hpp"
#include "md/forces/pair/input/potential_page.hpp"

namespace sterna::md {
namespace {

std::string text_of_tables(const Input& input) {
  std::string text;
  for (const Input::Pair& pair : input.pairs) {
    if (!pair.table.empty()) text += pair_table_text(input, pair);
  }
  return text;
}

}  // namespace

PhysicsRow physics::pairs() {
  return {.name = "pairs",
          .sentence = "potentials of pairs of atoms, and how they end at the cutoff",
          .sections = {section::pair},
          .keys = keys_of_pairs,
          .check = check_pair_potentials,
          .check_good = check_precision,
          .advise = advise_on_pairs,
          .files = {{"pair_tables", "a table of pairs", text_of_tables}},
          .pages = potential_pages};
}

}  // namespace sterna::md

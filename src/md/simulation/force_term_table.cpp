#include "md/simulation/force_term_table.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace sterna::md {

const Registry<ForceTermRow>& force_term_table() {
  static const Registry<ForceTermRow> table("force term", {
#define STERNA_FORCE_TERM(name) force_term::name(),
#include "md/simulation/force_term_list.inc"
#undef STERNA_FORCE_TERM
                                                          });
  return table;
}

std::vector<std::unique_ptr<ForceTerm>> make_force_terms(const TermRequest& request) {
  std::vector<std::unique_ptr<ForceTerm>> terms;
  TermRequest of_row = request;
  for (const ForceTermRow& row : force_term_table()) {
    of_row.earlier = terms;
    if (auto term = row.make(of_row)) terms.push_back(std::move(term));
  }
  return terms;
}

}  // namespace sterna::md

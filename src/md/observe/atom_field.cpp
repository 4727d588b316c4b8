#include "md/observe/atom_field.hpp"

#include <fmt/format.h>

#include "md/core/display_text.hpp"

namespace sterna::md {

void check_field(const Input& input, const IsGood& is_good, const Report& report,
                 std::string_view name) {
  const std::string place = fmt::format("{}.field", name);
  const std::string field = observer_rows().find(name)->field(input);
  if (field.empty() || !is_good(place)) return;
  if (const std::string fault = fault_of({.name = field}); !fault.empty()) {
    report(Severity::error, place, fault);
    return;
  }
  for (const ObserverRow& row : observer_rows()) {
    if (row.schema.name == name) return;
    if (row.field == nullptr || row.interval(input) == 0 || row.field(input) != field) continue;
    report(Severity::error, place,
           fmt::format("[{}] has a field {} already; expected another name", row.schema.name,
                       quote(field)));
  }
}

}  // namespace sterna::md

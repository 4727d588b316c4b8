#include "md/observe/atom_field.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "md/core/display_text.hpp"
#include "md/core/file_error.hpp"

namespace sterna::md {

AtomField::AtomField(const ObserverRequest& request, std::string_view name) : field_(nullptr) {
  if (name.empty()) return;
  try {
    field_ = &request.fields.add(name, 1, not_observed);
  } catch (const std::invalid_argument& error) {
    throw FileError(fmt::format("the key field = {}: {}", quote(name), error.what()));
  }
}

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

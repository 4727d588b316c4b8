#include "md/start/readers/type_names.hpp"

#include <fmt/format.h>

#include "md/core/display_text.hpp"
#include "md/input/fields.hpp"
#include "sterna/comm/nearest_name.hpp"

namespace sterna::md {

std::int64_t TypeNames::find_number(const LineReader& reader, std::string_view word,
                                    std::string_view place) const {
  std::int64_t number = 0;
  if (parse_integer(word, number)) {
    if (number >= 1 && number <= count()) return number - 1;
    reader.fail(place, fmt::format("particle type {}, but the input has {} {} section{}", word,
                                   count(), section_, count() == 1 ? "" : "s"));
  }
  if (word.empty()) reader.fail(place, "expected a particle type; found the end of the line");
  const std::vector<std::string_view> views(names_.begin(), names_.end());
  const auto nearest = comm::nearest_name(word, views);
  std::string hint;
  if (nearest) {
    hint = fmt::format("; did you mean {}?", quote(*nearest));
  } else {
    hint = "; the input has ";
    for (std::size_t type = 0; type < names_.size() && type < 8; ++type) {
      hint += (type == 0 ? "" : ", ") + quote(names_[type]);
    }
    if (names_.size() > 8) hint += ", ...";
  }
  reader.fail(place, fmt::format("unknown particle type {}{}", quote(word), hint));
}

}  // namespace sterna::md

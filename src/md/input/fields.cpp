#include "md/input/fields.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "md/core/display_text.hpp"

namespace sterna::md {
namespace {

std::string found(std::string_view field) {
  return field.empty() ? std::string("the end of the line") : quote(field);
}

/// The field without a plus sign, which std::from_chars does not accept.
std::string_view without_plus(std::string_view field) {
  if (field.size() > 1 && field[0] == '+' && field[1] != '-' && field[1] != '+') {
    field.remove_prefix(1);
  }
  return field;
}

}  // namespace

bool parse_number(std::string_view field, double& value) {
  field = without_plus(field);
  const char* end = field.data() + field.size();
  const auto result = std::from_chars(field.data(), end, value);
  if (result.ptr != end || field.empty()) return false;
  if (result.ec == std::errc::result_out_of_range) {
    value = std::strtod(std::string(field).c_str(), nullptr);  // 0, subnormal or infinite
  } else if (result.ec != std::errc()) {
    return false;
  }
  return std::isfinite(value);
}

bool parse_integer(std::string_view field, std::int64_t& value) {
  field = without_plus(field);
  const char* end = field.data() + field.size();
  const auto result = std::from_chars(field.data(), end, value);
  return result.ec == std::errc() && result.ptr == end && !field.empty();
}

double slow_number(const LineReader& reader, std::string_view field, std::string_view what) {
  double value = 0.0;
  if (!parse_number(field, value)) fail_number(reader, field, what);
  return value;
}

void fail_number(const LineReader& reader, std::string_view field, std::string_view what) {
  double value = 0.0;
  const std::string_view digits = without_plus(field);
  const char* end = digits.data() + digits.size();
  const auto result = std::from_chars(digits.data(), end, value);
  if (!digits.empty() && result.ptr == end && result.ec != std::errc::invalid_argument) {
    reader.fail(field, fmt::format("{} must be a finite number, not {}", what, found(field)));
  }
  reader.fail(field, fmt::format("expected {}, a number; found {}", what, found(field)));
}

void fail_integer(const LineReader& reader, std::string_view field, std::string_view what,
                  std::int64_t smallest, std::int64_t largest) {
  const std::string_view digits = without_plus(field);
  const std::size_t sign = digits.starts_with('-') ? 1 : 0;
  if (digits.size() == sign || digits.find_first_not_of("0123456789", sign) != digits.npos) {
    reader.fail(field, fmt::format("expected {}, a whole number; found {}", what, found(field)));
  }
  reader.fail(field, fmt::format("{} must be from {} to {}", what, smallest, largest));
}

Vec3 velocity(const LineReader& reader, Fields& fields, double unit) {
  constexpr std::string_view names[3] = {"the x velocity", "the y velocity", "the z velocity"};
  Vec3 result;
  for (int axis = 0; axis < 3; ++axis) {
    const std::string_view field = fields.next();
    result[axis] = unit * number(reader, field, names[axis]);
    if (!std::isfinite(result[axis])) {
      reader.fail(field, fmt::format("{} is too large", names[axis]));
    }
  }
  return result;
}

void expect_end_of_line(const LineReader& reader, Fields& fields, std::string_view line) {
  const std::string_view extra = fields.next();
  if (extra.empty()) return;
  reader.fail(extra,
              fmt::format("expected the end of the line after {}; found {}", line, found(extra)));
}

}  // namespace sterna::md

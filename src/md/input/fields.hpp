#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "md/core/vector.hpp"
#include "md/input/line_reader.hpp"

namespace sterna::md {

/// The blank-separated fields of a line, from left to right.
class Fields {
 public:
  explicit Fields(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  /// The next field; empty after the last one.
  std::string_view next() {
    while (at_ != end_ && is_blank(*at_)) ++at_;
    const char* begin = at_;
    while (at_ != end_ && !is_blank(*at_)) ++at_;
    return {begin, static_cast<std::size_t>(at_ - begin)};
  }
  /// The rest of the line, without blanks at either end.
  std::string_view rest() {
    while (at_ != end_ && is_blank(*at_)) ++at_;
    const char* last = end_;
    while (last != at_ && is_blank(last[-1])) --last;
    return {at_, static_cast<std::size_t>(last - at_)};
  }

  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }

 private:
  const char* at_;
  const char* end_;
};

inline bool is_blank_line(std::string_view line) {
  return Fields(line).next().empty();
}

/// As `number` and `integer`, but returning false instead of throwing.
bool parse_number(std::string_view field, double& value);
bool parse_integer(std::string_view field, std::int64_t& value);

/// Throw the error of `number` and `integer`; they are separate so that the quick path is inline.
[[noreturn]] void fail_number(const LineReader& reader, std::string_view field,
                              std::string_view what);
[[noreturn]] void fail_integer(const LineReader& reader, std::string_view field,
                               std::string_view what, std::int64_t smallest, std::int64_t largest);
double slow_number(const LineReader& reader, std::string_view field, std::string_view what);

/// The field as a finite number; `what` names it in the error: "the x coordinate".
inline double number(const LineReader& reader, std::string_view field, std::string_view what) {
  double value = 0.0;
  const char* end = field.data() + field.size();
  const auto result = std::from_chars(field.data(), end, value);
  // The difference of a finite number with itself is 0; of infinity and NaN it is NaN.
  if (result.ec == std::errc() && result.ptr == end && value - value == 0.0) return value;
  return slow_number(reader, field, what);
}

/// Reads three fields as a velocity in internal units. `unit`: the file's unit of velocity in
/// internal units.
Vec3 velocity(const LineReader& reader, Fields& fields, double unit);

/// The field as a whole number in [smallest, largest].
inline std::int64_t integer(const LineReader& reader, std::string_view field, std::string_view what,
                            std::int64_t smallest, std::int64_t largest) {
  std::int64_t value = 0;
  if (parse_integer(field, value) && value >= smallest && value <= largest) return value;
  fail_integer(reader, field, what, smallest, largest);
}

/// Throws if the line has a further field; `line` describes the expected line.
void expect_end_of_line(const LineReader& reader, Fields& fields, std::string_view line);

}  // namespace sterna::md

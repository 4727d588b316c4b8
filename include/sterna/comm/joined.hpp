#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace sterna::comm {

// These functions are compiled once, while fmt::join would compile a formatter into each file that
// calls it.

/// Joins the parts with `between` between them; numbers are formatted as `{}`.
std::string joined(std::span<const std::string> parts, std::string_view between);
std::string joined(std::span<const std::string_view> parts, std::string_view between);
std::string joined(std::span<const int> parts, std::string_view between);
std::string joined(std::span<const std::int64_t> parts, std::string_view between);
std::string joined(std::span<const double> parts, std::string_view between);

}  // namespace sterna::comm

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace sterna::comm {

// These are compiled once, while fmt::join compiles a formatter into each file that calls it.

/// The parts with `between` between them; numbers as `{}` writes them.
std::string joined(std::span<const std::string> parts, std::string_view between);
std::string joined(std::span<const std::string_view> parts, std::string_view between);
std::string joined(std::span<const int> parts, std::string_view between);
std::string joined(std::span<const std::int64_t> parts, std::string_view between);
std::string joined(std::span<const double> parts, std::string_view between);

}  // namespace sterna::comm

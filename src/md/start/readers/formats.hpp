#pragma once

#include <cstdint>
#include <string_view>

#include "md/input/line_reader.hpp"

// What readers of all formats share.

namespace sterna::md {

/// Ids are part of the counters of random numbers, which leave them 48 bits.
constexpr std::int64_t largest_id = (std::int64_t{1} << 48) - 1;
constexpr std::int64_t most_particles = std::int64_t{1} << 47;

/// Throws at the line behind the last, where the file ended too early.
[[noreturn]] void fail_early_end(const LineReader& reader, std::int64_t read,
                                 std::int64_t expected);
/// Whether the line is one whole number, as that of the particles is in several formats.
bool is_one_integer(std::string_view line);
/// Whether the second line of an XYZ file makes it an extended one.
bool is_comment_of_extended_xyz(std::string_view line);
/// Throws unless only blank lines follow.
void expect_end_of_file(LineReader& reader, std::int64_t particles);

}  // namespace sterna::md

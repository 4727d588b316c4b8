#pragma once

#include <cstdint>
#include <string_view>

#include "md/input/line_reader.hpp"

// Functions and limits that the readers of all formats share.

namespace sterna::md {

/// Ids have at most 48 bits, because they are a part of the counters of random numbers.
constexpr std::int64_t largest_id = (std::int64_t{1} << 48) - 1;
constexpr std::int64_t most_particles = std::int64_t{1} << 47;

/// Throws an error, behind the last line, that the file ended too early.
[[noreturn]] void fail_early_end(const LineReader& reader, std::int64_t read,
                                 std::int64_t expected);
/// Whether the line is a single whole number, as the number of particles is in several formats.
bool is_one_integer(std::string_view line);
/// Whether an XYZ file with this second line is an extended one.
bool is_comment_of_extended_xyz(std::string_view line);
/// Throws unless only blank lines follow.
void expect_end_of_file(LineReader& reader, std::int64_t particles);

}  // namespace sterna::md

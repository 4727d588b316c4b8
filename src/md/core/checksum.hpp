#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace sterna::md {

/// XXH64 of the bytes: a 64-bit checksum that finds any damaged byte of a file for about the price
/// of reading it. Algorithm: Y. Collet, "xxHash fast digest algorithm", format description 0.1.1.
std::uint64_t xxh64(std::span<const std::byte> bytes, std::uint64_t seed = 0);

}  // namespace sterna::md

#include "md/core/checksum.hpp"

#include <bit>
#include <cstring>

namespace sterna::md {
namespace {

constexpr std::uint64_t prime_1 = 0x9E3779B185EBCA87ULL;
constexpr std::uint64_t prime_2 = 0xC2B2AE3D27D4EB4FULL;
constexpr std::uint64_t prime_3 = 0x165667B19E3779F9ULL;
constexpr std::uint64_t prime_4 = 0x85EBCA77C2B2AE63ULL;
constexpr std::uint64_t prime_5 = 0x27D4EB2F165667C5ULL;

template <class T>
std::uint64_t load(const std::byte* bytes) {
  static_assert(std::endian::native == std::endian::little);
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

std::uint64_t round(std::uint64_t lane, std::uint64_t input) {
  return std::rotl(lane + input * prime_2, 31) * prime_1;
}

std::uint64_t merge(std::uint64_t hash, std::uint64_t lane) {
  return (hash ^ round(0, lane)) * prime_1 + prime_4;
}

}  // namespace

std::uint64_t xxh64(std::span<const std::byte> bytes, std::uint64_t seed) {
  const std::byte* next = bytes.data();
  std::size_t left = bytes.size();
  std::uint64_t hash;
  if (left >= 32) {
    std::uint64_t lanes[4] = {seed + prime_1 + prime_2, seed + prime_2, seed, seed - prime_1};
    for (; left >= 32; next += 32, left -= 32) {
      for (int lane = 0; lane < 4; ++lane) {
        lanes[lane] = round(lanes[lane], load<std::uint64_t>(next + 8 * lane));
      }
    }
    hash = std::rotl(lanes[0], 1) + std::rotl(lanes[1], 7) + std::rotl(lanes[2], 12) +
           std::rotl(lanes[3], 18);
    for (const std::uint64_t lane : lanes) hash = merge(hash, lane);
  } else {
    hash = seed + prime_5;
  }
  hash += bytes.size();
  for (; left >= 8; next += 8, left -= 8) {
    hash = std::rotl(hash ^ round(0, load<std::uint64_t>(next)), 27) * prime_1 + prime_4;
  }
  if (left >= 4) {
    hash = std::rotl(hash ^ (load<std::uint32_t>(next) * prime_1), 23) * prime_2 + prime_3;
    next += 4, left -= 4;
  }
  for (; left > 0; ++next, --left) {
    hash = std::rotl(hash ^ (load<std::uint8_t>(next) * prime_5), 11) * prime_1;
  }
  hash = (hash ^ (hash >> 33)) * prime_2;
  hash = (hash ^ (hash >> 29)) * prime_3;
  return hash ^ (hash >> 32);
}

}  // namespace sterna::md

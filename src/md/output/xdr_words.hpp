#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sterna::md {

/// Big-endian 32-bit words (XDR, RFC 4506).
class XdrWords {
 public:
  XdrWords& put(std::uint32_t word) {
    for (int shift = 24; shift >= 0; shift -= 8) {
      bytes_.push_back(static_cast<std::byte>(word >> shift & 0xffU));
    }
    return *this;
  }
  XdrWords& put(std::int64_t number) { return put(static_cast<std::uint32_t>(number)); }
  XdrWords& put(double number) {
    return put(std::bit_cast<std::uint32_t>(static_cast<float>(number)));
  }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

inline std::uint32_t word_at(std::span<const std::byte> bytes, std::size_t place) {
  std::uint32_t word = 0;
  for (const std::byte byte : bytes.subspan(place, 4)) {
    word = word << 8 | std::to_integer<std::uint32_t>(byte);
  }
  return word;
}

}  // namespace sterna::md

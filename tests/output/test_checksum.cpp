#include <doctest/doctest.h>

#include <vector>

#include "md/core/checksum.hpp"

using sterna::md::xxh64;

namespace {

std::vector<std::byte> counting(std::size_t size) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < size; ++i) bytes.push_back(static_cast<std::byte>(i % 251));
  return bytes;
}

}  // namespace

// Known answers: the reference implementation (PyPI xxhash 3).
TEST_CASE("XXH64 gives the known answers") {
  CHECK(xxh64({}) == 0xef46db3751d8e999);
  CHECK(xxh64(std::as_bytes(std::span("a", 1))) == 0xd24ec4f1a98c6e5b);
  CHECK(xxh64(std::as_bytes(std::span("abc", 3))) == 0x44bc2cf5ad770999);
  CHECK(xxh64(counting(31)) == 0xc346d2b59b4d8ee1);
  CHECK(xxh64(counting(32)) == 0xcbf59c5116ff32b4);
  CHECK(xxh64(counting(77)) == 0x93f85c1b6280ead3);
  CHECK(xxh64(counting(1000)) == 0xf306f04aa88b54d3);
  CHECK(xxh64(counting(1000), 2026) == 0xa737904dc9b13b8f);
}

TEST_CASE("XXH64 sees every flipped bit") {
  auto bytes = counting(77);
  const auto whole = xxh64(bytes);
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    bytes[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    CHECK(xxh64(bytes) != whole);
    bytes[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
  }
}

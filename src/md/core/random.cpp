#include "md/core/random.hpp"

#include <Random123/philox.h>

#include <cmath>
#include <numbers>

namespace sterna::md {

std::array<std::uint32_t, 4> philox4x32_10(const std::array<std::uint32_t, 4>& counter,
                                           const std::array<std::uint32_t, 2>& key) {
  const r123::Philox4x32_R<10>::ctr_type c = {{counter[0], counter[1], counter[2], counter[3]}};
  const r123::Philox4x32_R<10>::key_type k = {{key[0], key[1]}};
  const auto result = r123::Philox4x32_R<10>()(c, k);
  return {result.v[0], result.v[1], result.v[2], result.v[3]};
}

namespace {

std::uint32_t low_word(std::uint64_t value) {
  return static_cast<std::uint32_t>(value);
}
std::uint32_t high_word(std::uint64_t value) {
  return static_cast<std::uint32_t>(value >> 32);
}

}  // namespace

RandomStream::RandomStream(std::uint64_t seed, RandomPurpose purpose) {
  // The generator itself mixes the purpose into the key, so that the whole counter remains for id,
  // step and index.
  const auto mixed = philox4x32_10({static_cast<std::uint32_t>(purpose), 0, 0, 0},
                                   {low_word(seed), high_word(seed)});
  key_ = {mixed[0], mixed[1]};
}

std::array<std::uint32_t, 4> RandomStream::block(std::uint64_t id, std::uint64_t step,
                                                 std::uint32_t index) const {
  const std::uint32_t tops = (high_word(id) << 16) | (high_word(step) & 0xffffu);
  return philox4x32_10({low_word(id), low_word(step), tops, index}, key_);
}

RandomSequence RandomStream::sequence(std::uint64_t id, std::uint64_t step) const {
  return RandomSequence(*this, id, step);
}

std::uint64_t RandomSequence::bits() {
  if (has_spare_bits_) {
    has_spare_bits_ = false;
    return spare_bits_;
  }
  const auto words = stream_.block(id_, step_, next_index_++);
  spare_bits_ = (std::uint64_t{words[3]} << 32) | words[2];
  has_spare_bits_ = true;
  return (std::uint64_t{words[1]} << 32) | words[0];
}

double RandomSequence::uniform() {
  // 52 random bits plus a half. With one more bit the largest value would round to 1.
  return (static_cast<double>(bits() >> 12) + 0.5) * 0x1p-52;
}

std::uint64_t RandomSequence::below(std::uint64_t bound) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((Wide{bits()} * bound) >> 64);
}

double RandomSequence::normal() {
  if (has_spare_normal_) {
    has_spare_normal_ = false;
    return spare_normal_;
  }
  const double radius = std::sqrt(-2.0 * std::log(uniform()));
  const double angle = 2.0 * std::numbers::pi * uniform();
  spare_normal_ = radius * std::sin(angle);
  has_spare_normal_ = true;
  return radius * std::cos(angle);
}

double RandomSequence::gamma(double shape) {
  if (shape < 1.0) {
    const double larger = gamma(shape + 1.0);
    return larger * std::pow(uniform(), 1.0 / shape);
  }
  const double d = shape - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  for (;;) {
    const double x = normal();
    const double root = 1.0 + c * x;
    if (root <= 0.0) continue;
    const double v = root * root * root;
    if (std::log(uniform()) < 0.5 * x * x + d * (1.0 - v + std::log(v))) return d * v;
  }
}

double RandomSequence::chi_squared(double degrees) {
  return degrees > 0.0 ? 2.0 * gamma(0.5 * degrees) : 0.0;
}

}  // namespace sterna::md

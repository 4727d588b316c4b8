#include "md/core/random.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "md/core/keyed_permutation.hpp"

using namespace sterna::md;

namespace {

using Words4 = std::array<std::uint32_t, 4>;

struct Moments {
  double mean, variance, skewness, excess;
};

Moments moments(const std::vector<double>& values) {
  const double count = static_cast<double>(values.size());
  double mean = 0.0;
  for (const double v : values) mean += v / count;
  double second = 0.0, third = 0.0, fourth = 0.0;
  for (const double v : values) {
    const double d = v - mean;
    second += d * d / count;
    third += d * d * d / count;
    fourth += d * d * d * d / count;
  }
  return {mean, second, third / std::pow(second, 1.5), fourth / (second * second) - 3.0};
}

/// Chi-squared of a histogram against equal expectation in each bin.
double chi_squared_of(const std::vector<double>& uniforms, int bins) {
  std::vector<double> histogram(bins, 0.0);
  for (const double u : uniforms) {
    histogram[std::min(bins - 1, static_cast<int>(u * bins))] += 1.0;
  }
  const double expected = static_cast<double>(uniforms.size()) / bins;
  double sum = 0.0;
  for (const double h : histogram) sum += (h - expected) * (h - expected) / expected;
  return sum;
}

double normal_cdf(double x) {
  return 0.5 * std::erfc(-x / std::sqrt(2.0));
}

}  // namespace

TEST_CASE("Philox4x32-10 gives the known answers published with Random123") {
  CHECK(philox4x32_10({0, 0, 0, 0}, {0, 0}) ==
        Words4{0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u});
  const std::uint32_t ones = 0xffffffffu;
  CHECK(philox4x32_10({ones, ones, ones, ones}, {ones, ones}) ==
        Words4{0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu});
  CHECK(philox4x32_10({0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u},
                      {0xa4093822u, 0x299f31d0u}) ==
        Words4{0xd16cfe09u, 0x94fdcceb, 0x5001e420u, 0x24126ea1u});
}

TEST_CASE("every part of the key changes the numbers") {
  const RandomStream stream(1, RandomPurpose::velocity);
  std::set<Words4> blocks;
  blocks.insert(stream.block(1, 0, 0));
  blocks.insert(stream.block(2, 0, 0));
  blocks.insert(stream.block(1, 1, 0));
  blocks.insert(stream.block(1, 0, 1));
  blocks.insert(stream.block(1 + (1ull << 32), 0, 0));
  blocks.insert(stream.block(1 + (1ull << 47), 0, 0));
  blocks.insert(stream.block(1, 1ull << 32, 0));
  blocks.insert(stream.block(1, 1ull << 47, 0));
  blocks.insert(RandomStream(2, RandomPurpose::velocity).block(1, 0, 0));
  blocks.insert(RandomStream(1 + (1ull << 32), RandomPurpose::velocity).block(1, 0, 0));
  blocks.insert(RandomStream(1, RandomPurpose::thermostat).block(1, 0, 0));
  CHECK(blocks.size() == 11);
}

TEST_CASE("a sequence does not depend on what other sequences do") {
  const RandomStream stream(5, RandomPurpose::thermostat);
  auto alone = stream.sequence(3, 7);
  const double first = alone.normal(), second = alone.gamma(2.5), third = alone.uniform();
  auto again = stream.sequence(3, 7);
  auto other = stream.sequence(4, 7);
  CHECK(again.normal() == first);
  other.normal();
  CHECK(again.gamma(2.5) == second);
  other.gamma(0.5);
  CHECK(again.uniform() == third);
}

TEST_CASE("a seed means the same numbers in every version") {
  auto sequence = RandomStream(2026, RandomPurpose::velocity).sequence(1, 0);
  CHECK(sequence.bits() == 8262237893003625815ull);
  CHECK(sequence.normal() == doctest::Approx(-0.55157266587904197).epsilon(1e-14));
}

TEST_CASE("uniform numbers are uniform, open and uncorrelated") {
  const RandomStream stream(42, RandomPurpose::displacement);
  std::vector<double> within, across;
  auto sequence = stream.sequence(0, 0);
  for (int i = 0; i < 200000; ++i) {
    within.push_back(sequence.uniform());
    across.push_back(stream.sequence(static_cast<std::uint64_t>(i), 0).uniform());
  }
  for (const auto& values : {within, across}) {
    CHECK(*std::min_element(values.begin(), values.end()) > 0.0);
    CHECK(*std::max_element(values.begin(), values.end()) < 1.0);
    const Moments m = moments(values);
    CHECK(std::abs(m.mean - 0.5) < 4.0 * std::sqrt(1.0 / 12.0 / 200000.0));
    CHECK(std::abs(m.variance - 1.0 / 12.0) < 4.0 * std::sqrt(1.0 / 180.0 / 200000.0));
    // 255 degrees of freedom: 4 standard deviations of sqrt(2 * 255).
    CHECK(std::abs(chi_squared_of(values, 256) - 255.0) < 4.0 * std::sqrt(510.0));
    double correlation = 0.0;
    for (std::size_t i = 1; i < values.size(); ++i) {
      correlation += (values[i] - 0.5) * (values[i - 1] - 0.5);
    }
    CHECK(std::abs(correlation / 200000.0 * 12.0) < 4.0 / std::sqrt(200000.0));
  }
}

TEST_CASE("below is uniform over its range") {
  auto sequence = RandomStream(9, RandomPurpose::vacancy).sequence(0, 0);
  std::vector<int> counts(7, 0);
  for (int i = 0; i < 70000; ++i) ++counts[sequence.below(7)];
  double chi_squared = 0.0;
  for (const int count : counts) chi_squared += (count - 10000.0) * (count - 10000.0) / 10000.0;
  CHECK(chi_squared < 22.5);  // p = 0.001 at 6 degrees of freedom
  CHECK(sequence.below(1) == 0);
}

TEST_CASE("normal deviates are normal") {
  const RandomStream stream(7, RandomPurpose::velocity);
  std::vector<double> values, uniforms;
  for (std::uint64_t id = 1; id <= 70000; ++id) {
    auto sequence = stream.sequence(id, 0);
    for (int i = 0; i < 3; ++i) values.push_back(sequence.normal());
  }
  const double count = static_cast<double>(values.size());
  const Moments m = moments(values);
  CHECK(std::abs(m.mean) < 4.0 / std::sqrt(count));
  CHECK(std::abs(m.variance - 1.0) < 4.0 * std::sqrt(2.0 / count));
  CHECK(std::abs(m.skewness) < 4.0 * std::sqrt(6.0 / count));
  CHECK(std::abs(m.excess) < 4.0 * std::sqrt(24.0 / count));
  for (const double v : values) uniforms.push_back(normal_cdf(v));
  CHECK(std::abs(chi_squared_of(uniforms, 128) - 127.0) < 4.0 * std::sqrt(254.0));
}

TEST_CASE("gamma and chi-squared deviates have their moments") {
  for (const double shape : {0.5, 1.0, 2.5, 149.5, 3.0e6}) {
    CAPTURE(shape);
    const RandomStream stream(11, RandomPurpose::thermostat);
    std::vector<double> values;
    for (std::uint64_t step = 0; step < 100000; ++step) {
      values.push_back(stream.sequence(0, step).gamma(shape));
    }
    const Moments m = moments(values);
    CHECK(std::abs(m.mean - shape) < 4.0 * std::sqrt(shape / 1e5));
    const double kurtosis = 3.0 + 6.0 / shape;
    CHECK(std::abs(m.variance / shape - 1.0) < 4.0 * std::sqrt((kurtosis - 1.0) / 1e5));
    CHECK(*std::min_element(values.begin(), values.end()) > 0.0);
  }
  // One degree of freedom: the square of a normal deviate.
  std::vector<double> uniforms;
  const RandomStream stream(12, RandomPurpose::thermostat);
  for (std::uint64_t step = 0; step < 100000; ++step) {
    const double x = stream.sequence(0, step).chi_squared(1.0);
    uniforms.push_back(std::erf(std::sqrt(0.5 * x)));
  }
  CHECK(std::abs(chi_squared_of(uniforms, 128) - 127.0) < 4.0 * std::sqrt(254.0));
  CHECK(stream.sequence(0, 0).chi_squared(0.0) == 0.0);
}

TEST_CASE("a keyed permutation is a permutation, and a different one for each seed") {
  for (const std::uint64_t size : {1u, 2u, 3u, 5u, 16u, 17u, 97u, 1000u, 4099u}) {
    CAPTURE(size);
    const KeyedPermutation permutation(size, RandomStream(1, RandomPurpose::type));
    std::vector<bool> seen(size, false);
    for (std::uint64_t i = 0; i < size; ++i) {
      const std::uint64_t image = permutation(i);
      REQUIRE(image < size);
      CHECK_FALSE(seen[image]);
      seen[image] = true;
    }
  }
  const KeyedPermutation one(1000, RandomStream(1, RandomPurpose::type));
  const KeyedPermutation two(1000, RandomStream(2, RandomPurpose::type));
  int same = 0, fixed = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    same += one(i) == two(i);
    fixed += one(i) == i;
  }
  CHECK(same < 8);
  CHECK(fixed < 8);
}

TEST_CASE("a keyed permutation mixes: neighbors go to independent places") {
  const std::uint64_t size = 100000;
  const KeyedPermutation permutation(size, RandomStream(3, RandomPurpose::type));
  std::vector<double> distances;
  double correlation = 0.0;
  std::uint64_t previous = permutation(size - 1);
  for (std::uint64_t i = 0; i < size; ++i) {
    const std::uint64_t image = permutation(i);
    distances.push_back(static_cast<double>((image + size - previous) % size) / size);
    correlation += (static_cast<double>(image) / size - 0.5) *
                   (static_cast<double>(i) / size - 0.5) * 12.0 / size;
    previous = image;
  }
  CHECK(std::abs(chi_squared_of(distances, 64) - 63.0) < 4.0 * std::sqrt(126.0));
  CHECK(std::abs(correlation) < 4.0 / std::sqrt(1e5));
}

TEST_CASE("a keyed permutation reaches to the largest systems") {
  const std::uint64_t size = (1ull << 48) - 59;
  const KeyedPermutation permutation(size, RandomStream(3, RandomPurpose::type));
  std::set<std::uint64_t> images;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const std::uint64_t image = permutation(size - 1 - i);
    CHECK(image < size);
    images.insert(image);
  }
  CHECK(images.size() == 1000);
}

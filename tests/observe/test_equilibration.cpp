#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <vector>

#include "md/observe/batch_means.hpp"
#include "md/observe/equilibration.hpp"

using namespace sterna::md;

namespace {

/// x' = share x + noise: the autocorrelation after n values is share^n.
std::vector<double> correlated(std::size_t count, double share, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  std::vector<double> series;
  double x = 0.0;
  for (std::size_t i = 0; i < count + 100; ++i) {
    x = share * x + normal(engine);
    if (i >= 100) series.push_back(x);
  }
  return series;
}

}  // namespace

TEST_CASE("the statistical inefficiency of correlated noise") {
  for (const double share : {0.0, 0.5, 0.8}) {
    CAPTURE(share);
    double sum = 0.0;
    for (unsigned seed = 1; seed <= 10; ++seed) {
      sum += statistical_inefficiency(correlated(2000, share, seed)) / 10.0;
    }
    CHECK(sum == doctest::Approx((1.0 + share) / (1.0 - share)).epsilon(0.15));
  }
  CHECK(statistical_inefficiency(std::vector<double>(50, 2.0)) == 1.0);
}

TEST_CASE("what relaxes is left out, and little of what does not") {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    CAPTURE(seed);
    std::vector<double> series = correlated(250, 0.3, seed);
    CHECK(equilibration_length(series) < 60);
    for (std::size_t i = 0; i < series.size(); ++i) {
      series[i] += 40.0 * std::exp(-static_cast<double>(i) / 12.0);
    }
    const std::size_t length = equilibration_length(series);
    CHECK(length > 25);
    CHECK(length < 140);
  }
  CHECK(equilibration_length(std::vector<double>(100, 1.0)) == 0);
  CHECK(equilibration_length(std::vector<double>{9, 1, 1, 1, 1}) == 0);
}

TEST_CASE("batches become longer, and their means stay those of the values") {
  BatchMeans batches(2);
  std::vector<double> values;
  for (int i = 0; i < 3000; ++i) {
    values.push_back(std::sin(0.01 * i) + 0.001 * i);
    const double pair[] = {values.back(), -values.back()};
    batches.add(10 * i, pair);
    CHECK(batches.batch_count() < BatchMeans::most_batches);
  }
  CHECK(batches.count() == 3000);
  CHECK(batches.batch_length() == 16);
  const auto mean_of = [&](std::size_t begin, std::size_t end) {
    double sum = 0.0;
    for (std::size_t i = begin; i < end; ++i) sum += values[i];
    return sum / static_cast<double>(end - begin);
  };
  for (const std::size_t batch : {0, 7, 100}) {
    CHECK(batches.first_step(batch) == static_cast<std::int64_t>(160 * batch));
    CHECK(batches.means(0)[batch] == doctest::Approx(mean_of(16 * batch, 16 * batch + 16)));
    CHECK(batches.mean_from(batch, 1) == doctest::Approx(-mean_of(16 * batch, 3000)));
  }
  BatchMeans restored(2);
  restored.set_state(batches.state());
  const double more[] = {1.0, 2.0};
  restored.add(30000, more);
  batches.add(30000, more);
  CHECK(restored.state() == batches.state());
  BatchMeans other(3);
  other.set_state(batches.state());
  CHECK(other.count() == 0);
}

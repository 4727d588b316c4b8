// Errors of means and of functions of them, by series whose correlation is known. The judge is the
// spread of many series.

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "md/observe/batch_means.hpp"
#include "md/observe/jackknife.hpp"
#include "md/observe/series_error.hpp"

using namespace sterna::md;

namespace {

/// Noise of variance 1 whose correlation falls to 1/e in `time` values.
class Noise {
 public:
  explicit Noise(double time, unsigned seed = 17)
      : share_(time > 0.0 ? std::exp(-1.0 / time) : 0.0), engine_(seed) {
    x_ = normal_(engine_);
  }
  double next() {
    x_ = share_ * x_ + std::sqrt(1.0 - share_ * share_) * normal_(engine_);
    return x_;
  }

 private:
  double share_, x_ = 0.0;
  std::mt19937_64 engine_;
  std::normal_distribution<double> normal_;
};

/// How often a result lies within one error, and the spread of results by their mean error.
struct Judgment {
  double covered = 0.0, spread_by_error = 0.0, independent = 0.0;
};

constexpr int runs = 1000;

/// Of -ln<exp(height x)>, whose exact value is -height^2 / 2, from series of 1024 values in blocks.
Judgment judge(Noise& noise, double height, std::size_t blocks) {
  constexpr std::size_t count = 1024;
  const double exact = -0.5 * height * height;
  double sum = 0.0, squares = 0.0, errors = 0.0;
  Judgment found;
  for (int run = 0; run < runs; ++run) {
    std::vector<double> sums(blocks, 0.0);
    for (std::size_t k = 0; k < count; ++k) {
      sums[k * blocks / count] += std::exp(height * noise.next());
    }
    std::vector<double> with_counts;
    for (const double of_block : sums) {
      with_counts.insert(with_counts.end(), {of_block, static_cast<double>(count / blocks)});
    }
    const Jackknife one = jackknife(with_counts, 2, 0, blocks, [](const std::vector<double>& part) {
      return std::vector<double>{-std::log(part[0] / part[1])};
    });
    sum += one.values[0] / runs;
    squares += one.values[0] * one.values[0] / runs;
    errors += one.errors[0] / runs;
    found.covered += (std::abs(one.values[0] - exact) < one.errors[0]) / double{runs};
    found.independent += one.independent[0] / runs;
  }
  found.spread_by_error = std::sqrt(squares - sum * sum) / errors;
  return found;
}

}  // namespace

TEST_CASE("errors of averages of short runs are the spread of many") {
  // The log and the observers keep means of batches. A time of 20 is that of the shortest runs that
  // are not warned of, of 50 correlation times.
  struct Case {
    double time, least, most;  // of the spread by the error
  };
  for (const Case& one : {Case{0.0, 0.85, 1.0}, Case{5.0, 0.88, 1.05}, Case{20.0, 0.9, 1.08}}) {
    CAPTURE(one.time);
    Noise noise(one.time);
    double sum = 0.0, squares = 0.0, errors = 0.0;
    for (int run = 0; run < runs; ++run) {
      BatchMeans rows(1);
      for (std::int64_t step = 0; step < 1000; ++step) rows.add(step, std::vector{noise.next()});
      const SettledMean found = rows.average(0, 0);
      sum += found.mean / runs;
      squares += found.mean * found.mean / runs;
      errors += found.standard_error / runs;
    }
    const double spread_by_error = std::sqrt(squares - sum * sum) / errors;
    CHECK(spread_by_error > one.least);
    CHECK(spread_by_error < one.most);
  }
}

TEST_CASE("errors of exponential averages are the spread of many") {
  struct Case {
    double time;
    std::size_t blocks;
    double least, most;  // of the spread by the error
  };
  // At 50 correlation times, the shortest run that is not warned of, the error is 10 % too small.
  for (const Case& one : {Case{0.0, 256, 0.88, 1.0}, Case{5.0, 256, 0.9, 1.04},
                          Case{5.0, 128, 0.88, 1.02}, Case{20.0, 128, 0.98, 1.16}}) {
    CAPTURE(one.time);
    CAPTURE(one.blocks);
    Noise noise(one.time);
    const Judgment found = judge(noise, 1.0, one.blocks);
    CHECK(found.spread_by_error > one.least);
    CHECK(found.spread_by_error < one.most);
    CHECK(found.covered > 0.58);
    CHECK(found.covered < 0.78);
  }
}

TEST_CASE("few blocks have errors, too") {
  for (const std::size_t blocks : {16, 32}) {
    CAPTURE(blocks);
    Noise noise(5.0);
    const Judgment found = judge(noise, 1.0, blocks);
    CHECK(found.spread_by_error > 0.7);
    CHECK(found.spread_by_error < 1.0);
  }
}

TEST_CASE("a series tells how many independent values have its error") {
  // Twice the integrated time is (1 + s) / (1 - s) with s the correlation of neighbors. A series of
  // 50 correlation times is told as worth 25 or a few more.
  for (const double time : {0.0, 5.0, 20.0}) {
    CAPTURE(time);
    Noise noise(time);
    const double share = time > 0.0 ? std::exp(-1.0 / time) : 0.0;
    const double expected = 1024.0 * (1.0 - share) / (1.0 + share);
    double mean = 0.0;
    for (int run = 0; run < 200; ++run) {
      std::vector<double> series(1024);
      for (double& x : series) x = noise.next();
      mean += series_error(series).independent / 200;
    }
    CHECK(mean > 0.9 * expected);
    CHECK(mean < 1.2 * expected);
  }
}

namespace {

/// How many of 2000 series of this length are told to be worth fewer than 25 independent values, and
/// how many of these to be correlated.
struct Shares {
  double few = 0.0, few_and_correlated = 0.0;
};

Shares shares_of(double time, std::size_t length) {
  constexpr int series_count = 2000;
  Noise noise(time, 23);
  Shares found;
  for (int run = 0; run < series_count; ++run) {
    for (int gap = 0; gap < 8.0 * time; ++gap) noise.next();  // between independent series
    std::vector<double> series(length);
    for (double& x : series) x = noise.next();
    const SeriesError error = series_error(series);
    if (error.independent >= 25.0) continue;
    found.few += 1.0 / series_count;
    if (error.is_correlated) found.few_and_correlated += 1.0 / series_count;
  }
  return found;
}

}  // namespace

TEST_CASE("short noise is not told to be correlated") {
  for (const std::size_t length : {25, 30, 40, 60, 255}) {
    CAPTURE(length);
    const Shares found = shares_of(0.0, length);
    if (length <= 30) CHECK(found.few > 0.2);  // by chance alone
    CHECK(found.few_and_correlated < 0.03);
  }
}

TEST_CASE("a run that is too short is told to be correlated") {
  struct Case {
    double time;
    std::size_t length;
    double least;
  };
  for (const Case& one :
       {Case{5.0, 32, 0.5}, Case{5.0, 64, 0.85}, Case{10.0, 255, 0.8}, Case{20.0, 255, 0.93}}) {
    CAPTURE(one.time);
    CAPTURE(one.length);
    CHECK(shares_of(one.time, one.length).few_and_correlated > one.least);
  }
  // One of 100 correlation times and more is not.
  CHECK(shares_of(2.0, 255).few_and_correlated < 0.05);
}

TEST_CASE("a slow change under fast noise counts") {
  // Three percent of the variance, with a time of 40 values, is 70 % of the variance of the mean.
  Noise fast(0.0, 1), slow(40.0, 2);
  double sum = 0.0, squares = 0.0, errors = 0.0;
  for (int run = 0; run < runs; ++run) {
    std::vector<double> series(4000);
    double mean = 0.0;
    for (double& x : series) {
      x = fast.next() + 0.18 * slow.next();
      mean += x / 4000.0;
    }
    sum += mean / runs;
    squares += mean * mean / runs;
    errors += series_error(series).standard_error / runs;
  }
  const double spread = std::sqrt(squares - sum * sum);
  CHECK(spread > 1.7 / std::sqrt(4000.0));
  CHECK(spread / errors > 0.9);
  CHECK(spread / errors < 1.15);
}

TEST_CASE("what changes back and forth has a smaller error than noise") {
  Noise noise(0.0);
  std::vector<double> series;
  double before = noise.next();
  for (int k = 0; k < 1000; ++k) {
    const double now = noise.next();
    series.push_back(now - 0.8 * before);
    before = now;
  }
  // The mean of the noise times 0.2.
  const double error = series_error(series).standard_error;
  CHECK(error > 0.5 * 0.2 / std::sqrt(1000.0));
  CHECK(error < 2.0 * 0.2 / std::sqrt(1000.0));
}

TEST_CASE("series without an error") {
  CHECK(series_error(std::vector<double>{}).standard_error == 0.0);
  CHECK(series_error(std::vector<double>{3.0}).standard_error == 0.0);
  const SeriesError constant = series_error(std::vector<double>(40, 3.0));
  CHECK(constant.standard_error == 0.0);
  CHECK(constant.independent == 40.0);
  CHECK_FALSE(constant.is_correlated);
  // Where one block alone has any weight, nothing is known without it.
  const SeriesError unknown = series_error(std::vector<double>{1.0, -INFINITY, 2.0});
  CHECK(std::isnan(unknown.standard_error));
  CHECK(unknown.independent == 0.0);
}

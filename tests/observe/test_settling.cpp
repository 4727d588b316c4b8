#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <vector>

#include "md/core/measured_text.hpp"
#include "md/observe/averages.hpp"
#include "md/observe/batch_means.hpp"
#include "md/observe/sample_blocks.hpp"
#include "md/observe/settling.hpp"

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

TEST_CASE("the error of the mean of correlated noise") {
  for (const double share : {0.0, 0.5, 0.8}) {
    CAPTURE(share);
    double squares = 0.0, independent = 0.0;
    constexpr unsigned runs = 60;
    for (unsigned seed = 1; seed <= runs; ++seed) {
      const SettledMean found = settled_mean(correlated(2000, share, seed), 0);
      squares += found.standard_error * found.standard_error / runs;
      independent += found.independent / runs;
    }
    // Its variance is that of the noise over (1 - share)^2.
    CHECK(squares == doctest::Approx(1.0 / (2000.0 * (1.0 - share) * (1.0 - share))).epsilon(0.15));
    CHECK(independent < 1.3 * 2000.0 * (1.0 - share) / (1.0 + share));
  }
  const SettledMean constant = settled_mean(std::vector<double>(50, 2.0), 0);
  CHECK(constant.standard_error == 0.0);
  CHECK(constant.unrest == SettledMean::Unrest::none);
  CHECK(constant.independent == 50.0);
}

TEST_CASE("what relaxes is left out, and little of what does not; an outlier does not decide") {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    CAPTURE(seed);
    std::vector<double> series = correlated(250, 0.3, seed);
    CHECK(settled_from(series) < 30);
    for (std::size_t i = 0; i < series.size(); ++i) {
      series[i] += 40.0 * std::exp(-static_cast<double>(i) / 12.0);
    }
    const std::size_t relaxing = settled_from(series);
    CHECK(relaxing > 25);
    CHECK(relaxing < 90);
    // The energy of the lattice of the start, far below all.
    series[0] = -1e6;
    CHECK(settled_from(series) > 25);
    CHECK(settled_from(series) < 90);
  }
  CHECK(settled_from(std::vector<double>(100, 1.0)) == 0);
  CHECK(settled_from(std::vector<double>{9, 1, 1, 1, 1}) == 0);
}

TEST_CASE("series that have not settled say why") {
  using enum SettledMean::Unrest;
  const auto unrest_of = [](const std::vector<double>& series) {
    return settled_mean(series, settled_from(series)).unrest;
  };
  int false_alarms = 0;
  for (unsigned seed = 1; seed <= 100; ++seed) {
    false_alarms += unrest_of(correlated(200, 0.5, seed)) != none;
  }
  CHECK(false_alarms <= 8);
  std::vector<double> drifting = correlated(200, 0.3, 1), stepping = drifting, slow = drifting;
  for (std::size_t i = 0; i < drifting.size(); ++i) {
    drifting[i] += 0.02 * static_cast<double>(i);
    stepping[i] += i < 130 ? 0.0 : 3.0;
    slow[i] += 2.0 * std::sin(0.05 * static_cast<double>(i));
  }
  CHECK(unrest_of(drifting) != none);
  CHECK(settled_mean(drifting, 0).unrest == drifts);
  CHECK(unrest_of(stepping) != none);
  CHECK(unrest_of(slow) != none);
  CHECK(unrest_of(correlated(200, 0.995, 3)) != none);
  CHECK(unrest_of(correlated(20, 0.3, 1)) == unknown);
}

TEST_CASE("a run has no more false alarms with four quantities than with one") {
  // At the limit of what is worth 30 independent values: 240 values, 60 correlation times.
  const double share = std::exp(-0.25);
  const auto alarms_of = [&](std::size_t quantities) {
    int alarms = 0;
    for (unsigned run = 0; run < 1000; ++run) {
      bool unrest = false;
      for (unsigned q = 0; q < quantities; ++q) {
        const std::vector<double> series = correlated(240, share, 5000 + 4 * run + q);
        unrest = unrest || settled_mean(series, 0, quantities).unrest != SettledMean::Unrest::none;
      }
      alarms += unrest;
    }
    return alarms;
  };
  // 2 % by the test and 3.3 % by the number of independent values, of 1000 with a standard error of
  // 0.7 %. With the thresholds of one quantity, four would have more than 180.
  const int of_one = alarms_of(1), of_four = alarms_of(4);
  CHECK(of_one > 15);
  CHECK(of_one < 90);
  CHECK(of_four > 15);
  CHECK(of_four < 90);
}

TEST_CASE("averages leave out what a resumed run had before the equilibration that it is given") {
  Averages before({{.name = "x", .decides = true, .tells = true, .target = std::nullopt}},
                  std::nullopt);
  Averages after({{.name = "x", .decides = true, .tells = true, .target = std::nullopt}}, 400);
  for (int step = 0; step <= 600; step += 10) {
    const double x = step <= 400 ? 7.0 : 1.0 + 0.01 * (step % 40);
    before.add(step, std::span(&x, 1));
    if (step == 500) after.set_state(before.state());
    if (step > 500) after.add(step, std::span(&x, 1));
  }
  const Json found = after.report().averages.at("x");
  CHECK(found.at("mean").get<double>() < 2.0);
  CHECK(after.first_step() == 401);
  CHECK(after.report().rows.at("first_step").get<int>() == 410);
  CHECK(after.report().rows.at("rows").get<int>() == 20);
}

TEST_CASE("a quantity that is off its target by many errors has not settled") {
  const std::vector<double> series = correlated(200, 0.3, 1);
  const auto warnings_with = [&](double target, double tolerance) {
    Averages averages({{.name = "temperature",
                        .decides = true,
                        .tells = true,
                        .target = target,
                        .kept_by = "the thermostat",
                        .tolerance = tolerance}},
                      std::nullopt);
    for (std::size_t i = 0; i < series.size(); ++i) {
      averages.add(static_cast<std::int64_t>(i), std::span(&series[i], 1));
    }
    return averages.report().warnings;
  };
  CHECK(warnings_with(0.0, 0.0).empty());
  REQUIRE(warnings_with(5.0, 0.0).size() == 1);
  CHECK(warnings_with(5.0, 0.0)[0].find("off the 5 of the thermostat") != std::string::npos);
  CHECK(warnings_with(5.0, 6.0).empty());
}

TEST_CASE("values are written with their errors") {
  CHECK(measured_text(452.3, 17.2) == "452(17)");
  CHECK(measured_text(0.84417, 0.0017) == "0.8442(17)");
  CHECK(measured_text(-5.6781234, 0.00996) == "-5.678(10)");
  CHECK(measured_text(12345.6, 1234.0) == "12300(1200)");
  CHECK(measured_text(2.5, 1.5) == "2.5(15)");
  CHECK(measured_text(1.23456e-9, 5.6e-11) == "1.235(56)e-09");
  CHECK(measured_text(3.2e8, 1.1e6) == "3.200(11)e+08");
  CHECK(measured_text(0.3, 12.0) == "0(12)");
  CHECK(measured_text(1.5, 0.0) == "1.5");
  CHECK(measured_text(1.5, std::nan("")) == "1.5");
}

TEST_CASE("blocks of samples become longer, and early ones can be left out") {
  SampleBlocks blocks(4);
  std::vector<double> sums(4, 0.0);
  for (int sample = 0; sample < 11; ++sample) {
    if (blocks.begin_sample(10 * sample).merges) merge_blocks(sums, 1);
    sums[blocks.block_of(sample)] += 1.0;
  }
  CHECK(blocks.length() == 4);
  CHECK(blocks.count() == 3);
  CHECK(sums == std::vector<double>{4.0, 4.0, 3.0, 0.0});
  CHECK(blocks.block_from(0) == 0);
  CHECK(blocks.block_from(1) == 1);
  CHECK(blocks.block_from(40) == 1);
  CHECK(blocks.block_from(1000) == 2);
  SampleBlocks other(4);
  CHECK(other.set_state(blocks.state()));
  CHECK(other.state() == blocks.state());
  CHECK_FALSE(other.set_state(std::vector<double>{11.0, 4.0, 0.0}));
  const std::vector<std::vector<double>> lists{{1.0, 2.0}, {}, {3.0}};
  CHECK(separate_lists(joined_lists(lists)) == lists);
  CHECK(separate_lists(std::vector<double>{5.0, 1.0}).empty());
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

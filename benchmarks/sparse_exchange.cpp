// Times the sparse exchange methods on particles that migrate: each rank of a three-dimensional
// grid sends random numbers of particles to a few of its neighbors, which do not know. The methods
// take turns round by round in one run, so that they meet the same state of the machine.
//
//   mpiexec -n 8 bench_sparse_exchange [--particles 133] [--rounds 500] [--item-size 76]
//                                      [--fill 0.5] [--json FILE]
#include <fmt/format.h>

#include <Random123/philox.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sterna/comm/collective.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/environment.hpp"
#include "sterna/comm/reduction_batch.hpp"
#include "sterna/comm/sparse_exchange.hpp"

namespace {

using namespace sterna::comm;

/// Three factors of `ranks`, as equal as they can be.
std::array<int, 3> grid_of(int ranks) {
  std::array<int, 3> best{ranks, 1, 1};
  for (int x = 1; x <= ranks; ++x) {
    for (int y = 1; ranks % x == 0 && y <= ranks / x; ++y) {
      if ((ranks / x) % y != 0) continue;
      const std::array<int, 3> grid{x, y, ranks / x / y};
      if (*std::ranges::max_element(grid) < *std::ranges::max_element(best)) best = grid;
    }
  }
  return best;
}

/// Ranks around `rank` on the periodic grid, ascending, at most 26.
std::vector<int> neighbors_of(int rank, const std::array<int, 3>& grid) {
  const std::array<int, 3> at{rank % grid[0], rank / grid[0] % grid[1], rank / grid[0] / grid[1]};
  std::vector<int> neighbors;
  for (int i = 0; i < 27; ++i) {
    const std::array<int, 3> step{i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1};
    std::array<int, 3> to{};
    for (int axis = 0; axis < 3; ++axis) {
      to[axis] = (at[axis] + step[axis] + grid[axis]) % grid[axis];
    }
    neighbors.push_back(to[0] + grid[0] * (to[1] + grid[1] * to[2]));
  }
  std::ranges::sort(neighbors);
  const auto repeated = std::ranges::unique(neighbors);
  neighbors.erase(repeated.begin(), repeated.end());
  std::erase(neighbors, rank);
  return neighbors;
}

struct Migration {
  std::vector<int> destinations;
  std::vector<std::size_t> offsets;
};

/// In a round each neighbor is a destination with probability `fill`; on average `particles` leave.
Migration migration(const std::vector<int>& neighbors, int rank, std::uint32_t round,
                    double particles, double fill) {
  Migration leaving{{}, {0}};
  for (std::size_t i = 0; i < neighbors.size(); ++i) {
    const auto draw = r123::Philox4x32{}(
        {{round, static_cast<std::uint32_t>(rank), static_cast<std::uint32_t>(i), 0}}, {{2, 3}});
    if (draw[0] > fill * 4294967295.0) continue;
    const double mean = particles / (fill * static_cast<double>(neighbors.size()));
    const auto count = static_cast<std::size_t>(2.0 * mean * (draw[1] / 4294967296.0) + 0.5);
    leaving.destinations.push_back(neighbors[i]);
    leaving.offsets.push_back(leaving.offsets.back() + count);
  }
  return leaving;
}

struct Quantiles {
  double p10, median, p90;
};

Quantiles quantiles(std::vector<double> times) {
  std::ranges::sort(times);
  const auto at = [&](double part) {
    return times[static_cast<std::size_t>(part * static_cast<double>(times.size() - 1) + 0.5)];
  };
  return {at(0.1), at(0.5), at(0.9)};
}

}  // namespace

int main(int argc, char** argv) {
  Environment environment(argc, argv);
  CLI::App app("Sparse exchange of migrating particles");
  double particles = 133.0, fill = 0.5;
  std::uint32_t rounds = 500;
  std::size_t item_size = 76;
  std::string json_file;
  app.add_option("--particles", particles, "Particles that leave a rank in a round, on average")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--rounds", rounds, "Timed rounds of each method")->check(CLI::PositiveNumber);
  app.add_option("--item-size", item_size, "Bytes of a particle")->check(CLI::PositiveNumber);
  app.add_option("--fill", fill, "Part of the neighbors that get any particle in a round")
      ->check(CLI::Range(0.01, 1.0));
  app.add_option("--json", json_file, "Also write the results to this file");
  CLI11_PARSE(app, argc, argv);

  const Context world;
  const int rank = world.rank();
  const auto grid = grid_of(world.size());
  const std::vector<int> neighbors = neighbors_of(rank, grid);

  std::vector<SparseExchangeBytes> exchanges;
  std::vector<std::string> names;
  for (const MethodInfo& method : sparse_methods()) {
    if (!why_sparse_method_unavailable(world, method.name).empty()) continue;
    names.emplace_back(method.name);
    exchanges.emplace_back(world, item_size,
                           SparseOptions{std::string(method.name), "migration", neighbors});
  }

  constexpr std::uint32_t warm_up = 20;
  std::vector<std::vector<double>> times(exchanges.size());
  std::vector<std::byte> items;
  double slowest = 0.0;
  ReductionBatch slowest_rank(world, "slowest rank");
  slowest_rank.max(slowest);
  for (std::uint32_t round = 0; round < warm_up + rounds; ++round) {
    const Migration leaving = migration(neighbors, rank, round, particles, fill);
    items.resize(std::max(items.size(), leaving.offsets.back() * item_size));
    for (std::size_t k = 0; k < exchanges.size(); ++k) {
      // Who begins changes, so that no method always follows the same one.
      const std::size_t method = (k + round) % exchanges.size();
      barrier(world);
      const auto start = std::chrono::steady_clock::now();
      exchanges[method].exchange(leaving.destinations, leaving.offsets, items.data());
      const std::chrono::duration<double, std::micro> time =
          std::chrono::steady_clock::now() - start;
      // A round lasts as long as on the rank that is last to have its particles.
      slowest = time.count();
      slowest_rank.run();
      if (round >= warm_up) times[method].push_back(slowest);
    }
  }

  double bytes = static_cast<double>(exchanges.front().verdict().bytes_sent);
  ReductionBatch(world).sum(bytes).run();
  if (rank != 0) return 0;
  bytes /= static_cast<double>(warm_up + rounds) * world.size();
  fmt::print("{}, {} ranks ({} x {} x {}), {:.0f} bytes leave a rank in a round\n",
             world.description(), world.size(), grid[0], grid[1], grid[2], bytes);
  fmt::print("{:<16} {:>10} {:>10} {:>10}   us a round, slowest rank\n", "method", "median", "p10",
             "p90");
  nlohmann::json results{{"description", world.description()},
                         {"ranks", world.size()},
                         {"rounds", rounds},
                         {"item_size", item_size},
                         {"particles", particles},
                         {"fill", fill},
                         {"bytes_per_rank_and_round", bytes}};
  for (std::size_t method = 0; method < exchanges.size(); ++method) {
    const Quantiles us = quantiles(times[method]);
    fmt::print("{:<16} {:>10.1f} {:>10.1f} {:>10.1f}\n", names[method], us.median, us.p10, us.p90);
    results["methods"][names[method]] = {
        {"median_us", us.median}, {"p10_us", us.p10}, {"p90_us", us.p90}};
  }
  if (!json_file.empty()) std::ofstream(json_file) << results.dump(2) << '\n';
}

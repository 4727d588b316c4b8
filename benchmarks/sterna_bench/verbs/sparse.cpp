// sparse: particles that change their region, the experiment of seed 3. Senders know where their
// particles go, receivers do not know who sends. The pattern is that of neighbors on a grid, or a
// random sparse graph that is another one in each round.

#include <fmt/format.h>

#include <Random123/philox.h>
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "bare/sparse_exchange.h"
#include "departure.hpp"
#include "process_grid.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/reduction_batch.hpp"
#include "sterna/comm/regular_file.hpp"
#include "sterna/comm/sparse_exchange.hpp"
#include "verb.hpp"

namespace sterna::bench {
namespace {

/// A pattern as this rank sees it; the rounds are repeated.
struct SparsePattern {
  std::string name;
  std::vector<Departure> rounds;
  /// Where the geometry tells.
  std::optional<std::vector<int>> possible_sources;
};

constexpr std::size_t pattern_rounds = 64;

/// In a round each of `candidates(round)` is a destination with probability `part`; on average
/// `particles` leave.
template <class Candidates>
std::vector<Departure> drawn(const comm::Context& world, double particles, double part,
                             Candidates candidates) {
  std::vector<Departure> rounds(pattern_rounds);
  for (std::uint32_t round = 0; round < pattern_rounds; ++round) {
    Departure& departure = rounds[round];
    const std::vector<int> ranks = candidates(round);
    for (const int to : ranks) {
      const auto draw = r123::Philox4x32{}(
          {{round, static_cast<std::uint32_t>(world.rank()), static_cast<std::uint32_t>(to), 0}},
          {{2, 3}});
      if (draw[0] >= part * 4294967296.0) continue;
      const double mean = particles / (part * static_cast<double>(ranks.size()));
      departure.destinations.push_back(to);
      departure.offsets.push_back(
          departure.offsets.back() +
          static_cast<std::size_t>(2.0 * mean * (draw[1] / 4294967296.0) + 0.5));
    }
  }
  return rounds;
}

class LibrarySparseRound {
 public:
  LibrarySparseRound(const comm::Context& world, const SparsePattern& pattern,
                     std::size_t item_size, const std::string& method)
      : exchange_(world, item_size,
                  {.method = method,
                   .name = "sparse benchmark",
                   .possible_sources = pattern.possible_sources}),
        pattern_(pattern) {
    std::size_t most = 0;
    for (const Departure& departure : pattern.rounds) {
      most = std::max(most, departure.offsets.back());
    }
    items_.resize(most * item_size, std::byte{1});
  }

  void operator()() {
    const Departure& departure = pattern_.rounds[round_++ % pattern_.rounds.size()];
    exchange_.exchange(departure.destinations, departure.offsets, items_.data());
  }

  comm::Verdict verdict() const { return exchange_.verdict(); }

 private:
  comm::SparseExchangeBytes exchange_;
  const SparsePattern& pattern_;
  std::vector<std::byte> items_;
  std::size_t round_ = 0;
};

/// The method as one writes it by hand.
template <class Exchange, Exchange* (*make)(MPI_Comm, int), void (*free)(Exchange*),
          std::size_t (*run)(Exchange*, int, const int*, const std::size_t*, const void*)>
class BareSparseRound {
 public:
  BareSparseRound(const SparsePattern& pattern, std::size_t item_size) : pattern_(pattern) {
    MPI_Comm_dup(MPI_COMM_WORLD, &communicator_);
    exchange_ = make(communicator_, static_cast<int>(item_size));
    std::size_t most = 0;
    for (const Departure& departure : pattern.rounds) {
      most = std::max(most, departure.offsets.back());
    }
    items_.resize(most * item_size, std::byte{1});
  }
  BareSparseRound(const BareSparseRound&) = delete;
  BareSparseRound& operator=(const BareSparseRound&) = delete;
  ~BareSparseRound() {
    free(exchange_);
    MPI_Comm_free(&communicator_);
  }

  void operator()() {
    const Departure& departure = pattern_.rounds[round_++ % pattern_.rounds.size()];
    run(exchange_, static_cast<int>(departure.destinations.size()), departure.destinations.data(),
        departure.offsets.data(), items_.data());
  }

 private:
  const SparsePattern& pattern_;
  MPI_Comm communicator_ = MPI_COMM_NULL;
  Exchange* exchange_ = nullptr;
  std::vector<std::byte> items_;
  std::size_t round_ = 0;
};
using BareAlltoall =
    BareSparseRound<bare_alltoall, bare_alltoall_new, bare_alltoall_free, bare_alltoall_round>;
using BareNbx = BareSparseRound<bare_nbx, bare_nbx_new, bare_nbx_free, bare_nbx_round>;

class Sparse final : public Verb {
 public:
  void add_options(CLI::App& command) override {
    add_methods_option(command, methods_, comm::sparse_methods());
    command.add_option("--pattern", patterns_, "grid (neighbors in three dimensions), random")
        ->delimiter(',')
        ->check(CLI::IsMember({"grid", "random"}))
        ->capture_default_str();
    command
        .add_option("--pattern-file", pattern_file_,
                    "instead: real migration, as benchmarks/patterns/spinodal.json has it")
        ->check(CLI::ExistingFile);
    command.add_option("--particles", particles_, "that leave a rank in a round, on average")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    command.add_option("--item-size", item_size_, "bytes of a particle")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    command.add_option("--part", part_, "part of the neighbors that get particles in a round")
        ->check(CLI::Range(0.01, 1.0))
        ->capture_default_str();
    command.add_flag("!--no-bare", bare_, "leave out what is written by hand");
    command.add_option("--degree", degree_, "destinations of a rank in random, on average")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
  }

  void run(const comm::Context& world, const Sampling& sampling, Report& report) override {
    if (!pattern_file_.empty()) {
      compare(world, sampling, from_file(world), report);
      return;
    }
    for (const std::string& name : patterns_) {
      compare(world, sampling, name == "grid" ? on_grid(world) : random(world), report);
    }
  }

 private:
  /// The rounds that the file has for this number of ranks.
  SparsePattern from_file(const comm::Context& world) const {
    try {
      constexpr std::size_t largest_file = std::size_t{256} << 20;
      const auto document =
          nlohmann::json::parse(comm::read_regular_file(pattern_file_, largest_file));
      for (const auto& each : document.at("patterns")) {
        if (each.at("ranks").get<int>() != world.size()) continue;
        SparsePattern pattern{std::filesystem::path(pattern_file_).stem(), {}, {}};
        for (const auto& round : each.at("rounds")) {
          Departure& departure = pattern.rounds.emplace_back();
          for (const auto& row : round) {
            if (row.at(0).get<int>() != world.rank()) continue;
            departure.destinations.push_back(row.at(1).get<int>());
            departure.offsets.push_back(departure.offsets.back() + row.at(2).get<std::size_t>());
          }
        }
        if (!pattern.rounds.empty()) return pattern;
      }
    } catch (const comm::UnreadableFile& error) {
      throw comm::Error(fmt::format("{} {}", pattern_file_, error.what()));
    } catch (const nlohmann::json::exception& error) {
      throw comm::Error(fmt::format("{}: {}", pattern_file_, error.what()));
    }
    throw comm::Error(fmt::format("{} has no rounds for {} ranks", pattern_file_, world.size()));
  }

  SparsePattern on_grid(const comm::Context& world) const {
    const auto neighbors = grid_neighbors(world.rank(), process_grid(world.size()), 3);
    return {"grid", drawn(world, particles_, part_, [&](std::uint32_t) { return neighbors; }),
            neighbors};
  }

  SparsePattern random(const comm::Context& world) const {
    std::vector<int> others;
    for (int rank = 0; rank < world.size(); ++rank) {
      if (rank != world.rank()) others.push_back(rank);
    }
    const double part = std::min(1.0, degree_ / std::max(1.0, static_cast<double>(others.size())));
    return {"random", drawn(world, particles_, part, [&](std::uint32_t) { return others; }), {}};
  }

  void compare(const comm::Context& world, const Sampling& sampling, const SparsePattern& pattern,
               Report& report) {
    std::vector<Candidate> candidates;
    std::vector<std::shared_ptr<LibrarySparseRound>> exchanges;
    for (const std::string& method : methods_) {
      std::string why_not = comm::why_sparse_method_unavailable(world, method);
      const auto traits = comm::methods_called(comm::sparse_methods(), method).front().traits;
      if (traits.needs_possible_sources && !pattern.possible_sources) {
        why_not = "needs possible sources, which a random graph does not tell";
      }
      if (!why_not.empty()) {
        if (noted_.insert(method + why_not).second) {
          report.note(fmt::format("{}: {}", method, why_not));
        }
        continue;
      }
      exchanges.push_back(std::make_shared<LibrarySparseRound>(world, pattern, item_size_, method));
      candidates.push_back({method, [round = exchanges.back()] { (*round)(); }});
    }
    for (const std::string& method : methods_) {
      if (!bare_) break;
      if (method == "alltoall") {
        candidates.push_back({"bare alltoall", [round = std::make_shared<BareAlltoall>(
                                                    pattern, item_size_)] { (*round)(); }});
      }
      if (method == "nbx") {
        candidates.push_back(
            {"bare nbx", [round = std::make_shared<BareNbx>(pattern, item_size_)] { (*round)(); }});
      }
    }
    const std::vector<Timing> timings = measure(world, candidates, sampling);

    // Messages and bytes that a rank sends and receives in a round, of the rank with the most.
    const auto ranks = static_cast<std::size_t>(world.size());
    std::vector<std::int64_t> messages(ranks, 0);
    std::vector<std::int64_t> bytes(ranks, 0);
    std::int64_t peers = 0;
    for (const Departure& departure : pattern.rounds) {
      for (std::size_t row = 0; row < departure.destinations.size(); ++row) {
        const std::size_t items = departure.offsets[row + 1] - departure.offsets[row];
        if (items == 0) continue;
        ++peers;
        for (const int end : {world.rank(), departure.destinations[row]}) {
          ++messages[static_cast<std::size_t>(end)];
          bytes[static_cast<std::size_t>(end)] += static_cast<std::int64_t>(items * item_size_);
        }
      }
    }
    std::int64_t sent_bytes = 0;
    for (const Departure& departure : pattern.rounds) {
      sent_bytes += static_cast<std::int64_t>(departure.offsets.back() * item_size_);
    }
    comm::ReductionBatch(world)
        .sum(messages.data(), ranks)
        .sum(bytes.data(), ranks)
        .max(peers)
        .max(sent_bytes)
        .run();
    const auto per_round = [&](std::int64_t total) {
      return static_cast<double>(total) / static_cast<double>(pattern.rounds.size());
    };
    std::map<std::string, double> medians;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      medians[candidates[i].method] = timings[i].median_us;
    }
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      Row row =
          row_of(candidates[i].method, world, static_cast<std::size_t>(per_round(peers) + 0.5),
                 static_cast<std::size_t>(per_round(sent_bytes) + 0.5), timings[i]);
      row["pattern"] = pattern.name;
      row["busiest_messages"] = per_round(*std::ranges::max_element(messages));
      row["busiest_bytes"] = per_round(*std::ranges::max_element(bytes));
      row["messages_of_method"] = nullptr;
      row["over_bare_percent"] = nullptr;
      if (i >= exchanges.size()) {
        report.add(std::move(row));
        continue;
      }
      const comm::Verdict verdict = exchanges[i]->verdict();
      double sent = static_cast<double>(verdict.messages_sent) /
                    static_cast<double>(std::max<std::size_t>(1, verdict.rounds));
      comm::ReductionBatch(world).max(sent).run();
      row["messages_of_method"] = sent;
      if (const auto bare = medians.find("bare " + candidates[i].method); bare != medians.end()) {
        row["over_bare_percent"] = 100.0 * (timings[i].median_us / bare->second - 1.0);
      }
      report.add(std::move(row));
    }
  }

  std::vector<std::string> methods_;
  std::vector<std::string> patterns_{"grid", "random"};
  std::string pattern_file_;
  double particles_ = 133.0;
  std::size_t item_size_ = 76;
  double part_ = 0.5;
  double degree_ = 4.0;
  bool bare_ = true;
  std::set<std::string> noted_;
};

}  // namespace

std::unique_ptr<Verb> make_sparse() {
  return std::make_unique<Sparse>();
}

}  // namespace sterna::bench

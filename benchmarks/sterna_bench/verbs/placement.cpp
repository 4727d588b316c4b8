// placement: which node each rank of a process grid runs on, the experiment of seed 5: bytes
// between nodes and hop-bytes of every placement on a described network. Where the job has as many
// ranks as the grid and runs on the nodes described, also the time of the exchange under each.

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "process_grid.hpp"
#include "sterna/comm/collective.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/neighbor_exchange.hpp"
#include "sterna/comm/placement.hpp"
#include "verb.hpp"

namespace sterna::bench {
namespace {

/// One exchange across the six faces.
class FaceExchange {
 public:
  FaceExchange(const comm::Context& placed, const comm::PlacementProblem& problem,
               const std::string& method)
      : exchange_(placed, pattern(placed, problem),
                  {.method = method, .name = "placement benchmark"}) {}

  void operator()() {
    for (std::size_t peer = 0; peer < exchange_.peers().size(); ++peer) {
      const auto box = exchange_.outbox(static_cast<int>(peer));
      std::ranges::fill(box, std::byte{1});
      exchange_.commit(static_cast<int>(peer), box.size());
    }
    exchange_.start();
    exchange_.finish();
  }

 private:
  static comm::NeighborPattern pattern(const comm::Context& placed,
                                       const comm::PlacementProblem& problem) {
    std::vector<comm::NeighborPattern::Peer> peers;
    const int x = placed.rank() % problem.grid[0];
    const int y = placed.rank() / problem.grid[0] % problem.grid[1];
    for (const int rank : grid_neighbors(placed.rank(), problem.grid, 1)) {
      const std::size_t axis = rank % problem.grid[0] != x                     ? 0
                               : rank / problem.grid[0] % problem.grid[1] != y ? 1
                                                                               : 2;
      const auto bytes = static_cast<std::size_t>(problem.face_bytes[axis]);
      peers.push_back({rank, bytes, bytes});
    }
    return comm::NeighborPattern::from_peers(placed, std::move(peers));
  }

  comm::NeighborExchange<std::byte> exchange_;
};

class PlacementVerb final : public Verb {
 public:
  void add_options(CLI::App& command) override {
    add_methods_option(command, methods_, comm::placement_methods());
    command.add_option("--grid", grid_, "ranks in x,y,z (default: those of this job)")
        ->delimiter(',')
        ->expected(3)
        ->check(CLI::PositiveNumber);
    command.add_option("--bytes", bytes_, "that a rank sends through a face across x,y,z")
        ->delimiter(',')
        ->expected(3)
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    command.add_option("--exchange", exchange_, "method of the exchange that is timed")
        ->capture_default_str();
    command.add_option("--network", network_,
                       "a file with a line `flat N`, `torus X Y Z` or `tree N M ...`, and a line "
                       "`host NAME` for each node (default: the nodes of this job, flat)");
    command
        .add_option("--ranks-per-node", ranks_per_node_,
                    "on the nodes of the network (default: as this job runs)")
        ->check(CLI::PositiveNumber);
    command.add_option("--write", rank_file_, "write the last of the methods as a rank file");
    command.add_option("--format", format_, "of the rank file")
        ->transform(CLI::CheckedTransformer(
            std::map<std::string, comm::RankFile>{{"openmpi", comm::RankFile::open_mpi},
                                                  {"mpich", comm::RankFile::mpich},
                                                  {"cray", comm::RankFile::cray}}));
  }

  void run(const comm::Context& world, const Sampling& sampling, Report& report) override {
    const comm::PlacementProblem problem = problem_for(world);
    const auto& grid = problem.grid;
    const bool measured = runs_here(world, problem);
    std::vector<Candidate> candidates;
    std::vector<comm::Placement> placements;
    for (const std::string& method : methods_) {
      placements.push_back(comm::place(problem, method));
      if (!measured) continue;
      const auto round = std::make_shared<FaceExchange>(
          comm::renumbered(world, problem, placements.back()), problem, exchange_);
      candidates.push_back({method, [round] { (*round)(); }});
    }
    const std::vector<Timing> timings = measure(world, candidates, sampling);
    for (std::size_t i = 0; i < methods_.size(); ++i) {
      const comm::PlacementCost cost = comm::cost(problem, placements[i]);
      const auto sent =
          2.0 * (problem.face_bytes[0] + problem.face_bytes[1] + problem.face_bytes[2]);
      Row row = row_of(methods_[i], world, grid_neighbors(0, grid, 1).size(),
                       static_cast<std::size_t>(sent), measured ? timings[i] : Timing{});
      row["ranks"] = grid[0] * grid[1] * grid[2];
      row["nodes"] = problem.network.nodes();
      if (!measured) {
        for (const char* time : {"median_us", "p10_us", "p90_us", "mean_us"}) row[time] = nullptr;
      }
      row["grid"] = fmt::format("{} x {} x {}", grid[0], grid[1], grid[2]);
      row["network"] = problem.network.description();
      row["bytes_between_nodes"] = cost.bytes_between_nodes;
      row["hop_bytes"] = cost.hop_bytes;
      report.add(std::move(row));
    }
    if (!rank_file_.empty()) write_rank_file(world, problem, placements.back(), report);
  }

 private:
  comm::PlacementProblem problem_for(const comm::Context& world) const {
    std::array<int, 3> grid = process_grid(world.size());
    if (!grid_.empty()) std::copy_n(grid_.begin(), 3, grid.begin());
    const comm::Network network =
        network_.empty() ? comm::Network::flat(world.node_count()) : comm::Network::read(network_);
    comm::PlacementProblem problem;
    if (ranks_per_node_ > 0) {
      problem.grid = grid;
      problem.network = network;
      problem.ranks_on_node.assign(static_cast<std::size_t>(network.nodes()), ranks_per_node_);
    } else {
      problem = comm::placement_problem(world, grid, network);
    }
    std::copy_n(bytes_.begin(), 3, problem.face_bytes.begin());
    return problem;
  }

  /// Whether the ranks of this job are those of the problem, on its nodes.
  bool runs_here(const comm::Context& world, const comm::PlacementProblem& problem) const {
    return ranks_per_node_ == 0 &&
           world.size() == problem.grid[0] * problem.grid[1] * problem.grid[2];
  }

  void write_rank_file(const comm::Context& world, const comm::PlacementProblem& problem,
                       const comm::Placement& placement, Report& report) const {
    std::vector<std::string> hosts(problem.network.hosts().begin(), problem.network.hosts().end());
    if (hosts.empty() && format_ != comm::RankFile::cray) {
      throw comm::Error("a rank file needs names: add lines `host NAME` to the network's file");
    }
    std::string problem_of_file;
    if (world.rank() == 0) {
      std::ofstream file(rank_file_);
      file << comm::rank_file(problem, placement, hosts, format_);
      file.close();
      if (!file) problem_of_file = fmt::format("{} could not be written", rank_file_);
    }
    comm::broadcast(world, 0, problem_of_file);
    if (!problem_of_file.empty()) throw comm::Error(problem_of_file);
    report.note(fmt::format("{}: ranks placed by {}", rank_file_, methods_.back()));
  }

  std::vector<std::string> methods_;
  std::vector<int> grid_;
  std::vector<double> bytes_{8000.0, 8000.0, 8000.0};
  std::string exchange_ = "auto";
  std::string network_;
  int ranks_per_node_ = 0;
  std::string rank_file_;
  comm::RankFile format_ = comm::RankFile::open_mpi;
};

}  // namespace

std::unique_ptr<Verb> make_placement() {
  return std::make_unique<PlacementVerb>();
}

}  // namespace sterna::bench

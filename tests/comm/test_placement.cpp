#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "comm/placement/hilbert_curve.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/placement.hpp"

using namespace sterna::comm;

namespace {

PlacementProblem problem_of(std::array<int, 3> grid, int ranks_per_node, Network network) {
  PlacementProblem problem;
  problem.grid = grid;
  problem.ranks_on_node.assign(static_cast<std::size_t>(network.nodes()), ranks_per_node);
  problem.network = std::move(network);
  return problem;
}

/// The least (bytes between nodes, hop-bytes) of all ways to put the ranks on full nodes.
std::pair<double, double> least_of_all(const PlacementProblem& problem) {
  Placement placement;
  for (std::size_t node = 0; node < problem.ranks_on_node.size(); ++node) {
    placement.insert(placement.end(), static_cast<std::size_t>(problem.ranks_on_node[node]),
                     static_cast<int>(node));
  }
  std::pair<double, double> least{1e300, 1e300};
  do {
    const PlacementCost its = cost(problem, placement);
    least = std::min(least, {its.bytes_between_nodes, its.hop_bytes});
  } while (std::ranges::next_permutation(placement).found);
  return least;
}

std::string file_with(const std::string& text) {
  const std::string path = "test_placement.network";
  std::ofstream(path) << text;
  return path;
}

}  // namespace

TEST_CASE("hops on a flat network, a torus and a tree") {
  CHECK(Network::flat(5).hops(0, 4) == 1);
  CHECK(Network::flat(5).hops(3, 3) == 0);
  const Network torus = Network::torus({4, 3, 2});
  CHECK(torus.nodes() == 24);
  CHECK(torus.hops(0, 1) == 1);
  CHECK(torus.hops(0, 3) == 1);           // around the ring of four
  CHECK(torus.hops(0, 2) == 2);           // across it
  CHECK(torus.hops(0, 4 * 2) == 1);       // around the ring of three
  CHECK(torus.hops(0, 12) == 1);          // to the other layer
  CHECK(torus.hops(0, 2 + 4 + 12) == 4);  // (2, 1, 1)
  const Network tree = Network::tree({4, 2, 3});
  CHECK(tree.nodes() == 24);
  CHECK(tree.hops(0, 3) == 2);
  CHECK(tree.hops(0, 4) == 4);
  CHECK(tree.hops(3, 8) == 6);
}

TEST_CASE("the simple orders, by hand") {
  const auto problem = problem_of({8, 1, 1}, 2, Network::flat(4));
  CHECK(place(problem, "round_robin") == Placement{0, 1, 2, 3, 0, 1, 2, 3});
  CHECK(place(problem, "smp") == Placement{0, 0, 1, 1, 2, 2, 3, 3});
  CHECK(place(problem, "folded") == Placement{0, 1, 2, 3, 3, 2, 1, 0});
  // A ring of 8: both messages of every rank leave, one of the two, one but for the two turns.
  CHECK(cost(problem, place(problem, "round_robin")).bytes_between_nodes == 16.0);
  CHECK(cost(problem, place(problem, "smp")).bytes_between_nodes == 8.0);
  CHECK(cost(problem, place(problem, "folded")).bytes_between_nodes == 12.0);
}

TEST_CASE("hop-bytes count direction, distance and size") {
  auto problem = problem_of({4, 1, 1}, 1, Network::torus({4}));
  problem.face_bytes = {10.0, 1.0, 1.0};
  CHECK(cost(problem, {0, 1, 2, 3}).hop_bytes == 80.0);
  CHECK(cost(problem, {0, 2, 1, 3}).hop_bytes == 10.0 * (2 + 1 + 2 + 1) * 2);
  problem.periodic = {false, true, true};
  CHECK(cost(problem, {0, 1, 2, 3}).hop_bytes == 60.0);
  // Two ranks on a ring are neighbors at both faces.
  const auto pair = problem_of({2, 1, 1}, 1, Network::flat(2));
  CHECK(cost(pair, {0, 1}).bytes_between_nodes == 4.0);
  CHECK(cost(pair, {0, 0}).bytes_between_nodes == 0.0);
}

TEST_CASE("grid_order gives each node the brick with the least surface") {
  // 8 x 8 x 8 ranks, 8 on a node: cubes of 2 x 2 x 2, each rank sends half of its six messages.
  const auto cube = problem_of({8, 8, 8}, 8, Network::flat(64));
  const Placement placement = place(cube, "grid_order");
  CHECK(placement[0] == placement[1 + 8 * (1 + 8 * 1)]);
  CHECK(cost(cube, placement).bytes_between_nodes == 512.0 * 3);
  CHECK(cost(cube, place(cube, "smp")).bytes_between_nodes == 512.0 * 4);  // whole rows
  // Where nearly all bytes cross x, whole rows stay together.
  auto rows = problem_of({4, 4, 1}, 4, Network::flat(4));
  rows.face_bytes = {100.0, 1.0, 1.0};
  CHECK(cost(rows, place(rows, "grid_order")).bytes_between_nodes == 16.0 * 2);
}

TEST_CASE("auto is as good as the best of all placements in small cases") {
  for (const auto& problem :
       {problem_of({4, 2, 1}, 4, Network::flat(2)), problem_of({4, 2, 1}, 2, Network::torus({4})),
        problem_of({2, 2, 2}, 2, Network::torus({2, 2})),
        problem_of({8, 1, 1}, 2, Network::torus({4})),
        problem_of({4, 2, 1}, 1, Network::tree({2, 4})),
        problem_of({3, 3, 1}, 3, Network::flat(3))}) {
    CAPTURE(problem.network.description());
    CAPTURE(problem.grid[0]);
    const PlacementCost its = cost(problem, place(problem, "auto"));
    CHECK(std::pair{its.bytes_between_nodes, its.hop_bytes} == least_of_all(problem));
  }
}

TEST_CASE("every method places every rank, within the slots of each node, and auto is the least") {
  const std::vector<PlacementProblem> problems{
      problem_of({1, 1, 1}, 1, Network::flat(1)), problem_of({6, 5, 4}, 8, Network::flat(15)),
      problem_of({5, 3, 1}, 4, Network::torus({2, 2})),
      problem_of({7, 1, 1}, 3, Network::tree({3})),
      problem_of({8, 8, 4}, 16, Network::torus({4, 2, 2}))};
  for (PlacementProblem problem : problems) {
    // Uneven slots, a node without any.
    for (const bool uneven : {false, true}) {
      if (uneven) {
        problem.ranks_on_node.front() += problem.ranks_on_node.back();
        problem.ranks_on_node.back() = problem.ranks_on_node.size() == 1 ? 1 : 0;
      }
      const auto ranks =
          static_cast<std::size_t>(problem.grid[0] * problem.grid[1] * problem.grid[2]);
      const PlacementCost least = cost(problem, place(problem, "auto"));
      for (const MethodInfo& method : placement_methods()) {
        CAPTURE(method.name);
        const Placement placement = place(problem, method.name);
        REQUIRE(placement.size() == ranks);
        for (std::size_t node = 0; node < problem.ranks_on_node.size(); ++node) {
          CHECK(std::ranges::count(placement, static_cast<int>(node)) <=
                problem.ranks_on_node[node]);
        }
        CHECK(least.bytes_between_nodes <= cost(problem, placement).bytes_between_nodes);
      }
    }
  }
}

TEST_CASE("a Hilbert curve visits every point, each next to the one before") {
  const auto steps_beyond_one = [](std::vector<int> sizes) {
    const std::vector<int> order = along_hilbert_curve(sizes);
    CHECK(std::set<int>(order.begin(), order.end()).size() == order.size());
    const int count = std::accumulate(sizes.begin(), sizes.end(), 1, std::multiplies<>());
    CHECK(static_cast<int>(order.size()) == count);
    int jumps = 0;
    for (std::size_t i = 1; i < order.size(); ++i) {
      int a = order[i - 1], b = order[i], distance = 0;
      for (const int size : sizes) {
        distance += std::abs(a % size - b % size);
        a /= size;
        b /= size;
      }
      jumps += distance != 1;
    }
    return jumps;
  };
  CHECK(steps_beyond_one({8}) == 0);
  CHECK(steps_beyond_one({4, 4}) == 0);
  CHECK(steps_beyond_one({16, 16}) == 0);
  CHECK(steps_beyond_one({2, 2, 2}) == 0);
  CHECK(steps_beyond_one({8, 8, 8}) == 0);
  CHECK(steps_beyond_one({4, 4, 4, 4}) == 0);
  CHECK(steps_beyond_one({1}) == 0);
  CHECK(steps_beyond_one({5, 3, 6}) < 20);
}

TEST_CASE("rank files") {
  const auto problem = problem_of({4, 1, 1}, 2, Network::flat(2));
  const Placement placement{0, 1, 1, 0};
  const std::vector<std::string> hosts{"apple", "pear"};
  CHECK(rank_file(problem, placement, hosts, RankFile::open_mpi) ==
        "rank 0=apple slot=0\nrank 1=pear slot=0\nrank 2=pear slot=1\nrank 3=apple slot=1\n");
  CHECK(rank_file(problem, placement, hosts, RankFile::mpich) ==
        "apple:1\npear:1\npear:1\napple:1\n");
  CHECK(rank_file(problem, placement, {}, RankFile::cray) == "0,3,1,2\n");
  CHECK_THROWS_WITH_AS(rank_file(problem, placement, {}, RankFile::mpich),
                       "rank file: 0 hosts for 2 nodes", Error);
}

TEST_CASE("network descriptions are read, and mistakes told with file and line") {
  const Network torus =
      Network::read(file_with("# ours\ntorus 2 1 1\n\nhost apple  # left\nhost pear\n"));
  CHECK(torus.description() == "torus 2 x 1 x 1");
  CHECK(torus.hosts().size() == 2);
  CHECK(Network::read(file_with("tree 4 8\n")).nodes() == 32);
  CHECK(Network::read(file_with("flat 3")).nodes() == 3);
  const auto hosts = [](const std::string& text) {
    const Network network = Network::read(file_with(text));
    return std::vector<std::string>(network.hosts().begin(), network.hosts().end());
  };
  const std::vector<std::string> padded{"n08-ib", "n09-ib", "n10-ib", "n11-ib", "last"};
  CHECK(hosts("flat 5\nhost n[08-11]-ib\nhost last\n") == padded);
  CHECK(hosts("flat 2\nhost n[0-1]") == std::vector<std::string>{"n0", "n1"});
  const auto error = [](const std::string& text) {
    try {
      Network::read(file_with(text));
    } catch (const Error& thrown) {
      return std::string(thrown.what());
    }
    return std::string("none");
  };
  const std::string file = "test_placement.network";
  CHECK(error("") == file + ": a line flat, torus or tree was expected");
  CHECK(error("\ntorsu 4 4\n") ==
        file + ":2: flat, torus, tree or host was expected, not \"torsu\"");
  CHECK(error("torus 4 x 4\n") == file + ":1: torus: a positive number was expected, not \"x\"");
  CHECK(error("torus 4 0\n") == file + ":1: torus: a positive number was expected, not \"0\"");
  CHECK(error("torus\n") == file + ":1: torus: sensible sizes were expected");
  CHECK(error("torus 99999 99999 99999\n") == file + ":1: torus: sensible sizes were expected");
  CHECK(error("flat 1 2\n") == file + ":1: flat: one number of nodes was expected");
  CHECK(error("flat 1\ntorus 2 2\n") == file + ":2: a second network");
  CHECK(error("flat 2\nhost a\n") ==
        file + ": 1 host for 2 nodes: give one for each node, or none");
  const std::string names = ":2: host: a name was expected, or several as in node[001-128]";
  for (const char* host : {"", " a b", " n[1", " n]1-2[", " n[2-1]", " n[1]", " n[-1]", " n[1-x]",
                           " n[1-2][1-2]", " n[1-99999999]"}) {
    CAPTURE(host);
    CHECK(error(std::string("flat 1\nhost") + host + "\n") == file + names);
  }
  CHECK_THROWS_WITH_AS(Network::read("no/such/file"), "no/such/file: does not exist", Error);
  CHECK_THROWS_WITH_AS(Network::read("/dev/zero"),
                       "/dev/zero: is not a regular file, but a device or a pipe", Error);
  std::remove(file.c_str());
}

TEST_CASE("problems that do not fit together are errors") {
  const auto problem = problem_of({4, 4, 1}, 2, Network::flat(4));
  CHECK_THROWS_WITH_AS(place(problem, "smp"), "placement: 16 ranks, but the nodes have 8 slots",
                       Error);
  auto other = problem_of({2, 1, 1}, 2, Network::flat(2));
  other.network = Network::flat(3);
  CHECK_THROWS_AS(place(other, "smp"), Error);
  CHECK_THROWS_AS(cost(problem, {0, 1}), Error);
  CHECK_THROWS_WITH(place(problem_of({2, 1, 1}, 1, Network::flat(2)), "hilbrt"),
                    "unknown placement method \"hilbrt\"; did you mean \"hilbert\"? Valid are: "
                    "round_robin, smp, folded, grid_order, hilbert, auto");
}

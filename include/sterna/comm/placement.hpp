#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sterna/comm/context.hpp"
#include "sterna/comm/methods.hpp"

namespace sterna::comm {

/// The network between the nodes of a machine, as far as distances depend on it. Nodes are
/// numbered.
class Network {
 public:
  /// Makes a network in which every node is one hop from every other.
  static Network flat(int nodes);
  /// Makes a torus: nodes on a periodic grid of any dimension. The first coordinate runs fastest in
  /// the numbers of nodes.
  static Network torus(std::vector<int> sizes);
  /// Makes a tree of switches: `children[0]` nodes at each lowest switch, `children[1]` of these
  /// below each switch of the next level, and so on. Consecutive nodes share a switch.
  static Network tree(std::vector<int> children);
  /// Reads a description: one line `flat N`, `torus X Y Z` or `tree N M ...`, and, if the hosts are
  /// known, lines `host NAME` or `host node[001-128]` in the order of the nodes. A # begins a
  /// comment. Throws Error with file and line.
  static Network read(const std::string& path);

  int nodes() const;
  /// The number of links on a shortest path between two nodes; 0 from a node to itself. Two nodes
  /// at one switch of a tree are two hops apart.
  int hops(int a, int b) const;
  /// The sizes of a torus; empty for other networks.
  std::span<const int> torus_sizes() const { return torus_; }
  /// The names of the nodes; empty if the description has none.
  std::span<const std::string> hosts() const { return hosts_; }
  /// A text such as "torus 4 x 4 x 2".
  std::string description() const;

 private:
  int nodes_ = 0;
  std::vector<int> torus_;
  std::vector<int> tree_;
  std::vector<std::string> hosts_;
};

/// A placement problem: ranks on a grid that exchange with their neighbors at the faces, and nodes
/// to run them.
struct PlacementProblem {
  std::array<int, 3> grid{1, 1, 1};  ///< ranks along x, y, z; x runs fastest in their numbers
  std::array<bool, 3> periodic{true, true, true};
  /// The bytes that a rank sends through one face across x, y, z in a round.
  std::array<double, 3> face_bytes{1.0, 1.0, 1.0};
  /// slots of each node; their sum is at least the number of ranks
  std::vector<int> ranks_on_node;
  Network network = Network::flat(1);
};

/// The node of each rank of the grid.
using Placement = std::vector<int>;

struct PlacementCost {
  double bytes_between_nodes = 0.0;  ///< bytes sent in a round to ranks on other nodes
  double hop_bytes = 0.0;            ///< sum of bytes times hops
};

/// All placement methods, in the order of the table. The last one, "auto", takes the result of
/// another method with the fewest bytes between nodes, and of equals the one with the fewest
/// hop-bytes.
std::span<const MethodInfo> placement_methods();

/// Throws Error if there is no such method, or if the problem is inconsistent: fewer slots than
/// ranks, or another number of nodes than the network's.
Placement place(const PlacementProblem& problem, std::string_view method);
PlacementCost cost(const PlacementProblem& problem, const Placement& placement);

/// The nodes of `context` and their ranks, on a network whose hosts are matched by name if it names
/// any, and by number otherwise. Collective. Throws Error if they do not match.
PlacementProblem placement_problem(const Context& context, std::array<int, 3> grid,
                                   const Network& network);

/// Returns a context with the same ranks renumbered: rank i of the result runs on node
/// `placement[i]`. Collective. Throws Error if the placement is not for these nodes.
Context renumbered(const Context& context, const PlacementProblem& problem,
                   const Placement& placement);

enum class RankFile {
  open_mpi,  ///< mpirun --map-by rankfile:file=FILE (Open MPI 5), --rankfile FILE (4)
  mpich,     ///< mpiexec -f FILE; also the host file of SimGrid's smpirun
  cray,      ///< MPICH_RANK_ORDER, with MPICH_RANK_REORDER_METHOD=3; nodes are filled in order
};
/// Returns the text of a file with which a launcher places the ranks so. `hosts` has a name for
/// each node.
std::string rank_file(const PlacementProblem& problem, const Placement& placement,
                      std::span<const std::string> hosts, RankFile format);

}  // namespace sterna::comm

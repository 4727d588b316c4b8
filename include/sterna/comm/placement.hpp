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

/// What joins the nodes of a machine, as far as it matters for distances. Nodes have numbers.
class Network {
 public:
  /// Every node one hop from every other.
  static Network flat(int nodes);
  /// Nodes on a periodic grid of any dimension; the first coordinate runs fastest in their numbers.
  static Network torus(std::vector<int> sizes);
  /// Switches in levels: `children[0]` nodes at a lowest switch, `children[1]` of these below a
  /// switch of the next level, and so on. Consecutive nodes share a switch.
  static Network tree(std::vector<int> children);
  /// A description: one line `flat N`, `torus X Y Z` or `tree N M ...`, and lines `host NAME` or
  /// `host node[001-128]` in the order of the nodes where the hosts are known; # begins a comment.
  /// Throws Error with file and line.
  static Network read(const std::string& path);

  int nodes() const;
  /// Links between two nodes on a shortest way; 0 from a node to itself. Two nodes at one switch of
  /// a tree are two hops apart.
  int hops(int a, int b) const;
  /// Sizes of a torus, otherwise empty.
  std::span<const int> torus_sizes() const { return torus_; }
  /// Names of the nodes; empty where the description has none.
  std::span<const std::string> hosts() const { return hosts_; }
  /// "torus 4 x 4 x 2"
  std::string description() const;

 private:
  int nodes_ = 0;
  std::vector<int> torus_;
  std::vector<int> tree_;
  std::vector<std::string> hosts_;
};

/// Ranks on a grid that exchange with their neighbors at the faces, and nodes to run them.
struct PlacementProblem {
  std::array<int, 3> grid{1, 1, 1};  ///< ranks in x, y, z; x runs fastest in their numbers
  std::array<bool, 3> periodic{true, true, true};
  /// Bytes that a rank sends through one face across x, y, z in a round.
  std::array<double, 3> face_bytes{1.0, 1.0, 1.0};
  std::vector<int> ranks_on_node;  ///< slots of each node; in all at least as many as ranks
  Network network = Network::flat(1);
};

/// The node of each rank of the grid.
using Placement = std::vector<int>;

struct PlacementCost {
  double bytes_between_nodes = 0.0;  ///< sent in a round to a rank on another node
  double hop_bytes = 0.0;            ///< bytes times the hops they travel
};

/// Every method to place ranks, in the order of the table. The last, "auto", takes that of the
/// others with the fewest bytes between nodes, of equals the one with the fewest hop-bytes.
std::span<const MethodInfo> placement_methods();

/// Throws Error where there is no such method, or the problem does not fit together: fewer slots
/// than ranks, another number of nodes than the network's.
Placement place(const PlacementProblem& problem, std::string_view method);
PlacementCost cost(const PlacementProblem& problem, const Placement& placement);

/// The nodes and ranks per node that `context` has, on a network whose hosts are matched by name
/// where it names any, and by number otherwise. Collective. Throws Error where they do not fit.
PlacementProblem placement_problem(const Context& context, std::array<int, 3> grid,
                                   const Network& network);

/// The same ranks with other numbers: rank i of the result is one that runs on node
/// `placement[i]`. Collective; throws Error where the placement is not for these nodes.
Context renumbered(const Context& context, const PlacementProblem& problem,
                   const Placement& placement);

enum class RankFile {
  open_mpi,  ///< mpirun --map-by rankfile:file=FILE (Open MPI 5), --rankfile FILE (4)
  mpich,     ///< mpiexec -f FILE; also the host file of SimGrid's smpirun
  cray,      ///< MPICH_RANK_ORDER, with MPICH_RANK_REORDER_METHOD=3; nodes are filled in order
};
/// The text of a file that makes a launcher place the ranks so. `hosts`: a name for each node.
std::string rank_file(const PlacementProblem& problem, const Placement& placement,
                      std::span<const std::string> hosts, RankFile format);

}  // namespace sterna::comm

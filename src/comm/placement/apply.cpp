#include <mpi.h>

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "comm/context/context_implementation.hpp"
#include "comm/context/mpi_error.hpp"
#include "sterna/comm/collective.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/placement.hpp"

namespace sterna::comm {
namespace {

std::string host_name() {
  char name[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  MPI_Get_processor_name(name, &length);
  return {name, static_cast<std::size_t>(length)};
}

/// True if two names mean one host, such as "node7" and "node7.cluster.org".
bool same_host(std::string_view a, std::string_view b) {
  return a == b || a.substr(0, a.find('.')) == b || a == b.substr(0, b.find('.'));
}

/// Returns the node of the network on which each rank of the context runs. Collective.
std::vector<int> nodes_of_ranks(const Context& context, const Network& network) {
  std::vector<int> nodes(static_cast<std::size_t>(context.size()));
  int mine = context.node_of(context.rank());
  if (!network.hosts().empty()) {
    const std::string name = host_name();
    const auto found = std::ranges::find_if(
        network.hosts(), [&](const std::string& host) { return same_host(host, name); });
    mine = static_cast<int>(found - network.hosts().begin());
  }
  check_mpi(MPI_Allgather(&mine, 1, MPI_INT, nodes.data(), 1, MPI_INT,
                          context.implementation().communicator),
            "placement");
  for (std::size_t rank = 0; rank < nodes.size(); ++rank) {
    if (nodes[rank] >= network.nodes()) {
      throw Error(fmt::format("placement: the node of rank {} is not in the network ({})", rank,
                              network.description()));
    }
  }
  return nodes;
}

}  // namespace

PlacementProblem placement_problem(const Context& context, std::array<int, 3> grid,
                                   const Network& network) {
  PlacementProblem problem;
  problem.grid = grid;
  problem.network = network;
  problem.ranks_on_node.assign(static_cast<std::size_t>(network.nodes()), 0);
  for (const int node : nodes_of_ranks(context, network)) {
    ++problem.ranks_on_node[static_cast<std::size_t>(node)];
  }
  return problem;
}

Context renumbered(const Context& context, const PlacementProblem& problem,
                   const Placement& placement) {
  const std::vector<int> nodes = nodes_of_ranks(context, problem.network);
  auto wanted = placement;
  auto there = nodes;
  std::ranges::sort(wanted);
  std::ranges::sort(there);
  if (wanted != there) {
    throw Error("placement: it was made for other nodes or ranks than those of this context");
  }
  // The k-th rank that runs on a node becomes the k-th rank that is placed there.
  const auto me = nodes.begin() + context.rank();
  auto turn = std::count(nodes.begin(), me, *me);
  int number = 0;
  while (placement[static_cast<std::size_t>(number)] != *me || turn-- > 0) ++number;

  MPI_Comm communicator = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split(context.implementation().communicator, 0, number, &communicator),
            "re-numbering the ranks");
  Context result = Context::from_communicator(&communicator, context.implementation().options);
  MPI_Comm_free(&communicator);
  result.implementation().idle_hook = context.implementation().idle_hook;
  return result;
}

}  // namespace sterna::comm

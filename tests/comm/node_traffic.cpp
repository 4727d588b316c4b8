// Counts what leaves a node in a round of a halo: calls of UCX's put, by a function in place of its
// own, and their bytes. Arguments: method ("node_aggregated shared": with commit_shared), nodes
// along each axis, ranks of a node along each axis, rounds (0: only what the layout says, in one
// process, for any number of ranks). STERNA_RANKS_PER_NODE must be that of the arguments. With
// UCX_TLS=tcp no put is a store. Fails if an item is wrong, or if node_aggregated differs from
// what its layout says.

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "comm/neighbor/node_slab.hpp"
#include "sterna/comm/collective.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/environment.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/neighbor_exchange.hpp"

namespace {

std::int64_t messages = 0, notices = 0, bytes_put = 0;

}  // namespace

/// UCX's function is called with the same arguments; notices are the puts of one word.
extern "C" [[gnu::visibility("default")]] void* ucp_put_nbx(void* endpoint, const void* source,
                                                            std::size_t count, std::uint64_t target,
                                                            void* key, const void* parameters) {
  using Put = void* (*)(void*, const void*, std::size_t, std::uint64_t, void*, const void*);
  static const auto put = reinterpret_cast<Put>(dlsym(RTLD_NEXT, "ucp_put_nbx"));
  ++(count == sizeof(std::uint64_t) ? notices : messages);
  bytes_put += static_cast<std::int64_t>(count);
  return put(endpoint, source, count, target, key, parameters);
}

namespace {

using namespace sterna::comm;
using Three = std::array<int, 3>;

/// A rank has 4^3 cells of 4 atoms, and the halo is 3 cells wide: 10^6 atoms of water on 4096 ranks
/// with a halo of 1 nm.
constexpr int cells = 4, width = 3, atoms_in_cell = 4;

/// A position as it is sent, 12 bytes.
struct Atom {
  std::int32_t sender, cell, number;
  bool operator==(const Atom&) const = default;
};

int volume(const Three& n) {
  return n[0] * n[1] * n[2];
}

Three numbers(std::string_view text) {
  Three n{};
  for (int& value : n) {
    value = std::atoi(text.data());
    text.remove_prefix(std::min(text.find(',') + 1, text.size()));
  }
  return n;
}

struct Grid {
  Three nodes, block;

  int rank_of(Three at) const {
    int node = 0, inside = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const int n = nodes[axis] * block[axis];
      at[axis] = (at[axis] + n) % n;
      node = node * nodes[axis] + at[axis] / block[axis];
      inside = inside * block[axis] + at[axis] % block[axis];
    }
    return node * volume(block) + inside;
  }
  Three place_of(int rank) const {
    int node = rank / volume(block), inside = rank % volume(block);
    Three at{};
    for (std::size_t axis = 3; axis-- > 0;) {
      at[axis] = node % nodes[axis] * block[axis] + inside % block[axis];
      node /= nodes[axis];
      inside /= block[axis];
    }
    return at;
  }
  int node_of(int rank) const { return rank / volume(block); }

  /// The cells, ascending, that a rank has for each rank of other nodes.
  std::map<int, std::vector<int>> cells_for(int rank) const {
    std::map<int, std::vector<int>> result;
    const Three here = place_of(rank);
    for (int direction = 0; direction < 27; ++direction) {
      const Three to{direction / 9 - 1, direction / 3 % 3 - 1, direction % 3 - 1};
      const int peer = rank_of({here[0] + to[0], here[1] + to[1], here[2] + to[2]});
      if (node_of(peer) == node_of(rank)) continue;
      for (int cell = 0; cell < cells * cells * cells; ++cell) {
        const Three at{cell / (cells * cells), cell / cells % cells, cell % cells};
        bool is_near = true;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          if (to[axis] < 0) is_near = is_near && at[axis] < width;
          if (to[axis] > 0) is_near = is_near && at[axis] >= cells - width;
        }
        if (is_near) result[peer].push_back(cell);
      }
    }
    for (auto& [peer, list] : result) {
      std::ranges::sort(list);
      list.erase(std::ranges::unique(list).begin(), list.end());
    }
    return result;
  }
};

/// What a rank commits for a peer: its cells, or ranges of items of another peer's.
struct Part {
  int peer;
  std::vector<int> cell_list;
  int other = -1;
  std::vector<ItemRange> ranges = {};
};

/// The parts of a rank in the order of their commits: with `shared` those with the most cells
/// first, so that the others find theirs among them.
std::vector<Part> parts_of(const Grid& grid, int rank, bool shared) {
  std::vector<Part> parts;
  for (auto& [peer, list] : grid.cells_for(rank)) parts.push_back({peer, std::move(list)});
  if (!shared) return parts;
  std::ranges::stable_sort(parts, std::greater{},
                           [](const Part& part) { return part.cell_list.size(); });
  for (Part& part : parts) {
    for (const Part& other : parts) {
      if (&other == &part) break;
      if (other.other >= 0 || grid.node_of(other.peer) != grid.node_of(part.peer) ||
          !std::ranges::includes(other.cell_list, part.cell_list)) {
        continue;
      }
      part.other = other.peer;
      for (const int cell : part.cell_list) {
        const auto place = std::ranges::lower_bound(other.cell_list, cell);
        const auto first =
            static_cast<std::size_t>(place - other.cell_list.begin()) * atoms_in_cell;
        if (!part.ranges.empty() && part.ranges.back().first + part.ranges.back().count == first) {
          part.ranges.back().count += atoms_in_cell;
        } else {
          part.ranges.push_back({first, atoms_in_cell});
        }
      }
      break;
    }
  }
  return parts;
}

std::vector<Atom> atoms_of(int sender, const std::vector<int>& cell_list) {
  std::vector<Atom> atoms;
  for (const int cell : cell_list) {
    for (int i = 0; i < atoms_in_cell; ++i) atoms.push_back({sender, cell, i});
  }
  return atoms;
}

struct Traffic {
  std::int64_t messages = 0, notices = 0, bytes = 0;
  bool operator==(const Traffic&) const = default;
};

std::size_t padded(std::size_t bytes) {
  return (bytes + 15) / 16 * 16;
}

/// What node_aggregated puts in a round from all ranks of a node.
Traffic planned(const Grid& grid, int node, bool shared) {
  std::vector<int> node_of;
  for (int rank = 0; rank < volume(grid.nodes) * volume(grid.block); ++rank) {
    node_of.push_back(grid.node_of(rank));
  }
  std::vector<NodeLink> links;
  std::size_t bytes = 0;
  for (int rank = node * volume(grid.block); rank < (node + 1) * volume(grid.block); ++rank) {
    for (const Part& part : parts_of(grid, rank, shared)) {
      const std::size_t items = part.cell_list.size() * atoms_in_cell;
      links.push_back({rank, {part.peer, items, items}});
      if (part.other < 0) {
        bytes += padded(items * sizeof(Atom));
      } else if (part.ranges.size() > 1) {
        bytes += padded(part.ranges.size() * sizeof(SliceEntry));
      }
    }
  }
  const NodeSlabLayout layout = lay_out_node_slab(node, links, node_of, sizeof(Atom));
  const auto pairs = static_cast<std::int64_t>(layout.pairs.size());
  for (const NodePair& pair : layout.pairs) bytes += pair.out.body + sizeof(std::uint64_t);
  return {pairs, pairs, static_cast<std::int64_t>(bytes)};
}

void print(const std::string& method, const Grid& grid, std::int64_t links,
           const Traffic& traffic) {
  fmt::print(
      "{{\"method\": \"{}\", \"nodes\": {}, \"ranks_per_node\": {}, \"links\": {}, "
      "\"messages\": {}, \"notices\": {}, \"bytes\": {}}}\n",
      method, volume(grid.nodes), volume(grid.block), links, traffic.messages, traffic.notices,
      traffic.bytes);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const std::string row = argv[1];
  const bool shared = row.ends_with(" shared");
  const std::string method = row.substr(0, row.find(' '));
  const Grid grid{numbers(argv[2]), numbers(argv[3])};
  const int rounds = std::atoi(argv[4]);
  std::int64_t links = 0;
  for (int rank = 0; rank < volume(grid.block); ++rank) {
    links += static_cast<std::int64_t>(grid.cells_for(rank).size());
  }
  if (rounds == 0) {
    print(row, grid, links, planned(grid, 0, shared));
    return 0;
  }
  Environment environment(argc, argv);
  try {
    const Context world;
    if (world.size() != volume(grid.nodes) * volume(grid.block) ||
        world.node_count() != volume(grid.nodes)) {
      Environment::abort("the ranks or nodes are not those of the arguments", 2);
    }
    const std::vector<Part> parts = parts_of(grid, world.rank(), shared);
    std::vector<NeighborPattern::Peer> peers;
    std::map<int, std::vector<Atom>> expected;
    for (const auto& [peer, list] : grid.cells_for(world.rank())) {
      // Capacities are larger than messages, as they are in a simulation.
      expected[peer] = atoms_of(peer, grid.cells_for(peer).at(world.rank()));
      const std::size_t sent = list.size() * atoms_in_cell;
      peers.push_back({peer, sent + sent / 2, expected[peer].size() + expected[peer].size() / 2});
    }
    std::int64_t faults = 0;
    {
      NeighborExchange<Atom> exchange(world, NeighborPattern::from_peers(world, peers),
                                      {.method = method, .name = "halo"});
      const auto index_of = [&](int rank) {
        return static_cast<int>(
            std::ranges::find(exchange.peers(), rank, &NeighborPattern::Peer::rank) -
            exchange.peers().begin());
      };
      messages = notices = bytes_put = 0;
      for (int round = 0; round < rounds; ++round) {
        for (const Part& part : parts) {
          const int peer = index_of(part.peer);
          if (part.other >= 0) {
            exchange.commit_shared(peer, index_of(part.other), part.ranges);
            continue;
          }
          const std::vector<Atom> atoms = atoms_of(world.rank(), part.cell_list);
          std::ranges::copy(atoms, exchange.outbox(peer).begin());
          exchange.commit(peer, atoms.size());
        }
        exchange.start();
        while (const auto peer = exchange.next()) {
          const int rank = exchange.peers()[static_cast<std::size_t>(*peer)].rank;
          faults += !std::ranges::equal(exchange.inbox(*peer), expected[rank]);
        }
        exchange.finish();
      }
    }
    const std::array<std::int64_t, 4> mine{messages, notices, bytes_put, faults};
    const std::vector<std::string> all =
        gather(world, 0, {reinterpret_cast<const char*>(mine.data()), sizeof mine});
    if (world.rank() != 0) return 0;
    std::array<std::int64_t, 4> sums{};
    for (const std::string& text : all) {
      std::array<std::int64_t, 4> theirs;
      std::memcpy(theirs.data(), text.data(), sizeof theirs);
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += theirs[i];
    }
    // All nodes are alike, so each of them has its share of the sums.
    const std::int64_t shares = std::int64_t{rounds} * world.node_count();
    const Traffic traffic{sums[0] / shares, sums[1] / shares, sums[2] / shares};
    print(row, grid, links, traffic);
    const bool is_right = method != "node_aggregated" || traffic == planned(grid, 0, shared);
    return sums[3] == 0 && is_right ? 0 : 1;
  } catch (const Error& error) {
    Environment::abort(error.what(), 3);
  }
}

#include "sterna/comm/neighbor_exchange.hpp"

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "comm/c/call.hpp"

namespace sterna::comm::c {
namespace {

struct NeighborObject {
  static constexpr const char* kind = "neighbor exchange";
  static HandleTable<NeighborObject>& table();

  NeighborObject(const Context& world, std::size_t item_size, NeighborExchangeBytes made)
      : context(world), item_bytes(item_size), exchange(std::move(made)) {}

  Context context;
  std::size_t item_bytes;
  NeighborExchangeBytes exchange;
  std::vector<sterna_neighbor> neighbors;
  std::string method;
};

HandleTable<NeighborObject>& NeighborObject::table() {
  static auto* const exchanges = new HandleTable<NeighborObject>(3);
  return *exchanges;
}

std::vector<NeighborPattern::Peer> peers_from(int count, const sterna_neighbor* neighbors) {
  std::vector<NeighborPattern::Peer> peers;
  for (int i = 0; i < count; ++i) {
    const sterna_neighbor& neighbor = neighbors[i];
    // A number that is out of an int's range names no rank; the pattern reports that on all ranks.
    const int rank = neighbor.rank < 0 || neighbor.rank > std::numeric_limits<int>::max()
                         ? -1
                         : static_cast<int>(neighbor.rank);
    peers.push_back({rank, neighbor.send_capacity, neighbor.receive_capacity});
  }
  return peers;
}

}  // namespace
}  // namespace sterna::comm::c

using namespace sterna::comm;
using namespace sterna::comm::c;

int sterna_neighbor_exchange_create(sterna_context context, int neighbor_count,
                                    const sterna_neighbor* neighbors, size_t item_bytes,
                                    const char* method, const char* name,
                                    sterna_neighbor_exchange* exchange) {
  return call_on<ContextObject>(context.id, [&](ContextObject& owner) {
    const NeighborOptions options{text_or(method, "auto"), text_or(name, "neighbor exchange")};
    check_on_all(owner.context, options.name, [&] {
      require(exchange, "exchange");
      require_list(neighbor_count, neighbors, "neighbors");
    });
    const auto pattern =
        NeighborPattern::from_peers(owner.context, peers_from(neighbor_count, neighbors));
    auto object = std::make_unique<NeighborObject>(
        owner.context, item_bytes,
        NeighborExchangeBytes(owner.context, pattern, item_bytes, options));
    exchange->id = NeighborObject::table().add(std::move(object));
  });
}

int sterna_neighbor_exchange_destroy(sterna_neighbor_exchange* exchange) {
  return destroy<NeighborObject>(exchange);
}

int sterna_neighbor_exchange_neighbors(sterna_neighbor_exchange exchange, int* neighbor_count,
                                       const sterna_neighbor** neighbors) {
  return call_on<NeighborObject>(exchange.id, [&](NeighborObject& object) {
    require(neighbor_count, "neighbor_count");
    require(neighbors, "neighbors");
    object.neighbors.clear();
    for (const NeighborPattern::Peer& peer : object.exchange.peers()) {
      object.neighbors.push_back({peer.rank, peer.send_capacity, peer.receive_capacity});
    }
    *neighbor_count = static_cast<int>(object.neighbors.size());
    *neighbors = object.neighbors.data();
  });
}

int sterna_neighbor_exchange_method(sterna_neighbor_exchange exchange, const char** method) {
  return call_on<NeighborObject>(exchange.id, [&](NeighborObject& object) {
    require(method, "method");
    object.method = object.exchange.verdict().method;
    *method = object.method.c_str();
  });
}

int sterna_neighbor_outbox(sterna_neighbor_exchange exchange, int neighbor, void** data) {
  return call_on<NeighborObject>(exchange.id, [&](NeighborObject& object) {
    require(data, "data");
    *data = object.exchange.outbox(neighbor);
  });
}

int sterna_neighbor_commit(sterna_neighbor_exchange exchange, int neighbor, size_t count) {
  return call_on<NeighborObject>(
      exchange.id, [&](NeighborObject& object) { object.exchange.commit(neighbor, count); });
}

int sterna_neighbor_start(sterna_neighbor_exchange exchange) {
  return call_on<NeighborObject>(exchange.id,
                                 [](NeighborObject& object) { object.exchange.start(); });
}

int sterna_neighbor_next(sterna_neighbor_exchange exchange, int* neighbor) {
  return call_on<NeighborObject>(exchange.id, [&](NeighborObject& object) {
    require(neighbor, "neighbor");
    *neighbor = object.exchange.next().value_or(-1);
  });
}

int sterna_neighbor_inbox(sterna_neighbor_exchange exchange, int neighbor, const void** data,
                          size_t* count) {
  return call_on<NeighborObject>(exchange.id, [&](NeighborObject& object) {
    require(data, "data");
    require(count, "count");
    const auto bytes = object.exchange.inbox(neighbor);
    *data = bytes.data();
    *count = bytes.size() / object.item_bytes;
  });
}

int sterna_neighbor_finish(sterna_neighbor_exchange exchange) {
  return call_on<NeighborObject>(exchange.id,
                                 [](NeighborObject& object) { object.exchange.finish(); });
}

int sterna_neighbor_reserve(sterna_neighbor_exchange exchange, const size_t* send_counts) {
  return call_on<NeighborObject>(exchange.id, [&](NeighborObject& object) {
    const std::size_t count = object.exchange.peers().size();
    check_on_all(object.context, "reserve", [&] {
      if (count > 0) require(send_counts, "send_counts");
    });
    object.exchange.reserve({send_counts, count});
  });
}

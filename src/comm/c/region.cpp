#include "sterna/comm/region.hpp"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <string>
#include <unordered_map>

#include "comm/c/call.hpp"

namespace sterna::comm::c {
namespace {

struct RegionObject {
  static constexpr const char* kind = "region";
  static HandleTable<RegionObject>& table();
  /// The regions by their number, which remote handles carry.
  static std::unordered_map<std::uint64_t, RegionObject*>& numbers();

  RegionObject(const Context& world, std::uint64_t given, RegionBytes made)
      : context(world), number(given), bytes(std::move(made)), transport(bytes.transport()) {
    numbers()[number] = this;
  }
  ~RegionObject() { numbers().erase(number); }

  Context context;
  std::uint64_t number;
  RegionBytes bytes;
  std::string transport;
  /// number of notices that sterna_wait has waited for, by rank
  std::map<int, std::uint64_t> waited;
};

HandleTable<RegionObject>& RegionObject::table() {
  static auto* const regions = new HandleTable<RegionObject>(2);
  return *regions;
}

std::unordered_map<std::uint64_t, RegionObject*>& RegionObject::numbers() {
  static auto* const all = new std::unordered_map<std::uint64_t, RegionObject*>;
  return *all;
}

/// The number of a region is the same on all ranks, because contexts have numbers that their ranks
/// agree on, and regions are made in the same order.
std::uint64_t add(ContextObject& owner, RegionBytes made) {
  const std::uint64_t number = owner.number << 32 | ++owner.regions_made;
  return RegionObject::table().add(
      std::make_unique<RegionObject>(owner.context, number, std::move(made)));
}

std::span<const int> list(int count, const int* ranks) {
  return {ranks, static_cast<std::size_t>(count)};
}

std::uint64_t bytes_at(const RegionObject& region, int rank) {
  return rank == region.context.rank() ? region.bytes.size() : region.bytes.size_at(rank);
}

void check_range(const RegionObject& region, int rank, std::uint64_t offset, std::uint64_t bytes) {
  const std::uint64_t size = bytes_at(region, rank);
  if (offset <= size && bytes <= size - offset) return;
  throw StatusError(STERNA_ERROR_RANGE,
                    fmt::format("{} bytes at {} are outside of the part of rank {}, which has {}",
                                bytes, offset, rank, size));
}

/// Runs an access to `bytes` bytes at `offset` of a place in a region.
template <class Body>
int call_at(const sterna_remote* place, std::size_t offset, const void* buffer, std::size_t bytes,
            Body&& body) noexcept {
  return call([&] {
    require(place, "the place in a region");
    if (bytes > 0) require(buffer, "the buffer");
    const auto found = RegionObject::numbers().find(place->region);
    if (found == RegionObject::numbers().end()) {
      throw StatusError(STERNA_ERROR_HANDLE, "this remote handle is of no region (any more)");
    }
    RegionObject& region = *found->second;
    if (offset > place->bytes || bytes > place->bytes - offset) {
      throw StatusError(STERNA_ERROR_RANGE,
                        fmt::format("{} bytes at {} are outside of the place, which has {}", bytes,
                                    offset, place->bytes));
    }
    const int rank = static_cast<int>(place->rank);
    check_range(region, rank, place->offset, place->bytes);
    communicate(region.context, [&] { body(region.bytes, rank, place->offset + offset); });
  });
}

}  // namespace
}  // namespace sterna::comm::c

using namespace sterna::comm;
using namespace sterna::comm::c;

int sterna_region_create(sterna_context context, size_t bytes, int peer_count, const int* peers,
                         const char* transport, const char* name, sterna_region* region) {
  return call_on<ContextObject>(context.id, [&](ContextObject& owner) {
    const RegionOptions options{text_or(transport, "auto"), text_or(name, "region")};
    check_on_all(owner.context, options.name, [&] {
      require(region, "region");
      require_list(peer_count, peers, "peers");
    });
    region->id = add(owner, RegionBytes(owner.context, bytes, list(peer_count, peers), options));
  });
}

int sterna_region_register(sterna_context context, void* memory, size_t bytes, int peer_count,
                           const int* peers, const char* name, sterna_region* region) {
  return call_on<ContextObject>(context.id, [&](ContextObject& owner) {
    const RegionOptions options{"auto", text_or(name, "region")};
    check_on_all(owner.context, options.name, [&] {
      require(region, "region");
      require_list(peer_count, peers, "peers");
      if (bytes > 0) require(memory, "memory");
    });
    const std::span own(static_cast<std::byte*>(memory), bytes);
    region->id = add(owner, RegionBytes(owner.context, own, list(peer_count, peers), options));
  });
}

int sterna_region_destroy(sterna_region* region) {
  return destroy<RegionObject>(region);
}

int sterna_region_data(sterna_region region, void** data) {
  return call_on<RegionObject>(region.id, [&](RegionObject& object) {
    require(data, "data");
    *data = object.bytes.data();
  });
}

int sterna_region_bytes(sterna_region region, size_t* bytes) {
  return call_on<RegionObject>(region.id, [&](RegionObject& object) {
    require(bytes, "bytes");
    *bytes = object.bytes.size();
  });
}

int sterna_region_transport(sterna_region region, const char** transport) {
  return call_on<RegionObject>(region.id, [&](RegionObject& object) {
    require(transport, "transport");
    *transport = object.transport.c_str();
  });
}

int sterna_remote_handle(sterna_region region, int rank, size_t offset, size_t bytes,
                         sterna_remote* remote) {
  return call_on<RegionObject>(region.id, [&](RegionObject& object) {
    require(remote, "remote");
    check_range(object, rank, offset, bytes);
    *remote = {object.number, offset, bytes, rank};
  });
}

int sterna_remote_part(sterna_region region, int rank, sterna_remote* remote) {
  return call_on<RegionObject>(region.id, [&](RegionObject& object) {
    require(remote, "remote");
    *remote = {object.number, 0, bytes_at(object, rank), rank};
  });
}

int sterna_put(const sterna_remote* to, size_t offset, const void* source, size_t bytes) {
  return call_at(to, offset, source, bytes, [&](RegionBytes& region, int rank, std::size_t at) {
    region.put(rank, at, static_cast<const std::byte*>(source), bytes);
  });
}

int sterna_put_notify(const sterna_remote* to, size_t offset, const void* source, size_t bytes) {
  return call_at(to, offset, source, bytes, [&](RegionBytes& region, int rank, std::size_t at) {
    region.put(rank, at, static_cast<const std::byte*>(source), bytes);
    region.notify(rank);
  });
}

int sterna_get(const sterna_remote* from, size_t offset, void* target, size_t bytes) {
  return call_at(from, offset, target, bytes, [&](RegionBytes& region, int rank, std::size_t at) {
    region.get(rank, at, static_cast<std::byte*>(target), bytes);
  });
}

int sterna_fetch_add(const sterna_remote* at, size_t offset, int64_t addend, int64_t* before) {
  return call_at(at, offset, before, sizeof addend,
                 [&](RegionBytes& region, int rank, std::size_t place) {
                   *before = region.fetch_add(rank, place, addend);
                 });
}

int sterna_flush(sterna_region region) {
  return call_on<RegionObject>(region.id, [](RegionObject& object) { object.bytes.flush(); });
}

int sterna_notify(sterna_region region, int rank) {
  return call_on<RegionObject>(region.id, [&](RegionObject& object) { object.bytes.notify(rank); });
}

int sterna_notices(sterna_region region, int rank, uint64_t* count) {
  return call_on<RegionObject>(region.id, [&](RegionObject& object) {
    require(count, "count");
    *count = object.bytes.notices(rank);
  });
}

int sterna_wait_count(sterna_region region, int rank, uint64_t count) {
  return call_on<RegionObject>(region.id,
                               [&](RegionObject& object) { object.bytes.wait(rank, count); });
}

int sterna_wait(sterna_region region, int rank) {
  return call_on<RegionObject>(region.id, [&](RegionObject& object) {
    const std::uint64_t next = object.waited[rank] + 1;
    object.bytes.wait(rank, next);
    object.waited[rank] = next;
  });
}

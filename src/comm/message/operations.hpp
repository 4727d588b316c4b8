#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sterna/comm/buffer.hpp"
#include "sterna/comm/completion.hpp"

namespace sterna::comm {

/// An array on its way from this rank, to one rank or to several (a broadcast).
struct Shipment {
  std::span<const std::byte> data;
  std::span<const std::byte> named;  ///< as the caller knows it; `data` may be a copy
  BufferBytes buffer;                ///< given away by the caller, kept until all have it
  std::shared_ptr<void> keep;  ///< the same for other memory; of a forwarded call, what it holds
  Completions completions;
  int left[3] = {0, 0, 0};  ///< receivers that still owe each stage
  int peer = -1;
  bool lent = false;
  bool checked = false;
  std::uint64_t checksum = 0;
  std::uint64_t entry = 0;
  std::string error;
};

/// What this rank wants to hear of its arrays, by numbers that receivers send back.
class Operations {
 public:
  struct Operation {
    std::uint64_t name = 0;
    int peer = -1;
    std::uint32_t awaited = 0;  ///< stages, as bits of packet::Wish
    std::shared_ptr<Shipment> shipment;
  };

  std::uint64_t open(int peer, std::uint32_t awaited, std::shared_ptr<Shipment> shipment) {
    std::size_t place = 0;
    if (free_.empty()) {
      place = all_.size();
      all_.emplace_back();
    } else {
      place = free_.back();
      free_.pop_back();
    }
    Operation& operation = all_[place];
    // The place in the lower half; the upper one tells this from earlier ones of the place.
    operation.name = (((operation.name >> 32U) + 1) << 32U) | (place + 1);
    operation.peer = peer;
    operation.awaited = awaited;
    operation.shipment = std::move(shipment);
    ++open_;
    return operation.name;
  }
  /// nullptr where it is not open any more.
  Operation* find(std::uint64_t name) {
    const std::size_t place = (name & 0xffffffffU) - 1;
    if (place >= all_.size() || all_[place].name != name || !all_[place].shipment) return nullptr;
    return &all_[place];
  }
  void close(Operation& operation) {
    operation.shipment.reset();
    free_.push_back((operation.name & 0xffffffffU) - 1);
    --open_;
  }
  std::size_t open_count() const { return open_; }
  std::vector<std::uint64_t> with(int peer) const {
    std::vector<std::uint64_t> names;
    for (const Operation& operation : all_) {
      if (operation.shipment && operation.peer == peer) names.push_back(operation.name);
    }
    return names;
  }
  std::vector<int> peers() const {
    std::vector<int> ranks;
    for (const Operation& operation : all_) {
      if (operation.shipment) ranks.push_back(operation.peer);
    }
    return ranks;
  }

 private:
  std::deque<Operation> all_;
  std::vector<std::size_t> free_;
  std::size_t open_ = 0;
};

}  // namespace sterna::comm

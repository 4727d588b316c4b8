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

/// An array that this rank sends, to one rank or to several (a broadcast).
struct OutgoingArray {
  std::span<const std::byte> data;
  std::span<const std::byte> named;  ///< the memory as the caller knows it; `data` may be a copy
  BufferBytes buffer;  ///< buffer given away by the caller, kept until all receivers have it
  std::shared_ptr<void> keep;  ///< other kept memory, or the memory that a forwarded call keeps
  Completions completions;
  int left[3] = {0, 0, 0};  ///< for each stage, the number of receivers that have not reported it
  int peer = -1;
  bool lent = false;
  bool checked = false;
  std::uint64_t checksum = 0;
  std::uint64_t entry = 0;
  std::string error;
};

/// The reports that receivers still owe for arrays of this rank, by numbers that they send back.
class Operations {
 public:
  struct Operation {
    std::uint64_t name = 0;
    int peer = -1;
    std::uint32_t awaited = 0;  ///< stages, as bits of packet::StageBit
    std::shared_ptr<OutgoingArray> outgoing;
  };

  std::uint64_t open(int peer, std::uint32_t awaited, std::shared_ptr<OutgoingArray> outgoing) {
    std::size_t slot = 0;
    if (free_.empty()) {
      slot = all_.size();
      all_.emplace_back();
    } else {
      slot = free_.back();
      free_.pop_back();
    }
    Operation& operation = all_[slot];
    // The lower half is the slot; the upper half distinguishes this operation from earlier ones in
    // it.
    operation.name = (((operation.name >> 32U) + 1) << 32U) | (slot + 1);
    operation.peer = peer;
    operation.awaited = awaited;
    operation.outgoing = std::move(outgoing);
    ++open_;
    return operation.name;
  }
  /// Returns nullptr if the operation has ended.
  Operation* find(std::uint64_t name) {
    const std::size_t slot = (name & 0xffffffffU) - 1;
    if (slot >= all_.size() || all_[slot].name != name || !all_[slot].outgoing) return nullptr;
    return &all_[slot];
  }
  void close(Operation& operation) {
    operation.outgoing.reset();
    free_.push_back((operation.name & 0xffffffffU) - 1);
    --open_;
  }
  std::size_t open_count() const { return open_; }
  std::vector<std::uint64_t> with(int peer) const {
    std::vector<std::uint64_t> names;
    for (const Operation& operation : all_) {
      if (operation.outgoing && operation.peer == peer) names.push_back(operation.name);
    }
    return names;
  }
  std::vector<int> peers() const {
    std::vector<int> ranks;
    for (const Operation& operation : all_) {
      if (operation.outgoing) ranks.push_back(operation.peer);
    }
    return ranks;
  }

 private:
  std::deque<Operation> all_;
  std::vector<std::size_t> free_;
  std::size_t open_ = 0;
};

}  // namespace sterna::comm

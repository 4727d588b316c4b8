#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "comm/context/context_implementation.hpp"
#include "comm/onesided/connect.hpp"

namespace sterna::comm {

/// Memory of this rank that other ranks write, and access to theirs. All writes into remote memory
/// in this library go through it: neighbor and sparse methods, messages, barriers.
///
/// A `Transport` (shm::Transport, rdma::Transport, ofi::Transport, rma::Transport) has
/// - `Memory`, made by `make(context, exchange_name, bytes)`, which others access by its
///   `handle(memory)`;
/// - `RemoteMemory`, made by `connect(memory, rank, handle)`: `put`, `get`, `fetch_add`, `notify`,
///   `flush` and, except for rma, `sent` and `mapped`;
/// - `need(bytes)`, the memory that a node must have for it, and `synchronize(memory)`, which makes
///   the writes of others visible.
/// A `Note` has what an owner tells each peer besides the handle, such as offsets.
template <class Transport, class Note = NoNote>
class Window {
 public:
  using Memory = typename Transport::Memory;
  using RemoteMemory = typename Transport::RemoteMemory;

  /// Access to the memory of another rank.
  struct Remote {
    RemoteMemory memory;
    Note note;
    int rank;
  };

  /// Makes `bytes` of memory (0 if this rank only writes) and connects with those of `ranks` that
  /// have memory. Each of them must name this rank, too. Before any rank can write to the memory,
  /// it calls `prepare(data)`, which returns a note for each of `ranks`. Collective over the
  /// context. Throws Error on all ranks if one fails. `tag` is that of the messages that connect
  /// them.
  template <class Prepare>
  Window(Context::Implementation& context, std::string_view exchange_name, int tag,
         std::size_t bytes, std::span<const int> ranks, Prepare&& prepare,
         Transport transport = {}) {
    connect(
        context, exchange_name, tag, ranks,
        [&] {
          memory_ = transport.make(context, exchange_name, bytes);
          std::vector<std::string> descriptions;
          const std::string handle = memory_ ? Transport::handle(*memory_) : std::string();
          for (const Note& note : prepare(data())) descriptions.push_back(describe(note, handle));
          return descriptions;
        },
        [&](std::size_t i, const std::string& description) {
          const auto [note, handle] = note_and_handle<Note>(description);
          if (handle.empty()) return;
          remotes_.push_back({transport.connect(memory_.get(), ranks[i], handle), note, ranks[i]});
        });
  }

  /// The memory of this rank; null if it has none.
  Memory* memory() const { return memory_.get(); }
  std::byte* data() const { return memory_ ? memory_->data() : nullptr; }
  /// The remotes of the ranks that have memory, in the order of `ranks`.
  std::vector<Remote>& remotes() { return remotes_; }
  const std::vector<Remote>& remotes() const { return remotes_; }

 private:
  std::unique_ptr<Memory> memory_;
  std::vector<Remote> remotes_;
};

}  // namespace sterna::comm

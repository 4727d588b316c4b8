#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

#include "sterna/comm/item_bytes.hpp"
#include "sterna/comm/messenger.hpp"

namespace sterna::comm {

struct ChannelOptions {
  std::size_t slots = 2;  ///< messages of each direction that may be under way or not yet read
  std::uint64_t key = 0;  ///< distinguishes several channels between the same two ranks
};

/// A persistent connection of two ranks, on bytes; use `Channel<T>`. Its memory is allocated and
/// made known to the peer once. A message is then a put into the receiver's next slot and a notice,
/// without matching. A sender waits while all slots are full. The receiver reports a slot as read
/// with its next put the other way, or with a put of its own if it sends nothing.
class ChannelBytes {
 public:
  /// Both ranks construct it with the same values; other ranks need not know of it. A rank may be
  /// its own peer. The channel must end before the messenger, after both sides have read what they
  /// were sent. Throws MemoryError if a side lacks the memory; the other side then gets the error
  /// at its first wait.
  ChannelBytes(Messenger& messenger, int peer, std::size_t capacity, const ChannelOptions& options);
  ~ChannelBytes();
  ChannelBytes(ChannelBytes&&) noexcept;
  ChannelBytes& operator=(ChannelBytes&&) noexcept;

  /// The place to write the next message before `commit`. Within a node this is the receiver's
  /// memory.
  std::span<std::byte> slot();
  void commit(std::size_t bytes);
  /// Sends `message`, which must stay unchanged until `wait_sent`.
  void send(std::span<const std::byte> message);
  void wait_sent();
  /// Returns the next message, or nothing if none has arrived. It stays valid until `release`.
  std::optional<std::span<const std::byte>> receive();
  std::span<const std::byte> wait();
  /// Returns the slot of the earliest received message to the sender.
  void release();
  /// The transport is "shm" or "rdma", or "messages" if ranks cannot write into each other's
  /// memory.
  std::string_view transport() const;

  class Implementation;

 private:
  std::unique_ptr<Implementation> implementation_;
};

/// A channel of items of a trivially copyable type; sizes are in items.
template <class T>
class Channel {
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= 64);

 public:
  Channel(Messenger& messenger, int peer, std::size_t capacity, const ChannelOptions& options = {})
      : bytes_(messenger, peer, item_bytes(capacity, sizeof(T)), options) {}

  std::span<T> slot() {
    const auto slot = bytes_.slot();
    return {reinterpret_cast<T*>(slot.data()), slot.size() / sizeof(T)};
  }
  void commit(std::size_t count) { bytes_.commit(item_bytes(count, sizeof(T))); }
  void send(std::span<const T> message) { bytes_.send(std::as_bytes(message)); }
  void wait_sent() { bytes_.wait_sent(); }
  std::optional<std::span<const T>> receive() {
    const auto message = bytes_.receive();
    if (!message) return std::nullopt;
    return items(*message);
  }
  std::span<const T> wait() { return items(bytes_.wait()); }
  void release() { bytes_.release(); }
  std::string_view transport() const { return bytes_.transport(); }

 private:
  static std::span<const T> items(std::span<const std::byte> message) {
    return {reinterpret_cast<const T*>(message.data()), message.size() / sizeof(T)};
  }
  ChannelBytes bytes_;
};

}  // namespace sterna::comm

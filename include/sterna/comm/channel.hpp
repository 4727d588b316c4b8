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
  std::size_t slots = 2;  ///< messages of each direction that may be under way or unread
  std::uint64_t key = 0;  ///< tells several channels of one pair apart
};

/// A lasting connection of two ranks, on bytes; use `Channel<T>`. Memory is made and made known
/// once; a message is a put into the receiver's next slot and a notice, without matching. A sender
/// waits where all slots are full. That a slot was read is written with the next put the other way,
/// or on its own where nothing goes that way.
class ChannelBytes {
 public:
  /// Both ranks make it, with the same values; the others need not know. A rank may be its own
  /// peer. Must end before the messenger, after both sides have read what they were sent. Throws
  /// MemoryError where a side has no such memory; the other side learns of it where it first waits.
  ChannelBytes(Messenger& messenger, int peer, std::size_t capacity, const ChannelOptions& options);
  ~ChannelBytes();
  ChannelBytes(ChannelBytes&&) noexcept;
  ChannelBytes& operator=(ChannelBytes&&) noexcept;

  /// Where the next message may be written before `commit`: in a node, the receiver's memory.
  std::span<std::byte> slot();
  void commit(std::size_t bytes);
  /// Sends these; they must stay as they are until `wait_sent`.
  void send(std::span<const std::byte> message);
  void wait_sent();
  /// The next message, or nothing where none has come; it stays until `release`.
  std::optional<std::span<const std::byte>> receive();
  std::span<const std::byte> wait();
  /// Gives the slot of the earliest message received back to the sender.
  void release();
  /// "shm", "rdma", or "messages" where ranks cannot write into each other's memory.
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

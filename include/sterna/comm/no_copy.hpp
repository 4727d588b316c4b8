#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "sterna/comm/buffer.hpp"
#include "sterna/comm/completion.hpp"

namespace sterna::comm {

namespace detail {

/// An array argument of an outgoing call.
struct ArrayOut {
  enum class Mode { lent, given, copied };
  Mode mode = Mode::copied;
  std::span<const std::byte> data;
  BufferBytes buffer;          ///< the array, if it was given away as a buffer
  std::shared_ptr<void> keep;  ///< other memory that was given away
  Completions completions;
};

/// An array argument that has arrived.
struct ArrayIn {
  const std::byte* data = nullptr;
  std::size_t bytes = 0;
  BufferBytes owned;  ///< holds the data; empty if they are in memory of another owner
  std::shared_ptr<MessagePool> pool;
  /// Returns the data in memory that the caller owns. They are copied only if another owner has
  /// them.
  BufferBytes take();
};

/// The receive buffer of an array, which a hook chooses before the data arrive.
struct ByteReceiveBuffer {
  std::size_t bytes = 0;  ///< size of the array
  std::span<std::byte> memory;
  bool given = false;   ///< true if the hook has set `memory`
  bool posted = false;  ///< true if the memory posted under `source` and `key` is used
  int source = -1;
  std::uint64_t key = 0;
};

}  // namespace detail

/// In the signature of an entry: an array that travels with as few copies as possible. In a call:
/// the argument, made by `nocopy`.
template <class T>
class NoCopy {
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= 16);

 public:
  explicit NoCopy(detail::ArrayOut array) : array_(std::move(array)) {}
  detail::ArrayOut release() && { return std::move(array_); }

 private:
  detail::ArrayOut array_;
};

namespace detail {
template <class T, class... Requests>
NoCopy<T> make_no_copy(ArrayOut::Mode mode, std::span<const T> items, Requests&&... completions) {
  ArrayOut array;
  array.mode = mode;
  array.data = std::as_bytes(items);
  (array.completions.add(std::forward<Requests>(completions)), ...);
  return NoCopy<T>(std::move(array));
}
}  // namespace detail

/// Lends the items, which must stay unchanged until the source completion. `completions`: any of
/// `on_source`, `on_remote`, `on_operation`.
template <std::ranges::contiguous_range Range, class... Requests>
requires std::is_lvalue_reference_v<Range> || std::ranges::borrowed_range<Range>
auto nocopy(Range&& items, Requests&&... completions) {
  using T = std::ranges::range_value_t<Range>;
  return detail::make_no_copy<T>(
      detail::ArrayOut::Mode::lent,
      std::span<const T>(std::ranges::data(items), std::ranges::size(items)),
      std::forward<Requests>(completions)...);
}

/// Gives the buffer away. Within a node the receiver gets this very memory.
template <class T, class... Requests>
NoCopy<T> nocopy(Buffer<T>&& buffer, Requests&&... completions) {
  detail::ArrayOut array;
  array.mode = detail::ArrayOut::Mode::given;
  array.data = std::as_bytes(buffer.items());
  array.buffer = std::move(buffer).release();
  (array.completions.add(std::forward<Requests>(completions)), ...);
  return NoCopy<T>(std::move(array));
}

/// Gives a vector away. It lives until no receiver needs it.
template <class T, class... Requests>
NoCopy<T> nocopy(std::vector<T>&& items, Requests&&... completions) {
  auto keep = std::make_shared<std::vector<T>>(std::move(items));
  detail::ArrayOut array;
  array.mode = detail::ArrayOut::Mode::lent;
  array.data = std::as_bytes(std::span<const T>(*keep));
  array.keep = std::move(keep);
  (array.completions.add(std::forward<Requests>(completions)), ...);
  return NoCopy<T>(std::move(array));
}

/// The argument that an entry gets for a `NoCopy<T>`. The entry may read it as a `std::span<const
/// T>` until it returns, wherever the data are. As a `Buffer<T>` it may keep the array, which costs
/// a copy only if the sender did not give the array away.
template <class T>
class Arrived {
 public:
  explicit Arrived(detail::ArrayIn& array) : array_(array) {}
  std::span<const T> items() const {
    return {reinterpret_cast<const T*>(array_.data), array_.bytes / sizeof(T)};
  }
  Buffer<T> take() const { return Buffer<T>(array_.take()); }
  operator std::span<const T>() const { return items(); }  // NOLINT: an entry may name either type
  operator Buffer<T>() const { return take(); }            // NOLINT

 private:
  detail::ArrayIn& array_;
};

/// The argument that the hook of an entry gets for a `NoCopy<T>`. The hook may choose the memory
/// that receives the items. Otherwise they stay in the sender's memory, or go to memory from the
/// pool.
template <class T>
class ReceiveBuffer {
 public:
  explicit ReceiveBuffer(detail::ByteReceiveBuffer& buffer) : buffer_(buffer) {}
  std::size_t count() const { return buffer_.bytes / sizeof(T); }
  /// Receives the items in this memory, which must live until the entry has run.
  void use(std::span<T> memory) {
    buffer_.memory = std::as_writable_bytes(memory);
    buffer_.given = true;
  }
  /// Receives the items in the memory that `Messenger::post` names under this key, before or after
  /// this call.
  void posted(std::uint64_t key) {
    buffer_.posted = true;
    buffer_.key = key;
  }

 private:
  detail::ByteReceiveBuffer& buffer_;
};

/// The former name of this type.
template <class T>
using Room [[deprecated("sterna::comm::Room is now sterna::comm::ReceiveBuffer")]] =
    ReceiveBuffer<T>;

}  // namespace sterna::comm

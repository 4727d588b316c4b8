#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

#include "sterna/comm/context.hpp"
#include "sterna/comm/item_bytes.hpp"

namespace sterna::comm {

struct RegionOptions {
  std::string transport = "auto";  ///< "shm" (all peers on one node) or "rdma"
  std::string name = "region";     ///< in errors
};

/// Memory of this rank that its peers write into, and access to theirs: the one-sided layer
/// below the exchanges, on bytes. Use `Region<T>`. Made and destroyed collectively, in the same
/// order on all ranks of the context. What is begun (puts, gets, notices) is complete after
/// `flush`. A notice is a counter at the target, one for each peer: it rises only after the data of
/// the puts before it are there, and it is never reset, so whoever waits names the count it waits
/// for. The caller must keep apart two puts without a notice between them, and a put and the
/// target's own stores.
class RegionBytes {
 public:
  /// `bytes`: size of this rank's part, filled with zeros; may differ between ranks. `peers`: ranks
  /// that write here and that this rank writes to; a must list b where b lists a; this rank
  /// may be among them.
  /// Throws Error on all ranks where no transport serves, where the lists do not match, and
  /// (MemoryError) where there is no such memory.
  RegionBytes(const Context& context, std::size_t bytes, std::span<const int> peers,
              const RegionOptions& options = {});
  /// The same in memory that the caller has already and keeps longer than the region; it stays as
  /// it is. Other processes cannot map it, so where any rank gives its own, all go by `rdma`: in a
  /// node and over TCP a put then takes one copy more and arrives when its target is next inside a
  /// call of the library.
  RegionBytes(const Context& context, std::span<std::byte> own, std::span<const int> peers,
              const RegionOptions& options = {});
  ~RegionBytes();
  RegionBytes(RegionBytes&&) noexcept;
  RegionBytes& operator=(RegionBytes&&) noexcept;

  std::byte* data() const;
  std::size_t size() const;
  /// Size of a peer's part.
  std::size_t size_at(int peer) const;
  std::string_view transport() const;

  /// Begins to write `bytes` at `offset` of the part of rank `peer`. The source must stay as it is
  /// until `flush`.
  void put(int peer, std::size_t offset, const std::byte* source, std::size_t bytes);
  /// Begins to read `bytes` at `offset` of the part of rank `peer`; `target` is filled after
  /// `flush`.
  void get(int peer, std::size_t offset, std::byte* target, std::size_t bytes);
  /// Adds `addend` to the integer of 8 bytes at `offset` of the part of rank `peer`, at once for
  /// all who do it so, and returns what it was. Waits.
  std::int64_t fetch_add(int peer, std::size_t offset, std::int64_t addend);
  /// Raises this rank's counter at `peer` by one, behind the data of all puts to it so far.
  void notify(int peer);
  /// How often `peer` has notified this rank.
  std::uint64_t notices(int peer) const;
  /// Waits until `peer` has notified this rank `count` times in all.
  void wait(int peer, std::uint64_t count);
  /// Waits until all puts and notices of this rank have arrived, and all that it gets.
  void flush();

  class Implementation;

 private:
  std::unique_ptr<Implementation> implementation_;
};

/// A region of items of a trivially copyable type; sizes and offsets are in items.
template <class T>
class Region {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Region(const Context& context, std::size_t count, std::span<const int> peers,
         const RegionOptions& options = {})
      : bytes_(context, item_bytes(count, sizeof(T)), peers, options) {}
  Region(const Context& context, std::span<T> own, std::span<const int> peers,
         const RegionOptions& options = {})
      : bytes_(context, std::as_writable_bytes(own), peers, options) {}

  std::span<T> items() const {
    return {reinterpret_cast<T*>(bytes_.data()), bytes_.size() / sizeof(T)};
  }
  std::size_t size_at(int peer) const { return bytes_.size_at(peer) / sizeof(T); }
  std::string_view transport() const { return bytes_.transport(); }
  void put(int peer, std::size_t offset, std::span<const T> source) {
    bytes_.put(peer, item_bytes(offset, sizeof(T)),
               reinterpret_cast<const std::byte*>(source.data()), source.size_bytes());
  }
  void get(int peer, std::size_t offset, std::span<T> target) {
    bytes_.get(peer, item_bytes(offset, sizeof(T)), reinterpret_cast<std::byte*>(target.data()),
               target.size_bytes());
  }
  /// Adds to item `index` of the part of rank `peer`, and returns what it was.
  T fetch_add(int peer, std::size_t index, T addend) requires std::is_same_v<T, std::int64_t> {
    return bytes_.fetch_add(peer, item_bytes(index, sizeof(T)), addend);
  }
  void notify(int peer) { bytes_.notify(peer); }
  std::uint64_t notices(int peer) const { return bytes_.notices(peer); }
  void wait(int peer, std::uint64_t count) { bytes_.wait(peer, count); }
  void flush() { bytes_.flush(); }

 private:
  RegionBytes bytes_;
};

}  // namespace sterna::comm

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
  std::string transport = "auto";  ///< "shm" (all peers on one node), "rdma", "ofi" or "auto"
  std::string name = "region";     ///< name in errors
};

/// Memory of this rank that its peers write into, and access to the memory of the peers, on bytes.
/// This is the one-sided layer below the exchanges. Use `Region<T>`. A region is made and destroyed
/// collectively, in the same order on all ranks of the context. Puts, gets and notices are complete
/// after `flush`.
///
/// A notice is a counter at the target, one for each peer. It rises only after the data of the puts
/// before it have arrived, and it is never reset, so a rank names the count that it waits for. The
/// caller must separate two puts to the same place by a notice, and likewise a put and the target's
/// own stores.
class RegionBytes {
 public:
  /// `bytes` is the size of this rank's part, which is filled with zeros; it may differ between
  /// ranks. `peers` are the ranks that write here and that this rank writes to; a must list b if b
  /// lists a; this rank may be among them. Throws Error on all ranks if no transport works or the
  /// lists do not match, and MemoryError on all ranks if there is no such memory.
  RegionBytes(const Context& context, std::size_t bytes, std::span<const int> peers,
              const RegionOptions& options = {});
  /// The same in memory that the caller has already and that outlives the region; its contents are
  /// kept. Other processes cannot map it. So if any rank gives its own memory, all transfers go by
  /// `rdma`: within a node and over TCP a put then takes one copy more, and arrives when its target
  /// is next inside a call of the library.
  RegionBytes(const Context& context, std::span<std::byte> own, std::span<const int> peers,
              const RegionOptions& options = {});
  ~RegionBytes();
  RegionBytes(RegionBytes&&) noexcept;
  RegionBytes& operator=(RegionBytes&&) noexcept;

  std::byte* data() const;
  std::size_t size() const;
  /// The size of a peer's part.
  std::size_t size_at(int peer) const;
  std::string_view transport() const;

  /// Begins to write `bytes` at `offset` of the part of rank `peer`. The source must stay as it is
  /// until `flush`.
  void put(int peer, std::size_t offset, const std::byte* source, std::size_t bytes);
  /// Begins to read `bytes` at `offset` of the part of rank `peer`; `target` is filled after
  /// `flush`.
  void get(int peer, std::size_t offset, std::byte* target, std::size_t bytes);
  /// Adds `addend` to the 8-byte integer at `offset` of the part of rank `peer`, atomically with
  /// respect to other calls of this function, and returns the previous value. Waits.
  std::int64_t fetch_add(int peer, std::size_t offset, std::int64_t addend);
  /// Raises this rank's counter at `peer` by one, after the data of all puts to that peer so far.
  void notify(int peer);
  /// The number of notices that `peer` has sent to this rank.
  std::uint64_t notices(int peer) const;
  /// Waits until `peer` has sent `count` notices to this rank in all.
  void wait(int peer, std::uint64_t count);
  /// Waits until all puts and notices of this rank have arrived, and all its gets are complete.
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
  /// Adds to item `index` of the part of rank `peer`, and returns the previous value.
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

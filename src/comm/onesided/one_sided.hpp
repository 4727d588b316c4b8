#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace sterna::comm {

/// The sizes of this rank's memory in a region: counters of notices and data.
struct OneSidedParts {
  std::size_t counter_bytes = 0;
  std::size_t data_bytes = 0;
  /// data that the caller has already; null if they are to be allocated
  std::byte* own_data = nullptr;
};

/// A window of counters and data whose transport is chosen at run time, for regions and channels.
/// Peers are named by their index. Offsets are those in the peer's data unless stated otherwise.
class OneSided {
 public:
  virtual ~OneSided() = default;
  /// Counters are filled with zeros, as are data that the caller did not provide.
  virtual std::byte* counters() const = 0;
  virtual std::byte* data() const = 0;
  /// Returns the data that a peer needs to write here, to be sent as bytes.
  virtual std::string description() const = 0;
  /// Adds the next peer by its description. Throws Error if its memory cannot be accessed.
  virtual void connect(const std::string& description) = 0;
  /// The address of the peer's data if this process can store to them; otherwise null.
  virtual std::byte* mapped(std::size_t) { return nullptr; }
  virtual void put(std::size_t peer, std::size_t offset, const std::byte* source,
                   std::size_t bytes) = 0;
  virtual void get(std::size_t peer, std::size_t offset, std::byte* target, std::size_t bytes) = 0;
  /// Adds `value` to a word atomically; `before`, its previous value, is valid when `sent`.
  virtual void fetch_add(std::size_t peer, std::size_t offset, const std::uint64_t& value,
                         std::uint64_t& before) = 0;
  /// Writes a word at `offset` of the counters, after all puts to that peer. `source` must stay
  /// unchanged until `sent`.
  virtual void notify(std::size_t peer, std::size_t offset, const std::uint64_t& source) = 0;
  /// True once the sources of all puts may be changed and the targets of gets are filled.
  virtual bool sent(std::size_t peer) = 0;
  /// Begins to ask whether all puts have arrived; then `sent` returns true once they have.
  virtual void flush(std::size_t peer) = 0;
  virtual void progress() = 0;
  /// True if puts can arrive after the memory of their target was freed.
  virtual bool outlives_target() const = 0;
};

/// Makes a window. `transport` is "shm" (not for the caller's data), "rdma" or "ofi",
/// which must work.
/// Throws Error if memory does not suffice.
std::shared_ptr<OneSided> make_one_sided(std::string_view transport, const OneSidedParts& parts);

}  // namespace sterna::comm

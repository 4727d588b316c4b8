#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace sterna::comm {

/// The memory of this rank in a region: counters of notices and data.
struct OneSidedParts {
  std::size_t counter_bytes = 0;
  std::size_t data_bytes = 0;
  std::byte* own_data = nullptr;  ///< data that the caller has already; null: to be made
};

/// A window of counters and data whose transport is chosen at run time, for regions and channels.
/// Peers are named by their index; offsets are into their data where nothing else is said.
class OneSided {
 public:
  virtual ~OneSided() = default;
  /// Filled with zeros, as is data that was not the caller's.
  virtual std::byte* counters() const = 0;
  virtual std::byte* data() const = 0;
  /// What a peer needs to write here; to be sent as bytes.
  virtual std::string description() const = 0;
  /// Adds the next peer, by its description. Throws Error where its memory cannot be accessed.
  virtual void connect(const std::string& description) = 0;
  /// The peer's data where this process can store to them; null where it cannot.
  virtual std::byte* mapped(std::size_t) { return nullptr; }
  virtual void put(std::size_t peer, std::size_t offset, const std::byte* source,
                   std::size_t bytes) = 0;
  virtual void get(std::size_t peer, std::size_t offset, std::byte* target, std::size_t bytes) = 0;
  /// Adds `value` to a word, at once for all; `before`, what it was, is there with `sent`.
  virtual void fetch_add(std::size_t peer, std::size_t offset, const std::uint64_t& value,
                         std::uint64_t& before) = 0;
  /// Writes a word at `offset` of the counters, behind all puts to that peer. `source` must stay as
  /// it is until `sent`.
  virtual void notify(std::size_t peer, std::size_t offset, const std::uint64_t& source) = 0;
  /// True once the sources of all puts may be changed and the targets of gets are filled.
  virtual bool sent(std::size_t peer) = 0;
  /// Begins to ask whether all puts have arrived; from then on `sent` tells.
  virtual void flush(std::size_t peer) = 0;
  virtual void progress() = 0;
  /// Whether puts can arrive after the memory of their target was given up.
  virtual bool outlives_target() const = 0;
};

/// `transport`: "shm" (not for data of the caller's) or "rdma", where that works. Throws Error where
/// there is no memory.
std::shared_ptr<OneSided> make_one_sided(std::string_view transport, const OneSidedParts& parts);

}  // namespace sterna::comm

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace sterna::comm {

/// What a region needs of a transport that can write into another rank's memory. Peers are named
/// by their index.
class OneSided {
 public:
  virtual ~OneSided() = default;
  /// This rank's memory, filled with zeros.
  virtual std::byte* data() const = 0;
  /// What a peer needs to write here.
  virtual std::string letter() const = 0;
  /// Adds the next peer. Throws Error where its memory is out of reach.
  virtual void connect(const std::string& letter) = 0;
  virtual void put(std::size_t peer, std::size_t offset, const std::byte* source,
                   std::size_t bytes) = 0;
  /// Writes a word behind all puts to that peer. `source` must stay as it is until `sent`.
  virtual void put_behind(std::size_t peer, std::size_t offset, const std::uint64_t* source) = 0;
  /// True once the sources of all puts may be changed.
  virtual bool sent(std::size_t peer) = 0;
  /// Begins to ask whether all puts have arrived; from then on `sent` tells.
  virtual void flush(std::size_t peer) = 0;
  virtual void progress() = 0;
  /// Whether puts can arrive after the memory of their target was given up.
  virtual bool outlives_target() const = 0;
};

/// Both throw Error where there is no memory. `rdma`: only where the transport works.
std::shared_ptr<OneSided> make_shm_one_sided(std::size_t bytes);
std::shared_ptr<OneSided> make_rdma_one_sided(std::size_t bytes);

}  // namespace sterna::comm

#include "comm/memory/one_sided.hpp"
#include "comm/transport/rdma/peer.hpp"
#include "sterna/comm/error.hpp"

#ifdef STERNA_HAVE_UCX

#include <array>
#include <cstring>
#include <vector>

#include "comm/transport/rdma/memory.hpp"
#include "comm/transport/rdma/worker.hpp"
#include "comm/transport/two_sided/memory.hpp"

namespace sterna::comm {
namespace {

/// Counters and data are two memories. In a node UCX stores into memory of its own at once, but
/// into any other memory with the target's help, and a fence does not order the one behind the
/// other: where the data are the caller's, the counters are plain memory too.
class RdmaOneSided final : public OneSided {
 public:
  explicit RdmaOneSided(const OneSidedParts& parts)
      : plain_counters_(parts.own_data == nullptr ? 0 : parts.counter_bytes),
        counters_(parts.own_data == nullptr
                      ? rdma::Memory(parts.counter_bytes)
                      : rdma::Memory(plain_counters_.data(), parts.counter_bytes)),
        data_(parts.own_data == nullptr ? rdma::Memory(parts.data_bytes)
                                        : rdma::Memory(parts.own_data, parts.data_bytes)) {
    std::memset(counters_.data(), 0, parts.counter_bytes);
  }

  std::byte* counters() const override { return counters_.data(); }
  std::byte* data() const override { return data_.data(); }
  /// Three times a length and its bytes: the worker's address, the handles of both memories.
  std::string letter() const override {
    std::string letter;
    for (const std::string& part : {worker_.address(), counters_.handle(), data_.handle()}) {
      const std::uint64_t length = part.size();
      letter.append(reinterpret_cast<const char*>(&length), sizeof length);
      letter += part;
    }
    return letter;
  }
  void connect(const std::string& letter) override {
    std::array<std::string, 3> parts;
    std::size_t at = 0;
    for (std::string& part : parts) {
      std::uint64_t length = 0;
      std::memcpy(&length, letter.data() + at, sizeof length);
      part = letter.substr(at + sizeof length, length);
      at += sizeof length + length;
    }
    peers_.push_back({rdma::Peer(parts[0], parts[1]), rdma::Peer(parts[0], parts[2])});
  }
  void put(std::size_t peer, std::size_t offset, const std::byte* source,
           std::size_t bytes) override {
    peers_[peer].data.put(offset, source, bytes);
  }
  void get(std::size_t peer, std::size_t offset, std::byte* target, std::size_t bytes) override {
    peers_[peer].data.get(offset, target, bytes);
  }
  void fetch_add(std::size_t peer, std::size_t offset, const std::uint64_t& value,
                 std::uint64_t& before) override {
    peers_[peer].data.fetch_add(offset, value, before);
  }
  void notify(std::size_t peer, std::size_t offset, const std::uint64_t& source) override {
    worker_.fence();
    peers_[peer].counters.put(offset, reinterpret_cast<const std::byte*>(&source), sizeof source);
  }
  bool sent(std::size_t peer) override {
    return peers_[peer].data.sent() && peers_[peer].counters.sent();
  }
  /// Both are memories of one process, which is what is flushed.
  void flush(std::size_t peer) override { peers_[peer].data.flush(); }
  void progress() override { worker_.progress(); }
  bool outlives_target() const override { return true; }

 private:
  struct Target {
    rdma::Peer counters;
    rdma::Peer data;
  };

  rdma::Worker& worker_ = rdma::Worker::instance();
  two_sided::Memory plain_counters_;
  rdma::Memory counters_;
  rdma::Memory data_;
  std::vector<Target> peers_;
};

}  // namespace

std::shared_ptr<OneSided> make_rdma_one_sided(const OneSidedParts& parts) {
  return std::make_shared<RdmaOneSided>(parts);
}

}  // namespace sterna::comm

#else

namespace sterna::comm {

std::shared_ptr<OneSided> make_rdma_one_sided(const OneSidedParts&) {
  throw Error("built without UCX");
}

}  // namespace sterna::comm

#endif

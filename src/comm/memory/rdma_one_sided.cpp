#include "comm/memory/one_sided.hpp"
#include "comm/transport/rdma/peer.hpp"
#include "sterna/comm/error.hpp"

#ifdef STERNA_HAVE_UCX

#include <cstring>
#include <vector>

#include "comm/transport/rdma/memory.hpp"
#include "comm/transport/rdma/worker.hpp"

namespace sterna::comm {
namespace {

class RdmaOneSided final : public OneSided {
 public:
  explicit RdmaOneSided(std::size_t bytes) : memory_(bytes) {}

  std::byte* data() const override { return memory_.data(); }
  /// Length of the worker's address, address, handle of the memory.
  std::string letter() const override {
    const std::string& address = worker_.address();
    const std::uint64_t length = address.size();
    return std::string(reinterpret_cast<const char*>(&length), sizeof length) + address +
           memory_.handle();
  }
  void connect(const std::string& letter) override {
    std::uint64_t length = 0;
    std::memcpy(&length, letter.data(), sizeof length);
    peers_.emplace_back(letter.substr(sizeof length, length),
                        letter.substr(sizeof length + length));
  }
  void put(std::size_t peer, std::size_t offset, const std::byte* source,
           std::size_t bytes) override {
    peers_[peer].put(offset, source, bytes);
  }
  void put_behind(std::size_t peer, std::size_t offset, const std::uint64_t* source) override {
    worker_.fence();
    peers_[peer].put(offset, reinterpret_cast<const std::byte*>(source), sizeof *source);
  }
  bool sent(std::size_t peer) override { return peers_[peer].sent(); }
  void flush(std::size_t peer) override { peers_[peer].flush(); }
  void progress() override { worker_.progress(); }
  bool outlives_target() const override { return true; }

 private:
  rdma::Worker& worker_ = rdma::Worker::instance();
  rdma::Memory memory_;
  std::vector<rdma::Peer> peers_;
};

}  // namespace

std::shared_ptr<OneSided> make_rdma_one_sided(std::size_t bytes) {
  return std::make_shared<RdmaOneSided>(bytes);
}

}  // namespace sterna::comm

#else

namespace sterna::comm {

std::shared_ptr<OneSided> make_rdma_one_sided(std::size_t) {
  throw Error("built without UCX");
}

}  // namespace sterna::comm

#endif

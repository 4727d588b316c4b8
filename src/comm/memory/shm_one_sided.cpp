#include <cstring>
#include <vector>

#include "comm/memory/one_sided.hpp"
#include "comm/transport/shm/memory.hpp"
#include "comm/transport/shm/peer.hpp"

namespace sterna::comm {
namespace {

class ShmOneSided final : public OneSided {
 public:
  explicit ShmOneSided(std::size_t bytes) : memory_(bytes) {}

  std::byte* data() const override { return memory_.data(); }
  std::string letter() const override {
    return {reinterpret_cast<const char*>(&memory_.handle()), sizeof(shm::Handle)};
  }
  void connect(const std::string& letter) override {
    shm::Handle handle;
    std::memcpy(&handle, letter.data(), sizeof handle);
    peers_.emplace_back(handle);
  }
  void put(std::size_t peer, std::size_t offset, const std::byte* source,
           std::size_t bytes) override {
    peers_[peer].put(offset, source, bytes);
  }
  void put_behind(std::size_t peer, std::size_t offset, const std::uint64_t* source) override {
    peers_[peer].notify(offset, *source);
  }
  bool sent(std::size_t) override { return true; }
  void flush(std::size_t) override {}
  void progress() override {}
  bool outlives_target() const override { return false; }

 private:
  shm::Memory memory_;
  std::vector<shm::Peer> peers_;
};

}  // namespace

std::shared_ptr<OneSided> make_shm_one_sided(std::size_t bytes) {
  return std::make_shared<ShmOneSided>(bytes);
}

}  // namespace sterna::comm

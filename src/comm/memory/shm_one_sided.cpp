#include <cstring>
#include <vector>

#include "comm/memory/one_sided.hpp"
#include "comm/transport/shm/memory.hpp"
#include "comm/transport/shm/peer.hpp"
#include "sterna/comm/error.hpp"

#ifdef STERNA_HAVE_SHM

namespace sterna::comm {
namespace {

class ShmOneSided final : public OneSided {
 public:
  explicit ShmOneSided(const OneSidedParts& parts)
      : memory_(parts.counter_bytes + parts.data_bytes), counter_bytes_(parts.counter_bytes) {}

  std::byte* counters() const override { return memory_.data(); }
  std::byte* data() const override { return memory_.data() + counter_bytes_; }
  std::string letter() const override {
    const Door door{memory_.handle(), counter_bytes_};
    return {reinterpret_cast<const char*>(&door), sizeof door};
  }
  void connect(const std::string& letter) override {
    Door door;
    std::memcpy(&door, letter.data(), sizeof door);
    peers_.push_back({shm::Peer(door.handle), door.data});
  }
  std::byte* mapped(std::size_t peer) override {
    return peers_[peer].memory.data() + peers_[peer].data;
  }
  void put(std::size_t peer, std::size_t offset, const std::byte* source,
           std::size_t bytes) override {
    peers_[peer].memory.put(peers_[peer].data + offset, source, bytes);
  }
  void get(std::size_t peer, std::size_t offset, std::byte* target, std::size_t bytes) override {
    peers_[peer].memory.get(peers_[peer].data + offset, target, bytes);
  }
  void fetch_add(std::size_t peer, std::size_t offset, const std::uint64_t& value,
                 std::uint64_t& before) override {
    before = peers_[peer].memory.fetch_add(peers_[peer].data + offset, value);
  }
  void notify(std::size_t peer, std::size_t offset, const std::uint64_t& source) override {
    peers_[peer].memory.notify(offset, source);
  }
  bool sent(std::size_t) override { return true; }
  void flush(std::size_t) override {}
  void progress() override {}
  bool outlives_target() const override { return false; }

 private:
  struct Door {
    shm::Handle handle;
    std::size_t data = 0;  ///< offset: the counters lie before
  };
  struct Mapped {
    shm::Peer memory;
    std::size_t data;
  };

  shm::Memory memory_;
  std::size_t counter_bytes_;
  std::vector<Mapped> peers_;
};

}  // namespace

std::shared_ptr<OneSided> make_shm_one_sided(const OneSidedParts& parts) {
  return std::make_shared<ShmOneSided>(parts);
}

}  // namespace sterna::comm

#else

namespace sterna::comm {

std::shared_ptr<OneSided> make_shm_one_sided(const OneSidedParts&) {
  throw Error("built without shared memory");
}

}  // namespace sterna::comm

#endif

#include "comm/onesided/one_sided.hpp"

#include <cstring>
#include <utility>
#include <vector>

#include "comm/onesided/connect.hpp"
#include "comm/onesided/notice.hpp"
#include "comm/transport/ofi/transport.hpp"
#include "comm/transport/rdma/transport.hpp"
#include "comm/transport/shm/transport.hpp"
#include "comm/transport/two_sided/memory.hpp"
#include "sterna/comm/item_bytes.hpp"

namespace sterna::comm {
namespace {

/// Data and counters in one memory. The data come first, at the begin of a page, because copies to
/// other places take longer.
template <class Transport>
class OneMemory final : public OneSided {
 public:
  explicit OneMemory(const OneSidedParts& parts)
      : counters_at_(padded_bytes(parts.data_bytes, notice_stride)),
        memory_(sum_of_bytes(counters_at_, parts.counter_bytes)) {}

  std::byte* counters() const override { return memory_.data() + counters_at_; }
  std::byte* data() const override { return memory_.data(); }
  std::string description() const override {
    return describe(counters_at_, Transport::handle(memory_));
  }
  void connect(const std::string& description) override {
    const auto [counters_at, handle] = note_and_handle<std::size_t>(description);
    peers_.push_back({Transport().connect(&memory_, -1, handle), counters_at});
  }
  std::byte* mapped(std::size_t peer) override { return peers_[peer].memory.mapped(); }
  void put(std::size_t peer, std::size_t offset, const std::byte* source,
           std::size_t bytes) override {
    peers_[peer].memory.put(offset, source, bytes);
  }
  void get(std::size_t peer, std::size_t offset, std::byte* target, std::size_t bytes) override {
    peers_[peer].memory.get(offset, target, bytes);
  }
  void fetch_add(std::size_t peer, std::size_t offset, const std::uint64_t& value,
                 std::uint64_t& before) override {
    peers_[peer].memory.fetch_add(offset, value, before);
  }
  void notify(std::size_t peer, std::size_t offset, const std::uint64_t& source) override {
    Transport::fence();
    peers_[peer].memory.notify(peers_[peer].counters_at + offset, source);
  }
  bool sent(std::size_t peer) override { return peers_[peer].memory.sent(); }
  void flush(std::size_t peer) override { peers_[peer].memory.flush(); }
  void progress() override { Transport::progress(); }
  bool outlives_target() const override { return !std::is_same_v<Transport, shm::Transport>; }

 private:
  struct Target {
    typename Transport::RemoteMemory memory;
    std::size_t counters_at;  ///< offset of the peer's counters
  };

  std::size_t counters_at_;
  typename Transport::Memory memory_;
  std::vector<Target> peers_;
};

/// The caller's own data, and counters beside them. Within a node UCX stores into memory of its own
/// at once, but into any other memory with the target's help. A fence does not order these two
/// kinds of puts, so the counters are plain memory, too.
template <class Transport>
class OwnData final : public OneSided {
 public:
  explicit OwnData(const OneSidedParts& parts)
      : plain_counters_(parts.counter_bytes),
        counters_(plain_counters_.data(), parts.counter_bytes),
        data_(parts.own_data, parts.data_bytes) {
    std::memset(counters_.data(), 0, parts.counter_bytes);
  }

  std::byte* counters() const override { return counters_.data(); }
  std::byte* data() const override { return data_.data(); }
  std::string description() const override {
    const std::string counters = counters_.handle();
    return describe(counters.size(), counters + data_.handle());
  }
  void connect(const std::string& description) override {
    const auto [bytes, handles] = note_and_handle<std::size_t>(description);
    peers_.push_back({RemoteMemory(handles.substr(0, bytes)), RemoteMemory(handles.substr(bytes))});
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
    Transport::fence();
    peers_[peer].counters.notify(offset, source);
  }
  bool sent(std::size_t peer) override {
    return peers_[peer].data.sent() && peers_[peer].counters.sent();
  }
  /// A flush of one memory is a flush of the process that has both memories.
  void flush(std::size_t peer) override { peers_[peer].data.flush(); }
  void progress() override { Transport::progress(); }
  bool outlives_target() const override { return true; }

 private:
  using RemoteMemory = typename Transport::RemoteMemory;

  struct Target {
    RemoteMemory counters;
    RemoteMemory data;
  };

  two_sided::Memory plain_counters_;
  typename Transport::Memory counters_;
  typename Transport::Memory data_;
  std::vector<Target> peers_;
};

}  // namespace

std::shared_ptr<OneSided> make_one_sided(std::string_view transport, const OneSidedParts& parts) {
  const bool own = parts.own_data != nullptr;
  if (transport == "ofi") {
    if (own) return std::make_shared<OwnData<ofi::Transport>>(parts);
    return std::make_shared<OneMemory<ofi::Transport>>(parts);
  }
  if (own) return std::make_shared<OwnData<rdma::Transport>>(parts);
  if (transport == "shm") return std::make_shared<OneMemory<shm::Transport>>(parts);
  return std::make_shared<OneMemory<rdma::Transport>>(parts);
}

}  // namespace sterna::comm

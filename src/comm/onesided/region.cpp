#include "sterna/comm/region.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "comm/context/agreement.hpp"
#include "comm/context/memory_need.hpp"
#include "comm/context/waiter.hpp"
#include "comm/onesided/connect.hpp"
#include "comm/onesided/live_regions.hpp"
#include "comm/onesided/notice.hpp"
#include "comm/onesided/one_sided.hpp"
#include "comm/transport/ofi/probe.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/nearest_name.hpp"
#include "sterna/comm/neighbor_exchange.hpp"

namespace sterna::comm {
namespace {

std::string why_no_transport(const Context& context, std::string_view name,
                             std::span<const int> peers, bool own) {
  for (const Context::Transport& transport : context.transports()) {
    if (transport.name == name && !transport.available) return transport.reason;
  }
  // A context does not start libfabric where UCX works.
  if (name == "ofi") return ofi::why_unavailable();
  if (name != "shm") return {};
  if (own) return "other processes cannot map memory that the caller has made";
  for (const int peer : peers) {
    if (!context.on_my_node(peer)) return fmt::format("rank {} runs on another node", peer);
  }
  return {};
}

}  // namespace

class RegionBytes::Implementation {
 public:
  /// `own` is null if the region allocates its memory.
  Implementation(const Context& context, std::byte* own, std::size_t bytes,
                 std::span<const int> peers, const RegionOptions& options)
      : context_(context),
        name_(options.name),
        own_(bytes > 0 ? own : nullptr),
        bytes_(bytes),
        alive_(context.rank(), options.name, bytes) {
    announce_object(context.implementation(), "a region", options.name);
    // The lists of peers must be symmetric, as in a pattern of one item each way, whose constructor
    // checks that.
    std::vector<NeighborPattern::Peer> pattern;
    for (const int peer : peers) pattern.push_back({peer, 1, 1});
    const auto checked = NeighborPattern::from_peers(context, pattern);
    for (const auto& peer : checked.peers()) peers_.push_back(peer.rank);
    choose_transport(options.transport);
    connect();
  }

  ~Implementation() {
    if (memory_ == nullptr || !memory_->outlives_target()) return;
    try {
      if (state().can_wait()) {
        flush();
        barrier();  // after the barrier no transfer is under way to this rank
        return;
      }
    } catch (const Error&) {
      // A rank is gone; the next operation that needs it reports that.
    }
    state().keep_until_exit(memory_);
    state().keep_until_exit(words_);
  }

  std::byte* data() const { return memory_->data(); }
  std::size_t size() const { return bytes_; }
  std::size_t size_at(int peer) const { return remotes_[index_of(peer)].bytes; }
  std::string_view transport() const { return transport_; }

  void put(int peer, std::size_t offset, const std::byte* source, std::size_t bytes) {
    const std::size_t i = index_of(peer);
    check_range("put", i, offset, bytes);
    if (bytes > 0) guarded(peer, [&] { memory_->put(i, offset, source, bytes); });
  }

  void get(int peer, std::size_t offset, std::byte* target, std::size_t bytes) {
    const std::size_t i = index_of(peer);
    check_range("get", i, offset, bytes);
    if (bytes > 0) guarded(peer, [&] { memory_->get(i, offset, target, bytes); });
  }

  std::int64_t fetch_add(int peer, std::size_t offset, std::int64_t addend) {
    const std::size_t i = index_of(peer);
    check_range("fetch_add", i, offset, sizeof addend);
    if ((remotes_[i].misalignment + offset) % alignof(std::int64_t) != 0) {
      throw Error(fmt::format("{}: fetch_add at {} of rank {}, which is not aligned to {} bytes",
                              name_, offset, peer, alignof(std::int64_t)));
    }
    std::uint64_t& value = (*words_)[peers_.size()];
    std::uint64_t& before = (*words_)[peers_.size() + 1];
    value = static_cast<std::uint64_t>(addend);
    guarded(peer, [&] { memory_->fetch_add(i, offset, value, before); });
    wait_until([&] { return memory_->sent(i); }, peer);
    return static_cast<std::int64_t>(before);
  }

  void notify(int peer) {
    const std::size_t i = index_of(peer);
    // The word must not change while the previous notice is under way.
    wait_until([&] { return memory_->sent(i); }, peer);
    std::uint64_t& word = (*words_)[i];
    ++word;
    guarded(peer, [&] { memory_->notify(i, remotes_[i].counter, word); });
  }

  std::uint64_t notices(int peer) const {
    const std::uint64_t seen = counter(index_of(peer));
    memory_->progress();  // makes progress for callers that only poll
    return seen;
  }

  void wait(int peer, std::uint64_t count) {
    const std::size_t i = index_of(peer);
    round_ = count;
    wait_until([&] { return counter(i) >= count; }, peer);
  }

  void flush() {
    for (std::size_t i = 0; i < peers_.size(); ++i) {
      guarded(peers_[i], [&] { memory_->flush(i); });
      wait_until([&] { return memory_->sent(i); }, peers_[i]);
    }
  }

 private:
  /// The data that a peer needs to access this rank's memory.
  struct RemotePart {
    std::size_t counter = 0;       ///< offset of the peer's counter
    std::size_t bytes = 0;         ///< size of the data
    std::size_t misalignment = 0;  ///< offset of the data from the alignment of the largest type
  };

  Context::Implementation& state() const { return context_.implementation(); }

  void choose_transport(const std::string& wanted) {
    static constexpr std::string_view names[] = {"auto", "shm", "rdma", "ofi"};
    throw_on_all(state(),
                 std::ranges::find(names, wanted) != std::end(names)
                     ? ""
                     : unknown_name_message("transport of regions", wanted, names),
                 name_);
    std::string reasons;
    for (const std::string_view name : {"shm", "rdma", "ofi"}) {
      if (wanted != "auto" && wanted != name) continue;
      const std::string why_not = agree_on_reason(
          state(), why_no_transport(context_, name, peers_, own_ != nullptr), name_);
      if (why_not.empty()) {
        transport_ = name;
        return;
      }
      reasons += fmt::format("; {}: {}", name, why_not);
    }
    throw Error(fmt::format("{}: no transport can write into the peers' memory{}", name_, reasons));
  }

  void connect() {
    const OneSidedParts parts{peers_.size() * notice_stride, bytes_, own_};
    const std::size_t bytes = own_ != nullptr ? 0 : sum_of_bytes(parts.counter_bytes, bytes_);
    require_memory_on_all(
        state(), transport_ == "shm" ? MemoryNeed{.shared = bytes} : MemoryNeed{.plain = bytes},
        name_);
    words_ = std::make_shared<std::vector<std::uint64_t>>(peers_.size() + 2);
    comm::connect(
        state(), name_, state().reserve_tags(1), peers_,
        [&] {
          memory_ = make_one_sided(transport_, parts);
          if (transport_ != "shm") state().rdma_in_use = true;
          std::vector<std::string> descriptions;
          for (std::size_t i = 0; i < peers_.size(); ++i) {
            const RemotePart mine{
                i * notice_stride, bytes_,
                reinterpret_cast<std::uintptr_t>(data()) % alignof(std::max_align_t)};
            descriptions.push_back(describe(mine, memory_->description()));
          }
          return descriptions;
        },
        [&](std::size_t, const std::string& description) {
          const auto [theirs, memory] = note_and_handle<RemotePart>(description);
          remotes_.push_back(theirs);
          memory_->connect(memory);
        });
  }

  void check_range(std::string_view what, std::size_t i, std::size_t offset,
                   std::size_t bytes) const {
    const std::size_t size = remotes_[i].bytes;
    if (offset <= size && bytes <= size - offset) return;
    throw Error(fmt::format("{}: {} of {} bytes at {} of rank {}, whose part has {}", name_, what,
                            bytes, offset, peers_[i], size));
  }

  std::uint64_t counter(std::size_t i) const {
    return read_notice(memory_->counters() + i * notice_stride);
  }

  std::size_t index_of(int peer) const {
    const auto found = std::ranges::lower_bound(peers_, peer);
    if (found == peers_.end() || *found != peer) {
      throw Error(fmt::format("{}: rank {} is no peer", name_, peer));
    }
    return static_cast<std::size_t>(found - peers_.begin());
  }

  /// Adds the context of an error, which transports do not know. After an error no call may wait
  /// any more.
  template <class Action>
  void guarded(int peer, Action&& action) {
    try {
      action();
    } catch (const Error& error) {
      if (std::string_view(error.what()).starts_with(name_)) throw;
      state().failed = true;
      throw Error(fmt::format("{}: rank {}, method {}, round {}: {}{}", name_, peer, transport_,
                              round_, error.what(), death_of(state(), peer)));
    }
  }

  template <class Condition>
  void wait_until(Condition&& condition, int peer) {
    guarded(peer, [&] {
      if (condition()) return;
      Waiter(state()).wait(
          [&] {
            memory_->progress();
            return condition();
          },
          [&] {
            return Awaited{name_, transport_, round_, {peer}};
          });
    });
  }

  void barrier() { largest(state(), 0, name_); }

  Context context_;
  std::string name_;
  std::byte* own_;
  std::size_t bytes_;
  LiveRegion alive_;
  std::vector<int> peers_;  ///< in ascending order
  std::string_view transport_;
  std::shared_ptr<OneSided> memory_;
  std::vector<RemotePart> remotes_;
  /// The numbers of notices sent, by peer, and the operand and result of a fetch_add.
  std::shared_ptr<std::vector<std::uint64_t>> words_;
  std::uint64_t round_ = 0;
};

RegionBytes::RegionBytes(const Context& context, std::size_t bytes, std::span<const int> peers,
                         const RegionOptions& options)
    : implementation_(std::make_unique<Implementation>(context, nullptr, bytes, peers, options)) {}
RegionBytes::RegionBytes(const Context& context, std::span<std::byte> own,
                         std::span<const int> peers, const RegionOptions& options)
    : implementation_(
          std::make_unique<Implementation>(context, own.data(), own.size(), peers, options)) {}
RegionBytes::~RegionBytes() = default;
RegionBytes::RegionBytes(RegionBytes&&) noexcept = default;
RegionBytes& RegionBytes::operator=(RegionBytes&&) noexcept = default;

std::byte* RegionBytes::data() const {
  return implementation_->data();
}
std::size_t RegionBytes::size() const {
  return implementation_->size();
}
std::size_t RegionBytes::size_at(int peer) const {
  return implementation_->size_at(peer);
}
std::string_view RegionBytes::transport() const {
  return implementation_->transport();
}
void RegionBytes::put(int peer, std::size_t offset, const std::byte* source, std::size_t bytes) {
  implementation_->put(peer, offset, source, bytes);
}
void RegionBytes::get(int peer, std::size_t offset, std::byte* target, std::size_t bytes) {
  implementation_->get(peer, offset, target, bytes);
}
std::int64_t RegionBytes::fetch_add(int peer, std::size_t offset, std::int64_t addend) {
  return implementation_->fetch_add(peer, offset, addend);
}
void RegionBytes::notify(int peer) {
  implementation_->notify(peer);
}
std::uint64_t RegionBytes::notices(int peer) const {
  return implementation_->notices(peer);
}
void RegionBytes::wait(int peer, std::uint64_t count) {
  implementation_->wait(peer, count);
}
void RegionBytes::flush() {
  implementation_->flush();
}

}  // namespace sterna::comm

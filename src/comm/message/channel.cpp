// Idea:
//   The receiver's memory has slots, made known once.
//   A message is a put and a notice.
// Source:
//   Charm++ has persistent communication (CmiCreatePersistent), as MPI has.
//   Credits are as on the one-way links of neighbor/inboxes.hpp.
// Cost:
//   A message takes one copy and two cache lines in a node, a put, a fence and a word beyond.
//   Nothing is matched.
// Hazards:
//   A sender that is `slots` messages ahead waits for its receiver.
// Others:
//   Calls win where pairs or sizes change.
//   Giving a buffer away wins where it need not stay.

#include "sterna/comm/channel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <vector>

#include "comm/context/memory_need.hpp"
#include "comm/onesided/notice.hpp"
#include "comm/onesided/one_sided.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/free_memory.hpp"

namespace sterna::comm {

class ChannelBytes::Implementation {
 public:
  Implementation(Messenger& messenger, int peer, std::size_t capacity,
                 const ChannelOptions& options)
      : messenger_(messenger), peer_(peer), capacity_(capacity), slots_(options.slots) {
    if (slots_ == 0) throw Error("a channel needs a slot");
  }
  /// Throws MemoryError if memory for a channel does not suffice.
  void require(std::size_t bytes) const {
    const std::string reason = why_no_memory({.plain = bytes});
    if (reason.empty()) return;
    throw MemoryError(fmt::format("a channel to rank {} with {} slots of {}: {}", peer_, slots_,
                                  memory_text(capacity_), reason));
  }
  virtual ~Implementation() = default;
  virtual std::span<std::byte> slot() = 0;
  virtual void commit(std::size_t bytes) = 0;
  virtual void send(std::span<const std::byte> message) = 0;
  virtual void wait_sent() = 0;
  virtual std::optional<std::span<const std::byte>> receive() = 0;
  virtual void release() = 0;
  virtual std::string_view transport() const = 0;

  std::span<const std::byte> wait() {
    std::optional<std::span<const std::byte>> message = receive();
    if (message) return *message;
    messenger_.wait_for(peer_, "a message of a channel", [&] {
      message = receive();
      return message.has_value();
    });
    return *message;
  }

 protected:
  void check_size(std::size_t bytes) const {
    if (bytes <= capacity_) return;
    throw Error(fmt::format("a message of {} bytes for a channel to rank {} of {}", bytes, peer_,
                            capacity_));
  }

  Messenger& messenger_;
  int peer_;
  std::size_t capacity_;
  std::uint64_t slots_;
};

namespace {

/// The trailer of the message in a slot.
struct alignas(64) SlotHead {
  std::uint64_t bytes;
  std::uint64_t credit;  ///< number of messages of the other direction that the sender has released
};

/// The offsets of a channel's counters, each on cache lines of its own.
constexpr std::size_t notice_at = 0;
constexpr std::size_t credit_at = 128;
constexpr std::size_t counter_bytes = 256;

/// Returns the size of a slot: data and head. Large data begin with a page, as the memory from
/// which they are copied usually does. If a copy's target is a few lines behind its source within a
/// page, loads seem to depend on earlier stores.
std::size_t slot_bytes(std::size_t capacity) {
  constexpr std::size_t page = 4096;
  return padded_bytes(sum_of_bytes(capacity, sizeof(SlotHead)), capacity < page ? 128 : page);
}

/// A channel over a transport that writes into the peer's memory.
class OneSidedChannel final : public ChannelBytes::Implementation {
 public:
  OneSidedChannel(Messenger& messenger, int peer, std::size_t capacity,
                  const ChannelOptions& options, std::string_view transport)
      : Implementation(messenger, peer, capacity, options),
        transport_(transport),
        key_(options.key),
        credit_after_(std::max<std::uint64_t>(1, slots_ / 2)),
        stride_(slot_bytes(capacity)) {
    try {
      // The extra slots are those that may be free without the sender's knowledge.
      const std::size_t slots = sum_of_bytes(slots_, credit_after_ - 1);
      require(item_bytes(slots, sum_of_bytes(stride_, sizeof(SlotHead) + sizeof(std::uint64_t))));
      slots_ = slots;
      const OneSidedParts parts{counter_bytes, slots_ * stride_, nullptr};
      memory_ = make_one_sided(transport, parts);
      words_->resize(slots_ + 1);
      heads_->resize(slots_);
      staging_.resize(transport == "shm" ? 0 : capacity);
    } catch (const Error&) {
      // The peer must not wait for a side that failed, and a later channel must not take the setup
      // message.
      messenger_.send_setup(peer, key_, "");
      messenger_.drop_setup(peer, key_);
      throw;
    }
    messenger_.send_setup(peer, key_, memory_->description());
  }

  ~OneSidedChannel() override {
    if (!memory_->outlives_target()) return;
    // Credits may still be under way to either side, so the memory is kept.
    messenger_.keep_until_end(memory_);
    messenger_.keep_until_end(words_);
    messenger_.keep_until_end(heads_);
    try {
      if (!connected_) return;
      memory_->flush(0);
      wait_sent();
    } catch (const Error&) {
      // The peer is gone; the next operation that needs it reports that.
    }
  }

  std::span<std::byte> slot() override {
    await_credit();
    std::byte* const mapped = memory_->mapped(0);
    if (mapped != nullptr) return {mapped + slot_of(sent_), capacity_};
    wait_sent();
    return {staging_.data(), capacity_};
  }

  void commit(std::size_t bytes) override {
    check_size(bytes);
    await_credit();
    if (memory_->mapped(0) == nullptr && bytes > 0) {
      memory_->put(0, slot_of(sent_), staging_.data(), bytes);
    }
    announce(bytes);
  }

  void send(std::span<const std::byte> message) override {
    check_size(message.size());
    await_credit();
    if (!message.empty()) {
      memory_->put(0, slot_of(sent_), message.data(), message.size());
    }
    announce(message.size());
  }

  void wait_sent() override {
    if (!connected_ || memory_->sent(0)) return;
    messenger_.wait_for(peer_, "a put of a channel", [&] {
      memory_->progress();
      return memory_->sent(0);
    });
  }

  std::optional<std::span<const std::byte>> receive() override {
    if (received_ == counter(notice_at)) {
      memory_->progress();
      return std::nullopt;
    }
    const SlotHead head = read_head(received_);
    credit_ = std::max(credit_, head.credit);
    return std::span<const std::byte>(memory_->data() + slot_of(received_++), head.bytes);
  }

  void release() override {
    if (released_ == received_) throw Error("a channel has no message to release");
    ++released_;
    if (released_ - credited_ < credit_after_) return;
    connect();
    credited_ = released_;
    // The word must not change while the previous credit is under way.
    if (transport_ != "shm") wait_sent();
    notify(credit_at, slots_, released_);
  }

  std::string_view transport() const override { return transport_; }

 private:
  std::size_t slot_of(std::uint64_t message) const { return message % slots_ * stride_; }
  std::size_t head_of(std::uint64_t message) const {
    return slot_of(message) + stride_ - sizeof(SlotHead);
  }
  SlotHead read_head(std::uint64_t message) const {
    SlotHead head;
    std::memcpy(&head, memory_->data() + head_of(message), sizeof head);
    return head;
  }

  std::uint64_t counter(std::size_t at) const { return read_notice(memory_->counters() + at); }

  bool has_credit() {
    if (sent_ - credit_ < slots_) return true;
    credit_ = std::max(credit_, counter(credit_at));
    // The credit may also be part of a message that was not read yet.
    const std::uint64_t arrived = counter(notice_at);
    for (std::uint64_t i = received_; i < arrived; ++i) {
      credit_ = std::max(credit_, read_head(i).credit);
    }
    return sent_ - credit_ < slots_;
  }

  /// Connects at the first use, because the channels in a ring of ranks are made in any order.
  void connect() {
    if (connected_) return;
    const std::string setup = messenger_.wait_for_setup(peer_, key_);
    if (setup.empty()) {
      throw Error(fmt::format("rank {} has no memory for its side of a channel", peer_));
    }
    memory_->connect(setup);
    connected_ = true;
  }

  void await_credit() {
    connect();
    if (has_credit()) return;
    messenger_.wait_for(peer_, "a free slot of a channel", [&] {
      memory_->progress();
      return has_credit();
    });
  }

  /// Writes the size of the data and this side's credit after the data, and then the notice.
  void announce(std::size_t bytes) {
    credited_ = released_;
    // A credit says that the previous message in this slot has arrived, so its source may be
    // changed.
    const std::size_t slot = sent_ % slots_;
    SlotHead* const head = &(*heads_)[slot];
    *head = {bytes, released_};
    memory_->put(0, head_of(sent_), reinterpret_cast<const std::byte*>(head), sizeof *head);
    ++sent_;
    notify(notice_at, slot, sent_);
  }

  void notify(std::size_t at, std::size_t word, std::uint64_t value) {
    (*words_)[word] = value;
    memory_->notify(0, at, (*words_)[word]);
  }

  std::string_view transport_;
  std::uint64_t key_;
  bool connected_ = false;
  /// number of released messages after which a credit is sent by itself
  std::uint64_t credit_after_;
  std::size_t stride_;
  std::shared_ptr<OneSided> memory_;
  std::shared_ptr<std::vector<std::uint64_t>> words_ =
      /// the values of notices, one for each slot, and of the credit
      std::make_shared<std::vector<std::uint64_t>>();
  std::shared_ptr<std::vector<SlotHead>> heads_ = std::make_shared<std::vector<SlotHead>>();
  std::vector<std::byte> staging_;
  std::uint64_t sent_ = 0;
  std::uint64_t credit_ = 0;  ///< number of messages to the peer that the peer has released
  std::uint64_t received_ = 0;
  std::uint64_t released_ = 0;
  std::uint64_t credited_ = 0;  ///< number of messages in `released_` that the peer knows of
};

/// A channel over messages with posted receives, one for each free slot.
class PostedChannel final : public ChannelBytes::Implementation {
 public:
  PostedChannel(Messenger& messenger, int peer, std::size_t capacity, const ChannelOptions& options)
      : Implementation(messenger, peer, capacity, options), key_(~options.key) {
    require(sum_of_bytes(capacity, item_bytes(slots_, capacity)));
    out_.resize(capacity);
    in_.resize(slots_, std::vector<std::byte>(capacity));
    for (std::vector<std::byte>& slot : in_) post(slot);
  }

  std::span<std::byte> slot() override {
    wait_sent();
    return out_;
  }
  void commit(std::size_t bytes) override { send(std::span(out_).first(bytes)); }
  void send(std::span<const std::byte> message) override {
    check_size(message.size());
    // The receiver is behind by at most as many messages as it has slots.
    messenger_.wait_for(peer_, "a free slot of a channel",
                        [&] { return read_.count() + slots_ > sent_; });
    ++sent_;
    messenger_.send(peer_, key_, nocopy(message, on_source(free_), on_remote(read_)));
  }
  void wait_sent() override { messenger_.wait(free_, sent_, "a message of a channel"); }
  std::optional<std::span<const std::byte>> receive() override {
    if (in_use_ == posted_.size() || !posted_[in_use_].ready()) return std::nullopt;
    return posted_[in_use_++].value().buffer;
  }
  void release() override {
    if (in_use_ == 0) throw Error("a channel has no message to release");
    posted_.pop_front();
    --in_use_;
    post(in_[released_++ % slots_]);
  }
  std::string_view transport() const override { return "messages"; }

 private:
  void post(std::vector<std::byte>& slot) {
    posted_.push_back(messenger_.receive<std::byte>(peer_, key_, slot));
  }
  std::uint64_t key_;
  std::vector<std::byte> out_;
  std::vector<std::vector<std::byte>> in_;
  std::deque<Future> posted_;
  std::size_t in_use_ = 0;
  std::uint64_t released_ = 0;
  std::uint64_t sent_ = 0;
  Counter free_;
  Counter read_;
};

}  // namespace

ChannelBytes::ChannelBytes(Messenger& messenger, int peer, std::size_t capacity,
                           const ChannelOptions& options) {
  const std::string_view route = messenger.route(peer);
  if (route == "shm" || route == "rdma") {
    implementation_ = std::make_unique<OneSidedChannel>(messenger, peer, capacity, options, route);
  } else {
    implementation_ = std::make_unique<PostedChannel>(messenger, peer, capacity, options);
  }
}
ChannelBytes::~ChannelBytes() = default;
ChannelBytes::ChannelBytes(ChannelBytes&&) noexcept = default;
ChannelBytes& ChannelBytes::operator=(ChannelBytes&&) noexcept = default;

std::span<std::byte> ChannelBytes::slot() {
  return implementation_->slot();
}
void ChannelBytes::commit(std::size_t bytes) {
  implementation_->commit(bytes);
}
void ChannelBytes::send(std::span<const std::byte> message) {
  implementation_->send(message);
}
void ChannelBytes::wait_sent() {
  implementation_->wait_sent();
}
std::optional<std::span<const std::byte>> ChannelBytes::receive() {
  return implementation_->receive();
}
std::span<const std::byte> ChannelBytes::wait() {
  return implementation_->wait();
}
void ChannelBytes::release() {
  implementation_->release();
}
std::string_view ChannelBytes::transport() const {
  return implementation_->transport();
}

}  // namespace sterna::comm

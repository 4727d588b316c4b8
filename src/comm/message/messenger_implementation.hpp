#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "comm/context/context_implementation.hpp"
#include "comm/context/waiter.hpp"
#include "comm/message/operations.hpp"
#include "comm/message/packet.hpp"
#include "comm/message/pool.hpp"
#include "comm/message/route.hpp"
#include "comm/message/shm_route.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/messenger.hpp"

namespace sterna::comm {

/// Returns the name of an entry for errors. Entries whose names begin with a blank belong to the
/// library; they carry the data that are sent and received by keys.
inline std::string entry_in_words(std::string_view name) {
  return name.starts_with(' ') ? std::string("a message") : fmt::format("entry \"{}\"", name);
}

/// The implementation is in three files: outgoing calls (calling.cpp), arriving calls
/// (arriving.cpp), and functions for both (messenger.cpp).
class Messenger::Implementation final : public PacketSink {
 public:
  Implementation(const Context& context, const MessengerOptions& options);
  ~Implementation() override;

  std::uint64_t add_entry(const std::string& name, std::string_view signature,
                          detail::Handler handler);
  void set_hook(std::uint64_t entry, detail::Hook hook);

  void call(int destination, std::uint64_t entry, std::uint64_t reference,
            std::span<const std::byte> small, std::span<detail::ArrayOut> arrays);
  void broadcast(std::uint64_t entry, std::uint64_t reference, std::span<const std::byte> small,
                 std::span<detail::ArrayOut> arrays);
  BufferBytes allocate(std::size_t bytes) { return pool_->allocate(bytes); }
  void release_unused_memory() { pool_->release_unused(); }
  void send_to_mailbox(int destination, std::uint64_t key, detail::ArrayOut array) {
    call(destination, mailbox_, key, {}, {&array, 1});
  }
  /// Posts `memory` for the array; without it, `taken` gets the buffer that holds the array.
  Future post(int source, std::uint64_t key, std::span<std::byte> memory,
              std::shared_ptr<BufferBytes> taken);
  std::uint64_t reserve_keys() { return ++reserved_keys_ << 32U; }

  void progress();
  template <class Condition>
  void wait_until(const Condition& condition, std::string_view what, int rank = -1) {
    if (condition()) return;
    try {
      Waiter(state()).wait(
          [&] {
            progress();
            return condition();
          },
          [&] {
            std::vector<int> ranks = awaited_ranks();
            if (rank >= 0 && rank != context_.rank()) ranks.push_back(rank);
            return Awaited{name_, what, ++waits_, std::move(ranks)};
          });
    } catch (const Error& error) {
      if (state().failed) fail_operations(error.what());
      throw;
    }
  }
  void send_setup(int peer, std::uint64_t key, const std::string& setup);
  std::string wait_for_setup(int peer, std::uint64_t key);
  void drop_setup(int peer, std::uint64_t key);
  void keep_until_end(std::shared_ptr<void> memory) { kept_.push_back(std::move(memory)); }
  void finish();

  const Context& context() const { return context_; }
  std::string_view route(int rank) const {
    const Route* const route = routes_.at(static_cast<std::size_t>(rank));
    return route == nullptr ? "self" : route->name();
  }
  std::size_t outstanding_buffers() const { return pool_->outstanding(); }
  std::size_t open_operations() const { return operations_.open_count(); }

  void arrived(int source, std::span<const std::byte> bytes) override;
  void fetched(std::uint64_t token) override;
  void sent(std::uint64_t operation) override { stages_done(operation, packet::source, {}); }

 private:
  static constexpr std::size_t most_arrays = 9;

  struct EntryRecord {
    std::string name;
    detail::Handler handler;
    detail::Hook hook;
  };
  struct Packet {
    int source;
    std::vector<std::byte> bytes;
  };
  /// An outgoing array. It is moved to the heap only if a completion is due later.
  struct ArrayToSend {
    std::optional<OutgoingArray> own;
    std::shared_ptr<OutgoingArray> kept;
    detail::ArrayOut::Mode mode = detail::ArrayOut::Mode::copied;
    std::uint32_t wanted = 0;  ///< stages for which a completion is due

    OutgoingArray& outgoing() { return kept ? *kept : *own; }
    const std::shared_ptr<OutgoingArray>& keep() {
      if (!kept) kept = std::make_shared<OutgoingArray>(std::move(*own));
      return kept;
    }
  };
  struct ArrivingArray {
    bool in_place = false;   ///< true if the data are still the sender's
    std::uint32_t done = 0;  ///< stages that were reached but not yet reported to the sender
    std::optional<Future> posted;
    std::shared_ptr<BufferBytes> taken;  ///< receives the buffer of a posted receive
  };
  /// A call that has arrived and has not ended.
  struct Incoming {
    int source = 0;
    EntryRecord* entry = nullptr;
    packet::CallHead head{};
    std::vector<std::byte> packet;  ///< kept if the call cannot run at once
    std::span<const std::byte> small;
    std::vector<packet::ArrayHead> heads;
    std::vector<detail::ArrayIn> in;
    std::vector<ArrivingArray> arrays;
    int pending = 0;   ///< arrays without data or without a target
    int children = 0;  ///< number of ranks of a broadcast that still use the data, for each array
    bool ran = false;
    bool failed = false;
  };
  struct Posted {
    std::span<std::byte> memory;
    std::shared_ptr<BufferBytes> taken;
    Future future;
  };
  using PostName = std::pair<int, std::uint64_t>;
  using ArrayOfCall = std::pair<std::shared_ptr<Incoming>, std::size_t>;

  template <class T>
  static T take_first(std::deque<T>& queue) {
    T first = std::move(queue.front());
    queue.pop_front();
    return first;
  }
  template <class T>
  static T take_last(std::vector<T>& list) {
    T last = std::move(list.back());
    list.pop_back();
    return last;
  }
  Context::Implementation& state() const { return context_.implementation(); }

  std::string why_not(std::string_view transport) const;
  void drop_unwanted(const PostName& name);
  void make_routes(const std::string& wanted);

  std::byte* begin(int rank, std::size_t bytes);
  void commit(int rank, packet::Word word);
  BufferBytes copy_of(std::span<const std::byte> data);
  ArrayToSend prepare_array(detail::ArrayOut&& array, std::uint64_t entry, int peer);
  void send_call(int destination, const packet::CallHead& head, std::span<const std::byte> small,
                 std::span<ArrayToSend> arrays);
  packet::ArrayHead dispatch(int destination, ArrayToSend& to_send, std::size_t& packet_bytes);
  void own_copy(OutgoingArray& outgoing);
  void in_memory(ArrayToSend& to_send, packet::ArrayHead& head, std::uint32_t& awaited);
  void give(OutgoingArray& outgoing, packet::ArrayHead& head);
  void send_to_all(std::span<const int> targets, const packet::CallHead& head,
                   std::span<const std::byte> small, std::span<ArrayToSend> arrays);
  void acknowledge(int rank, std::uint64_t operation, std::uint32_t stages,
                   std::string_view error = {});

  void stages_done(std::uint64_t name, std::uint32_t stages, std::string error);
  void complete(OutgoingArray& outgoing, Stage stage);

  EntryRecord* entry_of(std::uint64_t id);
  std::shared_ptr<Incoming> fresh_incoming();
  void use_again(std::shared_ptr<Incoming> incoming);
  void receive_call(int source, std::span<const std::byte> bytes);
  void open_arrays(Incoming& incoming, std::span<const std::byte> packet);
  void receive_arrays(const std::shared_ptr<Incoming>& incoming);
  void receive_posted(const std::shared_ptr<Incoming>& incoming, std::size_t i,
                      const Posted& posted);
  static bool fits(const Incoming& incoming, std::size_t i, std::size_t capacity);
  std::string too_small(const Incoming& incoming, std::size_t i, std::size_t capacity) const;
  void receive_array(const std::shared_ptr<Incoming>& incoming, std::size_t i,
                     std::span<std::byte> memory);
  static void keep_packet(Incoming& incoming, std::span<const std::byte> bytes);
  Sender sender_of(const Incoming& incoming) const;
  void run(const std::shared_ptr<Incoming>& incoming);
  void pass_on(const std::shared_ptr<Incoming>& incoming);
  void end(Incoming& incoming);
  void report_to_sender(Incoming& incoming);
  [[noreturn]] void fail(Incoming& incoming, const std::string& error);
  void refuse(Incoming& incoming, std::size_t i, const Future& receive, std::size_t capacity);

  bool idle() const;
  std::vector<int> awaited_ranks() const;
  void fail_operations(const std::string& error);
  void report_leaks() const;

  Context context_;
  std::string name_;
  bool check_;
  std::size_t copy_below_in_node_ = 0;
  std::size_t copy_below_between_nodes_ = 0;
  std::size_t kernel_copies_from_;
  int first_tag_;
  std::vector<int> node_of_;
  std::vector<std::string> dead_;  ///< by rank: how it died; empty if it lives
  std::shared_ptr<ShmRoute> shm_;
  std::shared_ptr<Route> network_;
  std::vector<Route*> routes_;  ///< by rank; nullptr for this rank
  std::shared_ptr<MessagePool> pool_;

  std::unordered_map<std::uint64_t, EntryRecord> entries_;
  std::pair<std::uint64_t, EntryRecord*> last_entry_{};
  std::unordered_map<std::uint32_t, std::uint64_t> ids_;  ///< ids by hash of the name
  std::uint64_t mailbox_ = 0;                             ///< the entry behind `send`
  std::uint64_t setup_ = 0;                               ///< the entry behind `send_setup`
  std::uint64_t reserved_keys_ = 0;
  std::map<PostName, std::deque<std::string>> setups_in_;
  /// number of such messages to drop when they arrive
  std::map<PostName, std::uint64_t> unwanted_setups_;
  std::vector<std::shared_ptr<void>> kept_;
  /// packets of entries that are not registered yet
  std::map<std::uint64_t, std::deque<Packet>> unclaimed_;
  std::deque<Packet> replay_;

  Operations operations_;
  std::deque<std::vector<std::byte>> to_self_;
  std::deque<std::pair<std::shared_ptr<OutgoingArray>, Stage>>
      due_;                                       ///< completions due in the next `progress`
  std::deque<std::shared_ptr<Incoming>> ready_;   ///< calls to run in the next `progress`
  std::vector<std::shared_ptr<Incoming>> spare_;  ///< objects for reuse
  std::map<PostName, std::deque<Posted>> posted_;
  std::map<PostName, std::deque<ArrayOfCall>> awaiting_memory_;
  std::map<std::uint64_t, ArrayOfCall> fetches_;
  std::uint64_t last_token_ = 0;
  std::int64_t packets_sent_ = 0;
  std::int64_t packets_handled_ = 0;
  std::size_t open_incoming_ = 0;
  std::uint64_t waits_ = 0;
  bool in_progress_ = false;
};

}  // namespace sterna::comm

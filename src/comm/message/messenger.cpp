#include "sterna/comm/messenger.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <unordered_map>

#include "comm/context/agreement.hpp"
#include "comm/context/mpi_error.hpp"
#include "comm/context/nearest_name.hpp"
#include "comm/context/waiter.hpp"
#include "comm/message/broadcast_tree.hpp"
#include "comm/message/operations.hpp"
#include "comm/message/packet.hpp"
#include "comm/message/pool.hpp"
#include "comm/message/route.hpp"
#include "comm/message/shm_route.hpp"
#include "sterna/comm/error.hpp"

namespace sterna::comm {

using detail::ArrayIn;
using detail::ArrayOut;
using packet::ArrayHead;
using packet::Way;

namespace {

#ifdef NDEBUG
constexpr bool check_by_default = false;
#else
constexpr bool check_by_default = true;
#endif

/// Packets are at most this long; what does not fit travels as an array. A quarter of the
/// smallest ring.
constexpr std::size_t largest_packet = 4096;
/// Measured by `sterna bench message` (docs/howto/messages.md): below, the copies cost less than
/// what saves them.
constexpr std::size_t copy_below_in_node = 1024;
constexpr std::size_t copy_below_apart = 2048;
constexpr std::uint32_t all_stages = packet::source | packet::remote | packet::operation;

std::uint32_t hash(std::string_view text) {
  std::uint32_t value = 2166136261U;
  for (const char letter : text) {
    value = (value ^ static_cast<unsigned char>(letter)) * 16777619U;
  }
  return value;
}

/// Finds changes of lent memory, not attacks.
std::uint64_t checksum(std::span<const std::byte> data) {
  std::uint64_t sum = data.size();
  while (!data.empty()) {
    std::uint64_t word = 0;
    const std::size_t bytes = std::min(sizeof word, data.size());
    std::memcpy(&word, data.data(), bytes);
    sum = (sum ^ word) * 0x9e3779b97f4a7c15U;
    sum ^= sum >> 32U;
    data = data.subspan(bytes);
  }
  return sum;
}

constexpr std::uint32_t bit(Stage stage) {
  return 1U << static_cast<unsigned>(stage);
}
static_assert(bit(Stage::source) == packet::source && bit(Stage::operation) == packet::operation);

}  // namespace

BufferBytes ArrayIn::take() {
  if (owned.data() == data && owned.size() == bytes && bytes > 0) return std::move(owned);
  BufferBytes copy = pool->allocate(bytes);
  if (bytes > 0) std::memcpy(copy.data(), data, bytes);
  return copy;
}

class Messenger::Implementation final : public PacketSink {
 public:
  Implementation(const Context& context, const MessengerOptions& options)
      : context_(context),
        name_(options.name),
        check_(options.check.value_or(check_by_default)),
        copy_below_(options.copy_below),
        kernel_copies_from_(options.kernel_copies_from),
        first_tag_(state().reserve_tags(3)) {
    make_routes(options.transport);
    for (int rank = 0; rank < context.size(); ++rank) node_of_.push_back(context.node_of(rank));
    dead_.resize(node_of_.size());
    mailbox_ = add_entry(" mailbox", "mailbox", [](detail::CallIn&) {});
    entries_.at(mailbox_).hook = [](const detail::CallIn& call, std::span<detail::ByteRoom> rooms) {
      rooms[0].posted = true;
      rooms[0].source = call.sender.rank;
      rooms[0].key = call.sender.reference;
    };
    letters_ = add_entry(" letters", "letters", [this](detail::CallIn& call) {
      letters_in_[{call.sender.rank, call.sender.reference}].emplace_back(
          reinterpret_cast<const char*>(call.arrays[0].data), call.arrays[0].bytes);
    });
  }

  ~Implementation() override {
    try {
      if (!state().failed && std::uncaught_exceptions() == 0) {
        finish();
        entries_.clear();
        report_leaks();
        return;
      }
    } catch (const std::exception&) {
      // A rank is gone, or an entry failed at the very end; whoever needs it will say so.
    }
    // Somebody may still write where these lie.
    for (auto& memory : kept_) state().keep_until_exit(std::move(memory));
    state().keep_until_exit(std::move(network_));
    state().keep_until_exit(std::move(shm_));
  }

  // ------------------------------------------------------------------------------ entries

  std::uint64_t add_entry(const std::string& name, std::string_view signature,
                          detail::Handler handler) {
    const std::uint64_t id = (std::uint64_t{hash(name)} << 32U) | hash(signature);
    if (entries_.contains(id) || ids_.contains(hash(name))) {
      throw Error(fmt::format("{}: entry \"{}\" is registered twice", name_, name));
    }
    entries_[id] = {name, std::move(handler), nullptr};
    ids_[hash(name)] = id;
    const auto early = unclaimed_.find(id);
    if (early != unclaimed_.end()) {
      for (Packet& packet : early->second) replay_.push_back(std::move(packet));
      unclaimed_.erase(early);
    }
    return id;
  }

  void set_hook(std::uint64_t entry, detail::Hook hook) {
    entries_.at(entry).hook = std::move(hook);
  }

  // ------------------------------------------------------------------------------ calling

  void call(int destination, std::uint64_t entry, std::uint64_t reference,
            std::span<const std::byte> small, std::span<ArrayOut> arrays) {
    if (destination < 0 || destination >= context_.size()) {
      throw Error(fmt::format("{}: entry \"{}\" was called on rank {} of {}", name_,
                              entries_.at(entry).name, destination, context_.size()));
    }
    const std::string& dead = dead_[static_cast<std::size_t>(destination)];
    if (!dead.empty()) {
      throw Error(
          fmt::format("{}: entry \"{}\" was called{}", name_, entries_.at(entry).name, dead));
    }
    const packet::CallHead head{entry, reference, static_cast<std::uint32_t>(small.size()),
                                0,     -1,        0};
    if (arrays.empty()) {
      send_call(destination, head, small, {});
      return;
    }
    Cargo cargo[most_arrays];
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      cargo[i] = load(std::move(arrays[i]), entry, destination);
    }
    send_to_all({&destination, 1}, head, small, {cargo, arrays.size()});
  }

  void broadcast(std::uint64_t entry, std::uint64_t reference, std::span<const std::byte> small,
                 std::span<ArrayOut> arrays) {
    Cargo cargo[most_arrays];
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      cargo[i] = load(std::move(arrays[i]), entry, context_.size() == 1 ? context_.rank() : -1);
      if (cargo[i].mode == ArrayOut::Mode::copied) {
        cargo[i].shipment->buffer = copy_of(cargo[i].shipment->data);
        cargo[i].shipment->data = {cargo[i].shipment->buffer.data(),
                                   cargo[i].shipment->data.size()};
      }
      cargo[i].mode = ArrayOut::Mode::lent;  // to several: it can be given to none
    }
    std::vector<int> targets = broadcast_children(node_of_, context_.rank(), context_.rank());
    targets.push_back(context_.rank());
    const packet::CallHead head{
        entry,           reference, static_cast<std::uint32_t>(small.size()), packet::broadcast,
        context_.rank(), 0};
    send_to_all(targets, head, small, {cargo, arrays.size()});
  }

  BufferBytes allocate(std::size_t bytes) { return pool_->allocate(bytes); }

  Future post(int source, std::uint64_t key, std::span<std::byte> memory) {
    Posted posted{memory, {}};
    const Future future = posted.future;
    const PostName name{source, key};
    const auto waiting = awaiting_memory_.find(name);
    if (waiting == awaiting_memory_.end()) {
      posted_[name].push_back(std::move(posted));
      return future;
    }
    const auto [incoming, i] = waiting->second.front();
    waiting->second.pop_front();
    if (waiting->second.empty()) awaiting_memory_.erase(waiting);
    if (fits(*incoming, i, memory.size())) {
      incoming->arrays[i].posted = future;
      land(incoming, i, memory.first(incoming->heads[i].bytes));
      if (--incoming->pending == 0) ready_.push_back(incoming);
    } else {
      refuse(*incoming, i, future, memory.size());
    }
    return future;
  }

  void send_to_mailbox(int destination, std::uint64_t key, ArrayOut array) {
    call(destination, mailbox_, key, {}, {&array, 1});
  }

  // ------------------------------------------------------------------------------ progress

  void progress() {
    if (in_progress_) throw Error(fmt::format("{}: an entry must not wait", name_));
    in_progress_ = true;
    struct Leave {
      bool& flag;
      ~Leave() { flag = false; }
    } const leave{in_progress_};
    while (!replay_.empty()) {
      const Packet packet = take_first(replay_);
      receive_call(packet.source, packet.bytes);
    }
    if (shm_) shm_->progress(*this);
    if (network_) network_->progress(*this);
    // Only what is there now: an entry that calls itself must not keep the others waiting.
    for (std::size_t n = to_self_.size(); n > 0; --n) {
      const std::vector<std::byte> packet = take_first(to_self_);
      arrived(context_.rank(), packet);
    }
    while (!due_.empty()) {
      const auto [shipment, stage] = take_first(due_);
      tell(*shipment, stage);
    }
    while (!ready_.empty()) run(take_first(ready_));
  }

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

  void send_letter(int peer, std::uint64_t key, const std::string& letter) {
    const auto* const bytes = reinterpret_cast<const std::byte*>(letter.data());
    ArrayOut array{ArrayOut::Mode::copied, {bytes, letter.size()}, {}, nullptr, {}};
    call(peer, letters_, key, {}, {&array, 1});
  }

  std::string wait_for_letter(int peer, std::uint64_t key) {
    const auto here = [&] { return letters_in_.find({peer, key}); };
    wait_until([&] { return here() != letters_in_.end(); }, "a letter", peer);
    std::string text = take_first(here()->second);
    if (here()->second.empty()) letters_in_.erase(here());
    return text;
  }

  void keep_until_end(std::shared_ptr<void> memory) { kept_.push_back(std::move(memory)); }

  /// Sums of packets sent and handled over the ranks, and whether any has something open: equal
  /// sums twice with nothing open, and there is nothing on the way.
  void finish() {
    std::int64_t before = -1;
    for (;;) {
      wait_until([&] { return idle(); }, "the end of all calls");
      std::int64_t mine[3] = {packets_sent_, packets_handled_, 0};
      std::int64_t all[3];
      MPI_Request request = MPI_REQUEST_NULL;
      check_mpi(MPI_Iallreduce(mine, all, 3, MPI_INT64_T, MPI_SUM, state().communicator, &request),
                name_);
      wait_until(
          [&] {
            int done = 0;
            check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), name_);
            return done != 0;
          },
          "the end of all ranks' calls");
      if (all[0] == all[1] && all[0] == before) return;
      before = all[0] == all[1] ? all[0] : -1;
    }
  }

  const Context& context() const { return context_; }
  std::string_view route(int rank) const {
    const Route* const route = routes_.at(static_cast<std::size_t>(rank));
    return route == nullptr ? "self" : route->name();
  }
  std::size_t outstanding_buffers() const { return pool_->outstanding(); }
  std::size_t open_operations() const { return operations_.open_count(); }

  // ------------------------------------------------------------------------------ sink

  void arrived(int source, std::span<const std::byte> bytes) override {
    ++packets_handled_;
    packet::Word word;
    std::memcpy(&word, bytes.data(), sizeof word);
    if (word.kind == packet::call) {
      receive_call(source, bytes);
    } else {
      packet::AckHead head;
      std::memcpy(&head, bytes.data() + sizeof word, sizeof head);
      std::string error(reinterpret_cast<const char*>(bytes.data() + sizeof word + sizeof head),
                        head.text_bytes);
      stages_done(head.operation, head.stages, std::move(error));
    }
  }

  void fetched(std::uint64_t token) override {
    const auto found = fetches_.find(token);
    const auto [incoming, i] = found->second;
    fetches_.erase(found);
    incoming->arrays[i].done |= packet::source | packet::remote;
    if (--incoming->pending == 0) run(incoming);
  }

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
  /// An array about to leave.
  struct Cargo {
    std::shared_ptr<Shipment> shipment;
    ArrayOut::Mode mode = ArrayOut::Mode::copied;
    std::uint32_t wanted = 0;  ///< stages somebody wants to be told of
  };
  struct LandingArray {
    bool in_place = false;   ///< the data are still the sender's
    std::uint32_t done = 0;  ///< stages reached, the sender not told yet
    std::optional<Future> posted;
  };
  /// A call that has arrived and is not through.
  struct Incoming {
    int source;
    EntryRecord* entry;
    packet::CallHead head;
    std::vector<std::byte> packet;  ///< kept where the call cannot run at once
    std::span<const std::byte> small;
    std::vector<ArrayHead> heads;
    std::vector<ArrayIn> in;
    std::vector<LandingArray> arrays;
    int pending = 0;   ///< arrays without data or without a place
    int children = 0;  ///< ranks of a broadcast that still use the data, by array
    bool ran = false;
    bool failed = false;
  };
  struct Posted {
    std::span<std::byte> memory;
    Future future;
  };
  using PostName = std::pair<int, std::uint64_t>;
  using Landing = std::pair<std::shared_ptr<Incoming>, std::size_t>;

  template <class T>
  static T take_first(std::deque<T>& queue) {
    T first = std::move(queue.front());
    queue.pop_front();
    return first;
  }

  Context::Implementation& state() const { return context_.implementation(); }

  // ------------------------------------------------------------------------------ set-up

  std::string why_not(std::string_view transport) const {
    for (const Context::Transport& known : context_.transports()) {
      if (known.name == transport) return known.available ? "" : known.reason;
    }
    return "it is unknown here";
  }

  void make_routes(const std::string& wanted) {
    static constexpr std::string_view names[] = {"auto", "shm", "rdma", "two_sided"};
    std::string fault;
    if (std::ranges::find(names, wanted) == std::end(names)) {
      fault = unknown_name_message("transport of messages", wanted, names);
    } else if (wanted != "auto" && !why_not(wanted).empty()) {
      fault = fmt::format("{}: {}", wanted, why_not(wanted));
    } else if (wanted == "shm" && context_.node_count() > 1) {
      fault = "shm: the ranks are on several nodes";
    }
    const std::string agreed = agree_on_reason(state(), fault, name_);
    if (!agreed.empty()) throw Error(fmt::format("{}: {}", name_, agreed));

    const bool in_nodes = wanted == "shm" || (wanted == "auto" && why_not("shm").empty() &&
                                              context_.node_count() < context_.size());
    if (in_nodes) {
#ifdef STERNA_HAVE_SHM
      shm_ = std::make_shared<ShmRoute>(state(), first_tag_, name_);
#endif
      pool_ =
          std::make_shared<MessagePool>(shm_->boards(), shm_->own_place(), check_, shm_->memory());
    } else {
      pool_ = std::make_shared<MessagePool>(std::vector<Board*>{}, 0, check_,
                                            std::vector<std::shared_ptr<void>>{});
    }
    if (wanted == "rdma" || (wanted == "auto" && (!in_nodes || context_.node_count() > 1) &&
                             context_.size() > 1 && why_not("rdma").empty())) {
      // The same on all ranks, and another one than that of any messenger of this process.
      static std::int64_t last_number = 0;
      last_number = largest(state(), last_number, name_) + 1;
      network_ = make_rdma_route(state(), static_cast<std::uint32_t>(last_number));
    } else if (!in_nodes || context_.node_count() > 1) {
      network_ = make_two_sided_route(state(), first_tag_ + 1);
    }
    for (int rank = 0; rank < context_.size(); ++rank) {
      Route* route = network_.get();
      if (in_nodes && context_.on_my_node(rank)) route = shm_.get();
      routes_.push_back(rank == context_.rank() ? nullptr : route);
    }
  }

  // ------------------------------------------------------------------------------ sending

  std::byte* begin(int rank, std::size_t bytes) {
    Route* const route = routes_[static_cast<std::size_t>(rank)];
    return route != nullptr ? route->begin(rank, bytes) : to_self_.emplace_back(bytes).data();
  }
  void commit(int rank, packet::Word word) {
    ++packets_sent_;
    Route* const route = routes_[static_cast<std::size_t>(rank)];
    if (route != nullptr) {
      route->commit(rank, word);
    } else {
      std::memcpy(to_self_.back().data(), &word, sizeof word);
    }
  }

  BufferBytes copy_of(std::span<const std::byte> data) {
    BufferBytes copy = pool_->allocate(data.size());
    if (!data.empty()) std::memcpy(copy.data(), data.data(), data.size());
    return copy;
  }

  Cargo load(ArrayOut&& array, std::uint64_t entry, int peer) {
    Cargo cargo;
    cargo.mode = array.mode;
    for (const Completion& completion : array.completions) cargo.wanted |= bit(completion.stage);
    cargo.shipment = std::make_shared<Shipment>();
    Shipment& shipment = *cargo.shipment;
    shipment.data = array.data;
    shipment.named = array.data;
    shipment.buffer = std::move(array.buffer);
    shipment.keep = std::move(array.keep);
    shipment.completions = std::move(array.completions);
    shipment.peer = peer;
    shipment.entry = entry;
    shipment.lent = array.mode == ArrayOut::Mode::lent && !shipment.keep;
    return cargo;
  }

  void send_call(int destination, const packet::CallHead& head, std::span<const std::byte> small,
                 std::span<Cargo> arrays) {
    std::size_t bytes = packet::aligned(sizeof(packet::Word) + sizeof head + small.size());
    const std::size_t heads_at = bytes;
    bytes += arrays.size() * sizeof(ArrayHead);
    ArrayHead heads[most_arrays];
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      heads[i] = dispatch(destination, arrays[i], bytes);
    }
    std::byte* const packet = begin(destination, bytes);
    std::byte* at = packet + sizeof(packet::Word);
    std::memcpy(at, &head, sizeof head);
    if (!small.empty()) std::memcpy(at + sizeof head, small.data(), small.size());
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      std::memcpy(packet + heads_at + i * sizeof(ArrayHead), &heads[i], sizeof(ArrayHead));
      if (heads[i].way == Way::inlined && heads[i].bytes > 0) {
        std::memcpy(packet + heads[i].address, arrays[i].shipment->data.data(), heads[i].bytes);
      }
    }
    commit(destination, {static_cast<std::uint32_t>(bytes), packet::call,
                         static_cast<std::uint16_t>(arrays.size())});
    // After the packet, so that its receiver knows what comes.
    Route* const route = routes_[static_cast<std::size_t>(destination)];
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      if (heads[i].way == Way::apart) {
        route->announce(destination, heads[i].operation, arrays[i].shipment->data);
      }
    }
  }

  /// Decides how an array goes to `destination`; inlined ones get their place in the packet.
  ArrayHead dispatch(int destination, Cargo& cargo, std::size_t& packet_bytes) {
    Shipment& shipment = *cargo.shipment;
    const std::size_t bytes = shipment.data.size();
    ArrayHead head{};
    head.bytes = bytes;
    head.wishes = cargo.wanted & (packet::remote | packet::operation);
    const Route* const route = routes_[static_cast<std::size_t>(destination)];
    const bool in_node = route != nullptr && route == shm_.get();
    const std::size_t limit = copy_below_.value_or(in_node ? copy_below_in_node : copy_below_apart);
    std::uint32_t awaited = head.wishes;

    if (bytes == 0 || (bytes < limit && cargo.mode != ArrayOut::Mode::given &&
                       packet_bytes + bytes <= largest_packet)) {
      head.way = Way::inlined;
      head.address = packet_bytes;
      packet_bytes += packet::aligned(bytes);
    } else if (route == nullptr && cargo.mode != ArrayOut::Mode::copied) {
      head.way = Way::self;
      head.address = reinterpret_cast<std::uint64_t>(shipment.data.data());
      awaited |= packet::source;
      head.wishes |= packet::source;
    } else if (route == nullptr || in_node) {
      in_memory(cargo, head, awaited);
    } else {
      if (cargo.mode == ArrayOut::Mode::copied) own_copy(shipment);
      head.way = Way::apart;
      awaited |= packet::source;
    }
    if (awaited != 0) {
      for (unsigned stage = 0; stage < 3; ++stage) {
        if ((awaited >> stage & 1U) != 0) ++shipment.left[stage];
      }
      if (check_ && shipment.lent && (awaited & packet::source) != 0 && !shipment.checked) {
        shipment.checked = true;
        shipment.checksum = checksum(shipment.data);
      }
      head.operation = operations_.open(destination, awaited, cargo.shipment);
    }
    return head;
  }

  void own_copy(Shipment& shipment) {
    shipment.buffer = copy_of(shipment.data);
    shipment.data = {shipment.buffer.data(), shipment.data.size()};
  }

  /// Ways of an array through memory that its receiver can reach.
  void in_memory(Cargo& cargo, ArrayHead& head, std::uint32_t& awaited) {
    Shipment& shipment = *cargo.shipment;
    if (cargo.mode == ArrayOut::Mode::lent) {
      if (const auto place = pool_->locate(shipment.data.data(), shipment.data.size())) {
        head.way = Way::view;
        set_place(head, *place);
      } else if (shm_ && shm_->reads_foreign() && head.bytes >= kernel_copies_from_) {
        head.way = Way::foreign;
        head.address = reinterpret_cast<std::uint64_t>(shipment.data.data());
      } else if (shipment.peer >= 0) {
        own_copy(shipment);
        give(shipment, head);
        return;
      } else {  // one of several receivers: a copy that all of them see
        own_copy(shipment);
        head.way = Way::view;
        set_place(head, *pool_->locate(shipment.data.data(), shipment.data.size()));
      }
      awaited |= packet::source;
      head.wishes |= packet::source;
      return;
    }
    if (cargo.mode == ArrayOut::Mode::copied) own_copy(shipment);
    give(shipment, head);
  }

  void give(Shipment& shipment, ArrayHead& head) {
    head.way = Way::gift;
    if (const auto place = pool_->locate(shipment.data.data(), shipment.data.size())) {
      set_place(head, *place);
    } else {  // a pool that only this rank sees, so it is a call of itself
      head.address = reinterpret_cast<std::uint64_t>(shipment.data.data());
    }
    shipment.buffer.hand_over();
  }

  static void set_place(ArrayHead& head, const Location& place) {
    head.owner = place.owner;
    head.slab = place.slab;
    head.address = place.offset;
  }

  void send_to_all(std::span<const int> targets, const packet::CallHead& head,
                   std::span<const std::byte> small, std::span<Cargo> arrays) {
    for (const int target : targets) send_call(target, head, small, arrays);
    for (const Cargo& cargo : arrays) {
      const bool nobody_holds_it = cargo.shipment->left[0] == 0;
      if ((cargo.wanted & packet::source) != 0 && nobody_holds_it) {
        due_.emplace_back(cargo.shipment, Stage::source);
      }
    }
  }

  void acknowledge(int rank, std::uint64_t operation, std::uint32_t stages,
                   std::string_view error = {}) {
    error = error.substr(0, 1000);
    const packet::AckHead head{operation, stages, static_cast<std::uint32_t>(error.size())};
    const std::size_t bytes = sizeof(packet::Word) + sizeof head + error.size();
    std::byte* const packet = begin(rank, bytes);
    std::memcpy(packet + sizeof(packet::Word), &head, sizeof head);
    if (!error.empty()) {
      std::memcpy(packet + sizeof(packet::Word) + sizeof head, error.data(), error.size());
    }
    commit(rank, {static_cast<std::uint32_t>(bytes), packet::acknowledgement, 0});
  }

  // --------------------------------------------------------------------------- completions

  void stages_done(std::uint64_t name, std::uint32_t stages, std::string error) {
    Operations::Operation* const operation = operations_.find(name);
    if (operation == nullptr) return;
    const std::shared_ptr<Shipment> shipment = operation->shipment;
    if ((stages & packet::failure) != 0) {
      stages = all_stages;
      if (shipment->error.empty()) shipment->error = std::move(error);
      Route* const route =
          operation->peer >= 0 ? routes_[static_cast<std::size_t>(operation->peer)] : nullptr;
      if (route != nullptr) route->withdraw(name);
    }
    const std::uint32_t reached = stages & operation->awaited;
    operation->awaited &= ~reached;
    if (operation->awaited == 0) operations_.close(*operation);
    for (unsigned stage = 0; stage < 3; ++stage) {
      if ((reached >> stage & 1U) != 0 && --shipment->left[stage] == 0) {
        tell(*shipment, static_cast<Stage>(stage));
      }
    }
  }

  void tell(Shipment& shipment, Stage stage) {
    if (stage == Stage::source && shipment.checked &&
        checksum(shipment.data) != shipment.checksum) {
      shipment.error = fmt::format(
          "{}: the array of {} bytes that was lent to \"{}\" was changed before its source "
          "completion",
          name_, shipment.data.size(), entries_.at(shipment.entry).name);
    }
    const Completed completed{shipment.named, shipment.peer, shipment.error};
    bool told = false;
    for (const Completion& completion : shipment.completions) {
      if (completion.stage != stage) continue;
      completion.tell(completed);
      told = true;
    }
    // An error must not vanish because nobody asked for this stage.
    if (!told && stage == Stage::source && !shipment.error.empty() &&
        shipment.completions.empty()) {
      throw Error(shipment.error);
    }
  }

  // ------------------------------------------------------------------------------ arriving

  /// nullptr where it is not registered. The same one as last time is the usual case.
  EntryRecord* entry_of(std::uint64_t id) {
    if (id == last_entry_.first && last_entry_.second != nullptr) return last_entry_.second;
    const auto found = entries_.find(id);
    if (found == entries_.end()) return nullptr;
    last_entry_ = {id, &found->second};
    return &found->second;
  }

  void receive_call(int source, std::span<const std::byte> bytes) {
    packet::Word word;
    packet::CallHead head;
    std::memcpy(&word, bytes.data(), sizeof word);
    std::memcpy(&head, bytes.data() + sizeof word, sizeof head);
    EntryRecord* const entry = entry_of(head.entry);
    if (entry == nullptr) {
      const auto named = ids_.find(static_cast<std::uint32_t>(head.entry >> 32U));
      if (named == ids_.end()) {
        unclaimed_[head.entry].push_back({source, {bytes.begin(), bytes.end()}});
        return;
      }
    }
    const std::span small = bytes.subspan(sizeof word + sizeof head, head.small_bytes);
    if (entry != nullptr && word.count == 0 && (head.flags & packet::broadcast) == 0) {
      detail::CallIn call{{source, head.reference}, small, {}};
      entry->handler(call);
      return;
    }
    auto incoming = std::make_shared<Incoming>();
    incoming->source = source;
    incoming->entry = entry;
    incoming->head = head;
    incoming->small = small;
    const std::size_t heads_at = packet::aligned(sizeof word + sizeof head + head.small_bytes);
    incoming->heads.resize(word.count);
    if (word.count > 0) {
      std::memcpy(incoming->heads.data(), bytes.data() + heads_at, word.count * sizeof(ArrayHead));
    }
    incoming->in.resize(word.count);
    incoming->arrays.resize(word.count);
    ++open_incoming_;
    if (incoming->entry == nullptr) {
      fail(*incoming,
           fmt::format("{}: rank {} calls entry \"{}\" with another signature", name_, source,
                       entries_.at(ids_.at(static_cast<std::uint32_t>(head.entry >> 32U))).name));
    }
    try {
      open_arrays(*incoming, bytes);
      place_arrays(incoming);
    } catch (const Error& error) {
      fail(*incoming, error.what());
    }
    if (incoming->failed) return;
    if (incoming->pending > 0 || (head.flags & packet::broadcast) != 0) {
      keep_packet(*incoming, bytes);
    }
    if (incoming->pending > 0) {
      tell_sender(*incoming);
    } else {
      run(incoming);
    }
  }

  /// Finds the data of the arrays that need no fetching.
  void open_arrays(Incoming& incoming, std::span<const std::byte> packet) {
    for (std::size_t i = 0; i < incoming.heads.size(); ++i) {
      const ArrayHead& head = incoming.heads[i];
      ArrayIn& in = incoming.in[i];
      in.bytes = head.bytes;
      in.pool = pool_;
      const Location place{head.owner, head.slab, head.address};
      switch (head.way) {
        case Way::inlined:
          in.data = packet.data() + head.address;
          incoming.arrays[i].done = packet::source | packet::remote;
          break;
        case Way::view:
          in.data = pool_->view(place);
          incoming.arrays[i].in_place = true;
          break;
        case Way::gift:
          in.owned = incoming.source == context_.rank() && !shm_
                         ? BufferBytes(pool_, reinterpret_cast<std::byte*>(head.address), in.bytes)
                         : pool_->adopt(place, in.bytes);
          in.data = in.owned.data();
          incoming.arrays[i].done = packet::source | packet::remote;
          break;
        case Way::self: {
          in.data = reinterpret_cast<const std::byte*>(head.address);
          Shipment& shipment = *operations_.find(head.operation)->shipment;
          // Given away to one: it need not wait for the end. To several: they look at it.
          if (!shipment.lent && !shipment.keep && shipment.peer >= 0) {
            in.owned = std::move(shipment.buffer);
          } else {
            incoming.arrays[i].in_place = true;
          }
          break;
        }
        case Way::foreign:
        case Way::apart:
          break;
      }
    }
  }

  /// Asks the hook where the arrays shall go, and brings them there.
  void place_arrays(const std::shared_ptr<Incoming>& incoming) {
    const std::size_t count = incoming->heads.size();
    std::vector<detail::ByteRoom> rooms(count);
    if (incoming->entry->hook) {
      for (std::size_t i = 0; i < count; ++i) rooms[i].bytes = incoming->heads[i].bytes;
      const detail::CallIn call{sender_of(*incoming), incoming->small, {}};
      incoming->entry->hook(call, rooms);
    }
    for (std::size_t i = 0; i < count; ++i) {
      detail::ByteRoom& room = rooms[i];
      if (room.posted) {
        const PostName name{room.source, room.key};
        const auto posted = posted_.find(name);
        if (posted == posted_.end()) {
          awaiting_memory_[name].emplace_back(incoming, i);
          ++incoming->pending;
          continue;
        }
        const Posted first = take_first(posted->second);
        if (posted->second.empty()) posted_.erase(posted);
        if (!fits(*incoming, i, first.memory.size())) {
          return refuse(*incoming, i, first.future, first.memory.size());
        }
        room.given = true;
        room.memory = first.memory;
        incoming->arrays[i].posted = first.future;
      }
      if (!room.given) {
        land(incoming, i, {});
      } else if (fits(*incoming, i, room.memory.size())) {
        land(incoming, i, room.memory.first(incoming->heads[i].bytes));
      } else {
        throw Error(too_small(*incoming, i, room.memory.size()));
      }
    }
  }

  static bool fits(const Incoming& incoming, std::size_t i, std::size_t room) {
    return incoming.heads[i].bytes <= room;
  }
  std::string too_small(const Incoming& incoming, std::size_t i, std::size_t room) const {
    return fmt::format("{}: an array of {} bytes came from rank {} for \"{}\", into memory of {}",
                       name_, incoming.heads[i].bytes, incoming.source, incoming.entry->name, room);
  }

  /// Brings array `i` into `memory`, or where there is none, to where the entry can read it.
  void land(const std::shared_ptr<Incoming>& incoming, std::size_t i, std::span<std::byte> memory) {
    const ArrayHead& head = incoming->heads[i];
    ArrayIn& in = incoming->in[i];
    LandingArray& array = incoming->arrays[i];
    const bool to_memory = memory.data() != nullptr;
    if (head.way == Way::foreign || head.way == Way::apart) {
      if (!to_memory) {
        in.owned = pool_->allocate(in.bytes);
        memory = {in.owned.data(), in.bytes};
      }
      in.data = memory.data();
      if (head.way == Way::foreign) {
        shm_->read_foreign(incoming->source, head.address, memory);
        array.done |= packet::source | packet::remote;
      } else {
        fetches_[++last_token_] = {incoming, i};
        ++incoming->pending;
        routes_[static_cast<std::size_t>(incoming->source)]->fetch(incoming->source, head.operation,
                                                                   memory, last_token_);
      }
    } else if (to_memory) {
      if (in.bytes > 0) std::memcpy(memory.data(), in.data, in.bytes);
      in.data = memory.data();
      in.owned.reset();
      array.in_place = false;
      array.done |= packet::source | packet::remote;
    }
  }

  /// The call must wait, so what it needs of its packet is copied.
  static void keep_packet(Incoming& incoming, std::span<const std::byte> bytes) {
    incoming.packet.assign(bytes.begin(), bytes.end());
    const auto moved = [&](const std::byte* data) {
      return incoming.packet.data() + (data - bytes.data());
    };
    incoming.small = {moved(incoming.small.data()), incoming.small.size()};
    for (std::size_t i = 0; i < incoming.heads.size(); ++i) {
      const std::byte*& data = incoming.in[i].data;
      if (data >= bytes.data() && data < bytes.data() + bytes.size()) data = moved(data);
    }
  }

  Sender sender_of(const Incoming& incoming) const {
    const bool broadcast = (incoming.head.flags & packet::broadcast) != 0;
    return {broadcast ? incoming.head.root : incoming.source, incoming.head.reference};
  }

  /// All arrays are there: passes a broadcast on, and runs the entry.
  void run(const std::shared_ptr<Incoming>& incoming) {
    if (incoming->failed) return;
    if ((incoming->head.flags & packet::broadcast) != 0 && incoming->source != context_.rank()) {
      pass_on(incoming);
    }
    detail::CallIn call{sender_of(*incoming), incoming->small, incoming->in};
    try {
      incoming->entry->handler(call);
    } catch (const std::exception& error) {
      fail(*incoming, fmt::format("{}: entry \"{}\" failed on rank {}: {}", name_,
                                  incoming->entry->name, context_.rank(), error.what()));
    }
    incoming->ran = true;
    for (std::size_t i = 0; i < incoming->arrays.size(); ++i) {
      if (!incoming->arrays[i].posted) continue;
      incoming->arrays[i].posted->complete(
          {{incoming->in[i].data, incoming->in[i].bytes}, incoming->source, {}});
    }
    if (incoming->children == 0) end(*incoming);
  }

  void pass_on(const std::shared_ptr<Incoming>& incoming) {
    const std::vector<int> children =
        broadcast_children(node_of_, incoming->head.root, context_.rank());
    if (children.empty()) return;
    Cargo cargo[most_arrays];
    for (std::size_t i = 0; i < incoming->in.size(); ++i) {
      ArrayOut array;
      array.mode = ArrayOut::Mode::lent;
      array.data = {incoming->in[i].data, incoming->in[i].bytes};
      array.keep = incoming;
      const bool tell_after = incoming->heads[i].wishes != 0;
      Stage last = Stage::source;
      if ((incoming->heads[i].wishes & packet::remote) != 0) last = Stage::remote;
      if ((incoming->heads[i].wishes & packet::operation) != 0) last = Stage::operation;
      if (tell_after) {
        ++incoming->children;
        array.completions.push_back({last, [this, raw = incoming.get()](const Completed&) {
                                       if (--raw->children == 0 && raw->ran) end(*raw);
                                     }});
      }
      cargo[i] = load(std::move(array), incoming->head.entry, -1);
    }
    send_to_all(children, incoming->head, incoming->small, {cargo, incoming->in.size()});
  }

  /// The call is through, here and below: tells the sender.
  void end(Incoming& incoming) {
    --open_incoming_;
    for (LandingArray& array : incoming.arrays) array.done |= all_stages;
    tell_sender(incoming);
  }

  void tell_sender(Incoming& incoming) {
    for (std::size_t i = 0; i < incoming.arrays.size(); ++i) {
      ArrayHead& head = incoming.heads[i];
      LandingArray& array = incoming.arrays[i];
      const bool broadcast_under_way =
          (incoming.head.flags & packet::broadcast) != 0 && (array.done & packet::operation) == 0;
      if (head.operation == 0 || broadcast_under_way) continue;
      const std::uint32_t stages = array.done & head.wishes;
      if (stages == 0) continue;
      head.wishes &= ~stages;
      acknowledge(incoming.source, head.operation, stages);
    }
  }

  /// The call cannot run: tells the sender, and whoever waits here.
  [[noreturn]] void fail(Incoming& incoming, const std::string& error) {
    --open_incoming_;
    incoming.failed = true;
    for (std::size_t i = 0; i < incoming.arrays.size(); ++i) {
      const ArrayHead& head = incoming.heads[i];
      if (head.operation == 0) continue;
      if (head.way == Way::apart && incoming.arrays[i].done == 0) {
        routes_[static_cast<std::size_t>(incoming.source)]->refuse(incoming.source, head.operation);
      }
      acknowledge(incoming.source, head.operation, packet::failure, error);
    }
    throw Error(error);
  }

  /// Posted memory does not hold the array: an error of the receive and of the sender, not of
  /// whatever this rank is waiting for.
  void refuse(Incoming& incoming, std::size_t i, const Future& receive, std::size_t room) {
    const std::string error = too_small(incoming, i, room);
    try {
      fail(incoming, error);
    } catch (const Error&) {
      receive.complete({{}, incoming.source, error});
    }
  }

  // ------------------------------------------------------------------------------ the end

  bool idle() const {
    return operations_.open_count() == 0 && open_incoming_ == 0 && to_self_.empty() &&
           due_.empty() && ready_.empty() && replay_.empty() && unclaimed_.empty() &&
           (!shm_ || shm_->idle()) && (!network_ || network_->idle());
  }

  /// Whom this rank needs: those who owe it an answer, and those whose arrays it waits for.
  std::vector<int> awaited_ranks() const {
    std::vector<int> ranks = operations_.peers();
    for (const auto& [token, landing] : fetches_) ranks.push_back(landing.first->source);
    for (const auto& [name, posted] : posted_) {
      if (name.first >= 0) ranks.push_back(name.first);
    }
    std::ranges::sort(ranks);
    const auto rest = std::ranges::unique(ranks);
    ranks.erase(rest.begin(), rest.end());
    std::erase(ranks, context_.rank());
    return ranks;
  }

  void fail_operations(const std::string& error) {
    for (int rank = 0; rank < context_.size(); ++rank) {
      dead_[static_cast<std::size_t>(rank)] = obituary(state(), rank);
    }
    const bool somebody_died =
        std::ranges::any_of(dead_, [](const std::string& dead) { return !dead.empty(); });
    for (int rank = -1; rank < context_.size(); ++rank) {
      if (somebody_died && rank >= 0 && dead_[static_cast<std::size_t>(rank)].empty()) continue;
      for (const std::uint64_t name : operations_.with(rank)) {
        try {
          stages_done(name, packet::failure, error);
        } catch (const Error&) {
          // The error that all of them have is thrown by the wait that found it.
        }
      }
    }
    for (auto& [name, queue] : posted_) {
      if (name.first < 0 ||
          (somebody_died && dead_[static_cast<std::size_t>(name.first)].empty())) {
        continue;
      }
      for (const Posted& posted : std::exchange(queue, {})) {
        posted.future.complete({posted.memory, name.first, error});
      }
    }
    std::erase_if(posted_, [](const auto& each) { return each.second.empty(); });
  }

  void report_leaks() const {
    if (!check_ || pool_->outstanding() == 0) return;
    fmt::print(stderr, "{}: rank {}: {} buffers of its pool are still held somewhere at the end\n",
               name_, context_.rank(), pool_->outstanding());
  }

  Context context_;
  std::string name_;
  bool check_;
  std::optional<std::size_t> copy_below_;
  std::size_t kernel_copies_from_;
  int first_tag_;
  std::vector<int> node_of_;
  std::vector<std::string> dead_;  ///< how a rank died, by rank; empty where it lives
  std::shared_ptr<ShmRoute> shm_;
  std::shared_ptr<Route> network_;
  std::vector<Route*> routes_;  ///< by rank; nullptr: this rank
  std::shared_ptr<MessagePool> pool_;

  std::unordered_map<std::uint64_t, EntryRecord> entries_;
  std::pair<std::uint64_t, EntryRecord*> last_entry_{};
  std::unordered_map<std::uint32_t, std::uint64_t> ids_;  ///< by hash of the name
  std::uint64_t mailbox_ = 0;                             ///< the entry behind `send`
  std::uint64_t letters_ = 0;                             ///< the entry behind `send_letter`
  std::map<PostName, std::deque<std::string>> letters_in_;
  std::vector<std::shared_ptr<void>> kept_;
  std::map<std::uint64_t, std::deque<Packet>> unclaimed_;  ///< of entries not registered yet
  std::deque<Packet> replay_;

  Operations operations_;
  std::deque<std::vector<std::byte>> to_self_;
  std::deque<std::pair<std::shared_ptr<Shipment>, Stage>> due_;  ///< to be told in `progress`
  std::deque<std::shared_ptr<Incoming>> ready_;                  ///< to run in `progress`
  std::map<PostName, std::deque<Posted>> posted_;
  std::map<PostName, std::deque<Landing>> awaiting_memory_;
  std::map<std::uint64_t, Landing> fetches_;
  std::uint64_t last_token_ = 0;
  std::int64_t packets_sent_ = 0;
  std::int64_t packets_handled_ = 0;
  std::size_t open_incoming_ = 0;
  std::uint64_t waits_ = 0;
  bool in_progress_ = false;
};

// ---------------------------------------------------------------------------------- messenger

Messenger::Messenger(const Context& context, const MessengerOptions& options)
    : implementation_(std::make_unique<Implementation>(context, options)) {}
Messenger::~Messenger() = default;

int Messenger::rank() const {
  return implementation_->context().rank();
}
int Messenger::size() const {
  return implementation_->context().size();
}
std::uint64_t Messenger::add_entry(const std::string& name, std::string_view signature,
                                   detail::Handler handler) {
  return implementation_->add_entry(name, signature, std::move(handler));
}
void Messenger::set_hook(std::uint64_t entry, detail::Hook hook) {
  implementation_->set_hook(entry, std::move(hook));
}
void Messenger::call(int destination, std::uint64_t entry, std::uint64_t reference,
                     std::span<const std::byte> small, std::span<ArrayOut> arrays) {
  implementation_->call(destination, entry, reference, small, arrays);
}
void Messenger::broadcast(std::uint64_t entry, std::uint64_t reference,
                          std::span<const std::byte> small, std::span<ArrayOut> arrays) {
  implementation_->broadcast(entry, reference, small, arrays);
}
BufferBytes Messenger::allocate(std::size_t bytes) {
  return implementation_->allocate(bytes);
}
Future Messenger::post_bytes(int source, std::uint64_t key, std::span<std::byte> memory) {
  return implementation_->post(source, key, memory);
}
void Messenger::send_bytes(int destination, std::uint64_t key, ArrayOut array) {
  implementation_->send_to_mailbox(destination, key, std::move(array));
}
void Messenger::progress() {
  implementation_->progress();
}
const Completed& Messenger::wait(const Future& future, std::string_view what) {
  implementation_->wait_until([&] { return future.ready(); }, what);
  return future.value();
}
void Messenger::wait(const Counter& counter, std::uint64_t count, std::string_view what) {
  implementation_->wait_until([&] { return counter.count() >= count; }, what);
}
void Messenger::wait(const Task& task, std::string_view what) {
  implementation_->wait_until([&] { return task.done(); }, what);
  task.check();
}
void Messenger::wait_until(const std::function<bool()>& condition, std::string_view what) {
  implementation_->wait_until(condition, what);
}
void Messenger::wait_for(int rank, std::string_view what, const std::function<bool()>& condition) {
  implementation_->wait_until(condition, what, rank);
}
void Messenger::send_letter(int peer, std::uint64_t key, const std::string& letter) {
  implementation_->send_letter(peer, key, letter);
}
std::string Messenger::wait_for_letter(int peer, std::uint64_t key) {
  return implementation_->wait_for_letter(peer, key);
}
void Messenger::keep_until_end(std::shared_ptr<void> memory) {
  implementation_->keep_until_end(std::move(memory));
}
void Messenger::finish() {
  implementation_->finish();
}
std::string_view Messenger::route(int rank) const {
  return implementation_->route(rank);
}
std::size_t Messenger::outstanding_buffers() const {
  return implementation_->outstanding_buffers();
}
std::size_t Messenger::open_operations() const {
  return implementation_->open_operations();
}

}  // namespace sterna::comm

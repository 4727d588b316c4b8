// The caller's side of a call: how each array travels, and which completions are due when.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "comm/message/broadcast_tree.hpp"
#include "comm/message/messenger_implementation.hpp"

namespace sterna::comm {

using detail::ArrayOut;
using packet::ArrayHead;
using packet::DataPath;

namespace {

/// The longest packet, a quarter of the smallest ring. Arguments that do not fit travel as arrays.
constexpr std::size_t largest_packet = 4096;

/// A checksum that detects accidental changes of lent memory, but not attacks.
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

void set_location(ArrayHead& head, const Location& location) {
  head.owner = location.owner;
  head.slab = location.slab;
  head.address = location.offset;
}

}  // namespace

void Messenger::Implementation::call(int destination, std::uint64_t entry, std::uint64_t reference,
                                     std::span<const std::byte> small, std::span<ArrayOut> arrays) {
  if (destination < 0 || destination >= context_.size()) {
    throw Error(fmt::format("{}: {} goes to rank {} of {}", name_,
                            entry_in_words(entries_.at(entry).name), destination, context_.size()));
  }
  const std::string& dead = dead_[static_cast<std::size_t>(destination)];
  if (!dead.empty()) {
    throw Error(fmt::format("{}: {} cannot be sent{}", name_,
                            entry_in_words(entries_.at(entry).name), dead));
  }
  const packet::CallHead head{entry, reference, static_cast<std::uint32_t>(small.size()), 0, -1, 0};
  if (arrays.empty()) {
    send_call(destination, head, small, {});
    return;
  }
  ArrayToSend to_send[most_arrays];
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    to_send[i] = prepare_array(std::move(arrays[i]), entry, destination);
  }
  send_to_all({&destination, 1}, head, small, {to_send, arrays.size()});
}

void Messenger::Implementation::broadcast(std::uint64_t entry, std::uint64_t reference,
                                          std::span<const std::byte> small,
                                          std::span<ArrayOut> arrays) {
  ArrayToSend to_send[most_arrays];
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    to_send[i] =
        prepare_array(std::move(arrays[i]), entry, context_.size() == 1 ? context_.rank() : -1);
    to_send[i].keep();
    if (to_send[i].mode == ArrayOut::Mode::copied) own_copy(to_send[i].outgoing());
    to_send[i].mode = ArrayOut::Mode::lent;  // several receivers: none of them can become the owner
  }
  std::vector<int> targets = broadcast_children(node_of_, context_.rank(), context_.rank());
  targets.push_back(context_.rank());
  const packet::CallHead head{
      entry,           reference, static_cast<std::uint32_t>(small.size()), packet::broadcast,
      context_.rank(), 0};
  send_to_all(targets, head, small, {to_send, arrays.size()});
}

BufferBytes Messenger::Implementation::copy_of(std::span<const std::byte> data) {
  BufferBytes copy = pool_->allocate(data.size());
  if (!data.empty()) std::memcpy(copy.data(), data.data(), data.size());
  return copy;
}

Messenger::Implementation::ArrayToSend Messenger::Implementation::prepare_array(ArrayOut&& array,
                                                                                std::uint64_t entry,
                                                                                int peer) {
  ArrayToSend to_send;
  to_send.mode = array.mode;
  array.completions.for_each(
      [&](const Completion& completion) { to_send.wanted |= bit(completion.stage); });
  OutgoingArray& outgoing = to_send.own.emplace();
  outgoing.data = array.data;
  outgoing.named = array.data;
  outgoing.buffer = std::move(array.buffer);
  outgoing.keep = std::move(array.keep);
  outgoing.completions = std::move(array.completions);
  outgoing.peer = peer;
  outgoing.entry = entry;
  outgoing.lent = array.mode == ArrayOut::Mode::lent && !outgoing.keep;
  return to_send;
}

void Messenger::Implementation::send_call(int destination, const packet::CallHead& head,
                                          std::span<const std::byte> small,
                                          std::span<ArrayToSend> arrays) {
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
    if (heads[i].path == DataPath::inlined && heads[i].bytes > 0) {
      std::memcpy(packet + heads[i].address, arrays[i].outgoing().data.data(), heads[i].bytes);
    }
  }
  commit(destination, {static_cast<std::uint32_t>(bytes), packet::call,
                       static_cast<std::uint16_t>(arrays.size())});
  // The array is announced after the packet, so that its receiver knows what comes.
  Route* const route = routes_[static_cast<std::size_t>(destination)];
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    if (heads[i].path == DataPath::rendezvous) {
      route->announce(destination, heads[i].operation, arrays[i].outgoing().data);
    }
  }
}

// Decides how an array travels to `destination`; inlined arrays get their offset in the packet.
ArrayHead Messenger::Implementation::dispatch(int destination, ArrayToSend& to_send,
                                              std::size_t& packet_bytes) {
  OutgoingArray& outgoing = to_send.outgoing();
  const std::size_t bytes = outgoing.data.size();
  ArrayHead head{};
  head.bytes = bytes;
  head.requested = to_send.wanted & (packet::remote | packet::operation);
  const Route* const route = routes_[static_cast<std::size_t>(destination)];
  const bool in_node = route != nullptr && route == shm_.get();
  const std::size_t limit = in_node ? copy_below_in_node_ : copy_below_between_nodes_;
  std::uint32_t awaited = head.requested;

  if (bytes == 0 || (bytes < limit && to_send.mode != ArrayOut::Mode::given &&
                     packet_bytes + bytes <= largest_packet)) {
    head.path = DataPath::inlined;
    head.address = packet_bytes;
    packet_bytes += packet::aligned(bytes);
  } else if (route == nullptr && to_send.mode != ArrayOut::Mode::copied) {
    head.path = DataPath::self;
    head.address = reinterpret_cast<std::uint64_t>(outgoing.data.data());
    awaited |= packet::source;
    head.requested |= packet::source;
  } else if (route == nullptr || in_node) {
    in_memory(to_send, head, awaited);
  } else {
    if (to_send.mode == ArrayOut::Mode::copied) own_copy(outgoing);
    head.path = DataPath::rendezvous;
    awaited |= packet::source;
  }
  if (awaited != 0) {
    OutgoingArray& kept = *to_send.keep();
    for (unsigned stage = 0; stage < 3; ++stage) {
      if ((awaited >> stage & 1U) != 0) ++kept.left[stage];
    }
    if (check_ && kept.lent && (awaited & packet::source) != 0 && !kept.checked) {
      kept.checked = true;
      kept.checksum = checksum(kept.data);
    }
    head.operation = operations_.open(destination, awaited, to_send.keep());
  }
  return head;
}

void Messenger::Implementation::own_copy(OutgoingArray& outgoing) {
  outgoing.buffer = copy_of(outgoing.data);
  outgoing.data = {outgoing.buffer.data(), outgoing.data.size()};
}

// Delivers an array through memory that its receiver can read.
void Messenger::Implementation::in_memory(ArrayToSend& to_send, ArrayHead& head,
                                          std::uint32_t& awaited) {
  OutgoingArray& outgoing = to_send.outgoing();
  if (to_send.mode == ArrayOut::Mode::lent) {
    if (const auto location = pool_->locate(outgoing.data.data(), outgoing.data.size())) {
      head.path = DataPath::view;
      set_location(head, *location);
    } else if (shm_ && shm_->kernel_copies() && head.bytes >= kernel_copies_from_) {
      head.path = DataPath::kernel_copy;
      head.address = reinterpret_cast<std::uint64_t>(outgoing.data.data());
    } else if (outgoing.peer >= 0) {
      own_copy(outgoing);
      give(outgoing, head);
      return;
    } else {  // one of several receivers: all of them see the same copy
      own_copy(outgoing);
      head.path = DataPath::view;
      set_location(head, outgoing.buffer.location());
    }
    awaited |= packet::source;
    head.requested |= packet::source;
    return;
  }
  if (to_send.mode == ArrayOut::Mode::copied) own_copy(outgoing);
  give(outgoing, head);
}

void Messenger::Implementation::give(OutgoingArray& outgoing, ArrayHead& head) {
  head.path = DataPath::moved;
  if (pool_->is_shared()) {
    set_location(head, outgoing.buffer.location());
  } else {  // only this rank sees the pool, so the call is to itself
    head.address = reinterpret_cast<std::uint64_t>(outgoing.data.data());
  }
  outgoing.buffer.hand_over();
}

void Messenger::Implementation::send_to_all(std::span<const int> targets,
                                            const packet::CallHead& head,
                                            std::span<const std::byte> small,
                                            std::span<ArrayToSend> arrays) {
  for (const int target : targets) send_call(target, head, small, arrays);
  for (ArrayToSend& to_send : arrays) {
    const bool nobody_holds_it = to_send.outgoing().left[0] == 0;
    if ((to_send.wanted & packet::source) == 0 || !nobody_holds_it) continue;
    bool runs_code = false;
    to_send.outgoing().completions.for_each(
        [&](const Completion& completion) { runs_code = runs_code || completion.runs_code(); });
    if (runs_code) {
      due_.emplace_back(to_send.keep(), Stage::source);
    } else {
      complete(to_send.outgoing(), Stage::source);
    }
  }
}

void Messenger::Implementation::acknowledge(int rank, std::uint64_t operation, std::uint32_t stages,
                                            std::string_view error) {
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

void Messenger::Implementation::stages_done(std::uint64_t name, std::uint32_t stages,
                                            std::string error) {
  Operations::Operation* const operation = operations_.find(name);
  if (operation == nullptr) return;
  const std::shared_ptr<OutgoingArray> outgoing = operation->outgoing;
  if ((stages & packet::failure) != 0) {
    stages = packet::all_stages;
    if (outgoing->error.empty()) outgoing->error = std::move(error);
    Route* const route =
        operation->peer >= 0 ? routes_[static_cast<std::size_t>(operation->peer)] : nullptr;
    if (route != nullptr) route->withdraw(name);
  }
  const std::uint32_t reached = stages & operation->awaited;
  operation->awaited &= ~reached;
  if (operation->awaited == 0) operations_.close(*operation);
  for (unsigned stage = 0; stage < 3; ++stage) {
    if ((reached >> stage & 1U) != 0 && --outgoing->left[stage] == 0) {
      complete(*outgoing, static_cast<Stage>(stage));
    }
  }
}

void Messenger::Implementation::complete(OutgoingArray& outgoing, Stage stage) {
  if (stage == Stage::source && outgoing.checked && checksum(outgoing.data) != outgoing.checksum) {
    outgoing.error = fmt::format(
        "{}: the array of {} bytes that was lent to {} was changed before its source completion",
        name_, outgoing.data.size(), entry_in_words(entries_.at(outgoing.entry).name));
  }
  const Completed completed{outgoing.named, outgoing.peer, outgoing.error};
  bool reported = false;
  outgoing.completions.for_each([&](const Completion& completion) {
    if (completion.stage != stage) return;
    completion.complete(completed);
    reported = true;
  });
  // An error is thrown even if no completion of this stage was requested.
  if (!reported && stage == Stage::source && !outgoing.error.empty() &&
      outgoing.completions.empty()) {
    throw Error(outgoing.error);
  }
}

}  // namespace sterna::comm

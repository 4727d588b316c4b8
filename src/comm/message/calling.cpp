// What happens at the caller of an entry: how each array travels, and whom to tell when.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "comm/message/broadcast_tree.hpp"
#include "comm/message/messenger_implementation.hpp"

namespace sterna::comm {

using detail::ArrayOut;
using packet::ArrayHead;
using packet::Way;

namespace {

/// Packets are at most this long; what does not fit travels as an array. A quarter of the
/// smallest ring.
constexpr std::size_t largest_packet = 4096;

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

void set_place(ArrayHead& head, const Location& place) {
  head.owner = place.owner;
  head.slab = place.slab;
  head.address = place.offset;
}

}  // namespace

void Messenger::Implementation::call(int destination, std::uint64_t entry, std::uint64_t reference,
                                     std::span<const std::byte> small, std::span<ArrayOut> arrays) {
  if (destination < 0 || destination >= context_.size()) {
    throw Error(fmt::format("{}: entry \"{}\" was called on rank {} of {}", name_,
                            entries_.at(entry).name, destination, context_.size()));
  }
  const std::string& dead = dead_[static_cast<std::size_t>(destination)];
  if (!dead.empty()) {
    throw Error(fmt::format("{}: entry \"{}\" was called{}", name_, entries_.at(entry).name, dead));
  }
  const packet::CallHead head{entry, reference, static_cast<std::uint32_t>(small.size()), 0, -1, 0};
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

void Messenger::Implementation::broadcast(std::uint64_t entry, std::uint64_t reference,
                                          std::span<const std::byte> small,
                                          std::span<ArrayOut> arrays) {
  Cargo cargo[most_arrays];
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    cargo[i] = load(std::move(arrays[i]), entry, context_.size() == 1 ? context_.rank() : -1);
    cargo[i].keep();
    if (cargo[i].mode == ArrayOut::Mode::copied) own_copy(cargo[i].shipment());
    cargo[i].mode = ArrayOut::Mode::lent;  // to several: it can be given to none
  }
  std::vector<int> targets = broadcast_children(node_of_, context_.rank(), context_.rank());
  targets.push_back(context_.rank());
  const packet::CallHead head{
      entry,           reference, static_cast<std::uint32_t>(small.size()), packet::broadcast,
      context_.rank(), 0};
  send_to_all(targets, head, small, {cargo, arrays.size()});
}

BufferBytes Messenger::Implementation::copy_of(std::span<const std::byte> data) {
  BufferBytes copy = pool_->allocate(data.size());
  if (!data.empty()) std::memcpy(copy.data(), data.data(), data.size());
  return copy;
}

Messenger::Implementation::Cargo Messenger::Implementation::load(ArrayOut&& array,
                                                                 std::uint64_t entry, int peer) {
  Cargo cargo;
  cargo.mode = array.mode;
  array.completions.for_each(
      [&](const Completion& completion) { cargo.wanted |= bit(completion.stage); });
  Shipment& shipment = cargo.own.emplace();
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

void Messenger::Implementation::send_call(int destination, const packet::CallHead& head,
                                          std::span<const std::byte> small,
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
      std::memcpy(packet + heads[i].address, arrays[i].shipment().data.data(), heads[i].bytes);
    }
  }
  commit(destination, {static_cast<std::uint32_t>(bytes), packet::call,
                       static_cast<std::uint16_t>(arrays.size())});
  // After the packet, so that its receiver knows what comes.
  Route* const route = routes_[static_cast<std::size_t>(destination)];
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    if (heads[i].way == Way::apart) {
      route->announce(destination, heads[i].operation, arrays[i].shipment().data);
    }
  }
}

// Decides how an array goes to `destination`; inlined ones get their place in the packet.
ArrayHead Messenger::Implementation::dispatch(int destination, Cargo& cargo,
                                              std::size_t& packet_bytes) {
  Shipment& shipment = cargo.shipment();
  const std::size_t bytes = shipment.data.size();
  ArrayHead head{};
  head.bytes = bytes;
  head.wishes = cargo.wanted & (packet::remote | packet::operation);
  const Route* const route = routes_[static_cast<std::size_t>(destination)];
  const bool in_node = route != nullptr && route == shm_.get();
  const std::size_t limit = in_node ? copy_below_in_node_ : copy_below_apart_;
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
    Shipment& kept = *cargo.keep();
    for (unsigned stage = 0; stage < 3; ++stage) {
      if ((awaited >> stage & 1U) != 0) ++kept.left[stage];
    }
    if (check_ && kept.lent && (awaited & packet::source) != 0 && !kept.checked) {
      kept.checked = true;
      kept.checksum = checksum(kept.data);
    }
    head.operation = operations_.open(destination, awaited, cargo.keep());
  }
  return head;
}

void Messenger::Implementation::own_copy(Shipment& shipment) {
  shipment.buffer = copy_of(shipment.data);
  shipment.data = {shipment.buffer.data(), shipment.data.size()};
}

// Ways of an array through memory that its receiver can reach.
void Messenger::Implementation::in_memory(Cargo& cargo, ArrayHead& head, std::uint32_t& awaited) {
  Shipment& shipment = cargo.shipment();
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
      set_place(head, shipment.buffer.place());
    }
    awaited |= packet::source;
    head.wishes |= packet::source;
    return;
  }
  if (cargo.mode == ArrayOut::Mode::copied) own_copy(shipment);
  give(shipment, head);
}

void Messenger::Implementation::give(Shipment& shipment, ArrayHead& head) {
  head.way = Way::gift;
  if (pool_->is_shared()) {
    set_place(head, shipment.buffer.place());
  } else {  // a pool that only this rank sees, so it is a call of itself
    head.address = reinterpret_cast<std::uint64_t>(shipment.data.data());
  }
  shipment.buffer.hand_over();
}

void Messenger::Implementation::send_to_all(std::span<const int> targets,
                                            const packet::CallHead& head,
                                            std::span<const std::byte> small,
                                            std::span<Cargo> arrays) {
  for (const int target : targets) send_call(target, head, small, arrays);
  for (Cargo& cargo : arrays) {
    const bool nobody_holds_it = cargo.shipment().left[0] == 0;
    if ((cargo.wanted & packet::source) == 0 || !nobody_holds_it) continue;
    bool runs_code = false;
    cargo.shipment().completions.for_each(
        [&](const Completion& completion) { runs_code = runs_code || completion.runs_code(); });
    if (runs_code) {
      due_.emplace_back(cargo.keep(), Stage::source);
    } else {
      tell(cargo.shipment(), Stage::source);
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
  const std::shared_ptr<Shipment> shipment = operation->shipment;
  if ((stages & packet::failure) != 0) {
    stages = packet::all_stages;
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

void Messenger::Implementation::tell(Shipment& shipment, Stage stage) {
  if (stage == Stage::source && shipment.checked && checksum(shipment.data) != shipment.checksum) {
    shipment.error = fmt::format(
        "{}: the array of {} bytes that was lent to \"{}\" was changed before its source "
        "completion",
        name_, shipment.data.size(), entries_.at(shipment.entry).name);
  }
  const Completed completed{shipment.named, shipment.peer, shipment.error};
  bool told = false;
  shipment.completions.for_each([&](const Completion& completion) {
    if (completion.stage != stage) return;
    completion.tell(completed);
    told = true;
  });
  // An error must not vanish because nobody asked for this stage.
  if (!told && stage == Stage::source && !shipment.error.empty() && shipment.completions.empty()) {
    throw Error(shipment.error);
  }
}

}  // namespace sterna::comm

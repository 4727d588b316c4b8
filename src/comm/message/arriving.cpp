// The receiver's side of a call: its arrays are found or fetched, and then the entry runs.

#include <fmt/format.h>

#include <cstring>
#include <exception>

#include "comm/message/broadcast_tree.hpp"
#include "comm/message/messenger_implementation.hpp"

namespace sterna::comm {

using detail::ArrayIn;
using detail::ArrayOut;
using packet::ArrayHead;
using packet::DataPath;

BufferBytes ArrayIn::take() {
  if (owned.data() == data && owned.size() == bytes && bytes > 0) return std::move(owned);
  BufferBytes copy = pool->allocate(bytes);
  if (bytes > 0) std::memcpy(copy.data(), data, bytes);
  return copy;
}

Future Messenger::Implementation::post(int source, std::uint64_t key, std::span<std::byte> memory,
                                       std::shared_ptr<BufferBytes> taken) {
  Posted posted{memory, std::move(taken), {}};
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
  receive_posted(incoming, i, posted);
  if (!incoming->failed && --incoming->pending == 0) ready_.push_back(incoming);
  return future;
}

void Messenger::Implementation::arrived(int source, std::span<const std::byte> bytes) {
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

void Messenger::Implementation::fetched(std::uint64_t token) {
  const auto found = fetches_.find(token);
  const auto [incoming, i] = found->second;
  fetches_.erase(found);
  incoming->arrays[i].done |= packet::source | packet::remote;
  if (--incoming->pending == 0) run(incoming);
}

// Returns the entry, or nullptr if it is not registered. Usually it is the same one as last time.
Messenger::Implementation::EntryRecord* Messenger::Implementation::entry_of(std::uint64_t id) {
  if (id == last_entry_.first && last_entry_.second != nullptr) return last_entry_.second;
  const auto found = entries_.find(id);
  if (found == entries_.end()) return nullptr;
  last_entry_ = {id, &found->second};
  return &found->second;
}

void Messenger::Implementation::receive_call(int source, std::span<const std::byte> bytes) {
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
  std::shared_ptr<Incoming> incoming = fresh_incoming();
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
    receive_arrays(incoming);
  } catch (const Error& error) {
    fail(*incoming, error.what());
  }
  if (incoming->failed) return;
  if (incoming->pending > 0 || (head.flags & packet::broadcast) != 0) {
    keep_packet(*incoming, bytes);
  }
  if (incoming->pending > 0) {
    report_to_sender(*incoming);
  } else {
    run(incoming);
    use_again(std::move(incoming));
  }
}

std::shared_ptr<Messenger::Implementation::Incoming> Messenger::Implementation::fresh_incoming() {
  if (spare_.empty()) return std::make_shared<Incoming>();
  return take_last(spare_);
}

// Releases the resources of a call that has ended, but keeps the capacity of its lists.
void Messenger::Implementation::use_again(std::shared_ptr<Incoming> incoming) {
  if (incoming.use_count() > 1) return;
  incoming->packet.clear();
  incoming->heads.clear();
  incoming->in.clear();
  incoming->arrays.clear();
  incoming->pending = 0;
  incoming->children = 0;
  incoming->ran = false;
  spare_.push_back(std::move(incoming));
}

// Finds the data of the arrays that need no fetching.
void Messenger::Implementation::open_arrays(Incoming& incoming, std::span<const std::byte> packet) {
  for (std::size_t i = 0; i < incoming.heads.size(); ++i) {
    const ArrayHead& head = incoming.heads[i];
    ArrayIn& in = incoming.in[i];
    in.bytes = head.bytes;
    in.pool = pool_;
    const Location location{head.owner, head.slab, head.address};
    switch (head.path) {
      case DataPath::inlined:
        in.data = packet.data() + head.address;
        incoming.arrays[i].done = packet::source | packet::remote;
        break;
      case DataPath::view:
        in.data = pool_->view(location);
        incoming.arrays[i].in_place = true;
        break;
      case DataPath::moved:
        in.owned =
            incoming.source == context_.rank() && !shm_
                ? BufferBytes(pool_, reinterpret_cast<std::byte*>(head.address), in.bytes, {})
                : pool_->adopt(location, in.bytes);
        in.data = in.owned.data();
        incoming.arrays[i].done = packet::source | packet::remote;
        break;
      case DataPath::self: {
        in.data = reinterpret_cast<const std::byte*>(head.address);
        OutgoingArray& outgoing = *operations_.find(head.operation)->outgoing;
        // A single receiver owns the array, so it need not wait for the end. Several receivers only
        // read it.
        if (!outgoing.lent && !outgoing.keep && outgoing.peer >= 0) {
          in.owned = std::move(outgoing.buffer);
        } else {
          incoming.arrays[i].in_place = true;
        }
        break;
      }
      case DataPath::kernel_copy:
      case DataPath::rendezvous:
        break;
    }
  }
}

// Asks the hook for the receive buffers of the arrays, and brings the arrays there.
void Messenger::Implementation::receive_arrays(const std::shared_ptr<Incoming>& incoming) {
  const std::size_t count = incoming->heads.size();
  if (!incoming->entry->hook) {
    for (std::size_t i = 0; i < count; ++i) receive_array(incoming, i, {});
    return;
  }
  std::vector<detail::ByteReceiveBuffer> buffers(count);
  for (std::size_t i = 0; i < count; ++i) buffers[i].bytes = incoming->heads[i].bytes;
  const detail::CallIn call{sender_of(*incoming), incoming->small, {}};
  incoming->entry->hook(call, buffers);
  for (std::size_t i = 0; i < count; ++i) {
    detail::ByteReceiveBuffer& buffer = buffers[i];
    if (buffer.posted) {
      const PostName name{buffer.source, buffer.key};
      const auto posted = posted_.find(name);
      if (posted == posted_.end()) {
        awaiting_memory_[name].emplace_back(incoming, i);
        ++incoming->pending;
        continue;
      }
      const Posted first = take_first(posted->second);
      if (posted->second.empty()) posted_.erase(posted);
      receive_posted(incoming, i, first);
      if (incoming->failed) return;
      continue;
    }
    if (!buffer.given) {
      receive_array(incoming, i, {});
    } else if (fits(*incoming, i, buffer.memory.size())) {
      receive_array(incoming, i, buffer.memory.first(incoming->heads[i].bytes));
    } else {
      throw Error(too_small(*incoming, i, buffer.memory.size()));
    }
  }
}

void Messenger::Implementation::receive_posted(const std::shared_ptr<Incoming>& incoming,
                                               std::size_t i, const Posted& posted) {
  if (!posted.taken && !fits(*incoming, i, posted.memory.size())) {
    return refuse(*incoming, i, posted.future, posted.memory.size());
  }
  incoming->arrays[i].posted = posted.future;
  incoming->arrays[i].taken = posted.taken;
  receive_array(
      incoming, i,
      posted.taken ? std::span<std::byte>() : posted.memory.first(incoming->heads[i].bytes));
}

bool Messenger::Implementation::fits(const Incoming& incoming, std::size_t i,
                                     std::size_t capacity) {
  return incoming.heads[i].bytes <= capacity;
}

std::string Messenger::Implementation::too_small(const Incoming& incoming, std::size_t i,
                                                 std::size_t capacity) const {
  return fmt::format("{}: an array of {} bytes came from rank {} for {}, into memory of {}", name_,
                     incoming.heads[i].bytes, incoming.source, entry_in_words(incoming.entry->name),
                     capacity);
}

// Brings array `i` into `memory`, or if that is empty, to a place where the entry can read it.
void Messenger::Implementation::receive_array(const std::shared_ptr<Incoming>& incoming,
                                              std::size_t i, std::span<std::byte> memory) {
  const ArrayHead& head = incoming->heads[i];
  ArrayIn& in = incoming->in[i];
  ArrivingArray& array = incoming->arrays[i];
  const bool to_memory = memory.data() != nullptr;
  if (head.path == DataPath::kernel_copy || head.path == DataPath::rendezvous) {
    if (!to_memory) {
      in.owned = pool_->allocate(in.bytes);
      memory = {in.owned.data(), in.bytes};
    }
    in.data = memory.data();
    if (head.path == DataPath::kernel_copy) {
      shm_->copy_from_rank(incoming->source, head.address, memory);
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

// Copies the part of the packet that the call needs, because the call must wait.
void Messenger::Implementation::keep_packet(Incoming& incoming, std::span<const std::byte> bytes) {
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

Sender Messenger::Implementation::sender_of(const Incoming& incoming) const {
  const bool broadcast = (incoming.head.flags & packet::broadcast) != 0;
  return {broadcast ? incoming.head.root : incoming.source, incoming.head.reference};
}

// Passes a broadcast on and runs the entry, once all arrays have arrived.
void Messenger::Implementation::run(const std::shared_ptr<Incoming>& incoming) {
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
    const ArrivingArray& array = incoming->arrays[i];
    if (!array.posted) continue;
    Completed completed{{incoming->in[i].data, incoming->in[i].bytes}, incoming->source, {}};
    if (array.taken) {
      *array.taken = incoming->in[i].take();
      completed.buffer = {array.taken->data(), array.taken->size()};
    }
    array.posted->complete(std::move(completed));
  }
  if (incoming->children == 0) end(*incoming);
}

void Messenger::Implementation::pass_on(const std::shared_ptr<Incoming>& incoming) {
  const std::vector<int> children =
      broadcast_children(node_of_, incoming->head.root, context_.rank());
  if (children.empty()) return;
  ArrayToSend to_send[most_arrays];
  for (std::size_t i = 0; i < incoming->in.size(); ++i) {
    ArrayOut array;
    array.mode = ArrayOut::Mode::lent;
    array.data = {incoming->in[i].data, incoming->in[i].bytes};
    array.keep = incoming;
    const bool reports_back = incoming->heads[i].requested != 0;
    Stage last = Stage::source;
    if ((incoming->heads[i].requested & packet::remote) != 0) last = Stage::remote;
    if ((incoming->heads[i].requested & packet::operation) != 0) last = Stage::operation;
    if (reports_back) {
      ++incoming->children;
      array.completions.add(Completion{last, [this, raw = incoming.get()](const Completed&) {
                                         if (--raw->children == 0 && raw->ran) end(*raw);
                                       }});
    }
    to_send[i] = prepare_array(std::move(array), incoming->head.entry, -1);
  }
  send_to_all(children, incoming->head, incoming->small, {to_send, incoming->in.size()});
}

// Reports to the sender that the call has ended, here and in the subtree.
void Messenger::Implementation::end(Incoming& incoming) {
  --open_incoming_;
  for (ArrivingArray& array : incoming.arrays) array.done |= packet::all_stages;
  report_to_sender(incoming);
}

void Messenger::Implementation::report_to_sender(Incoming& incoming) {
  for (std::size_t i = 0; i < incoming.arrays.size(); ++i) {
    ArrayHead& head = incoming.heads[i];
    ArrivingArray& array = incoming.arrays[i];
    const bool broadcast_under_way =
        (incoming.head.flags & packet::broadcast) != 0 && (array.done & packet::operation) == 0;
    if (head.operation == 0 || broadcast_under_way) continue;
    const std::uint32_t stages = array.done & head.requested;
    if (stages == 0) continue;
    head.requested &= ~stages;
    acknowledge(incoming.source, head.operation, stages);
  }
}

// Reports the error of a call that cannot run, to the sender and to local waits.
void Messenger::Implementation::fail(Incoming& incoming, const std::string& error) {
  --open_incoming_;
  incoming.failed = true;
  for (std::size_t i = 0; i < incoming.arrays.size(); ++i) {
    const ArrayHead& head = incoming.heads[i];
    if (head.operation == 0) continue;
    if (head.path == DataPath::rendezvous && incoming.arrays[i].done == 0) {
      routes_[static_cast<std::size_t>(incoming.source)]->refuse(incoming.source, head.operation);
    }
    acknowledge(incoming.source, head.operation, packet::failure, error);
  }
  throw Error(error);
}

// The posted memory is too small for the array. This is an error of the receive and of the sender,
// not of the wait in which this rank happens to be.
void Messenger::Implementation::refuse(Incoming& incoming, std::size_t i, const Future& receive,
                                       std::size_t capacity) {
  const std::string error = too_small(incoming, i, capacity);
  try {
    fail(incoming, error);
  } catch (const Error&) {
    receive.complete({{}, incoming.source, error});
  }
}

}  // namespace sterna::comm

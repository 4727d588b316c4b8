#include "sterna/comm/messenger.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <exception>

#include "comm/context/agreement.hpp"
#include "comm/context/mpi_error.hpp"
#include "comm/message/copy_limit.hpp"
#include "comm/message/messenger_implementation.hpp"
#include "sterna/comm/nearest_name.hpp"

namespace sterna::comm {

using detail::ArrayOut;

namespace {

#ifdef NDEBUG
constexpr bool check_by_default = false;
#else
constexpr bool check_by_default = true;
#endif

std::uint32_t hash(std::string_view text) {
  std::uint32_t value = 2166136261U;
  for (const char letter : text) {
    value = (value ^ static_cast<unsigned char>(letter)) * 16777619U;
  }
  return value;
}

}  // namespace

Messenger::Implementation::Implementation(const Context& context, const MessengerOptions& options)
    : context_(context),
      name_(options.name),
      check_(options.check.value_or(check_by_default)),
      kernel_copies_from_(options.kernel_copies_from),
      first_tag_(state().reserve_tags(3)) {
  announce_object(state(), "a messenger", name_);
  make_routes(options.transport);
  copy_below_in_node_ = options.copy_below.value_or(copy_limit(context, "shm"));
  copy_below_between_nodes_ =
      options.copy_below.value_or(network_ ? copy_limit(context, network_->name()) : 0);
  for (int rank = 0; rank < context.size(); ++rank) node_of_.push_back(context.node_of(rank));
  dead_.resize(node_of_.size());
  mailbox_ = add_entry(" mailbox", "mailbox", [](detail::CallIn&) {});
  entries_.at(mailbox_).hook = [](const detail::CallIn& call,
                                  std::span<detail::ByteReceiveBuffer> buffers) {
    buffers[0].posted = true;
    buffers[0].source = call.sender.rank;
    buffers[0].key = call.sender.reference;
  };
  setup_ = add_entry(" setup", "setup", [this](detail::CallIn& call) {
    const PostName name{call.sender.rank, call.sender.reference};
    setups_in_[name].emplace_back(reinterpret_cast<const char*>(call.arrays[0].data),
                                  call.arrays[0].bytes);
    drop_unwanted(name);
  });
}

Messenger::Implementation::~Implementation() {
  try {
    if (state().can_wait()) {
      finish();
      entries_.clear();
      report_leaks();
      return;
    }
  } catch (const std::exception&) {
    // A rank is gone, or an entry failed at the very end; the next operation that needs it reports
    // that.
  }
  // Other ranks may still write to this memory, or read memory that this rank gave away.
  for (auto& memory : kept_) state().keep_until_exit(std::move(memory));
  state().keep_until_exit(std::move(pool_));
  state().keep_until_exit(std::move(network_));
  state().keep_until_exit(std::move(shm_));
}

std::uint64_t Messenger::Implementation::add_entry(const std::string& name,
                                                   std::string_view signature,
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

void Messenger::Implementation::set_hook(std::uint64_t entry, detail::Hook hook) {
  entries_.at(entry).hook = std::move(hook);
}

void Messenger::Implementation::progress() {
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
  // Only the packets that have arrived by now are handled, because an entry that calls itself must
  // not block the others.
  for (std::size_t n = to_self_.size(); n > 0; --n) {
    const std::vector<std::byte> packet = take_first(to_self_);
    arrived(context_.rank(), packet);
  }
  while (!due_.empty()) {
    const auto [outgoing, stage] = take_first(due_);
    complete(*outgoing, stage);
  }
  while (!ready_.empty()) run(take_first(ready_));
}

void Messenger::Implementation::send_setup(int peer, std::uint64_t key, const std::string& setup) {
  const auto* const bytes = reinterpret_cast<const std::byte*>(setup.data());
  ArrayOut array{ArrayOut::Mode::copied, {bytes, setup.size()}, {}, nullptr, {}};
  call(peer, setup_, key, {}, {&array, 1});
}

void Messenger::Implementation::drop_setup(int peer, std::uint64_t key) {
  ++unwanted_setups_[{peer, key}];
  drop_unwanted({peer, key});
}

void Messenger::Implementation::drop_unwanted(const PostName& name) {
  const auto unwanted = unwanted_setups_.find(name);
  const auto here = setups_in_.find(name);
  if (unwanted == unwanted_setups_.end() || here == setups_in_.end()) return;
  here->second.pop_front();
  if (here->second.empty()) setups_in_.erase(here);
  if (--unwanted->second == 0) unwanted_setups_.erase(unwanted);
}

std::string Messenger::Implementation::wait_for_setup(int peer, std::uint64_t key) {
  const auto here = [&] { return setups_in_.find({peer, key}); };
  wait_until([&] { return here() != setups_in_.end(); }, "a setup message", peer);
  std::string text = take_first(here()->second);
  if (here()->second.empty()) setups_in_.erase(here());
  return text;
}

// Sums the packets sent and handled over the ranks, and whether any rank has open operations. If
// the sums are equal twice and no operation is open, no packet is under way.
void Messenger::Implementation::finish() {
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

std::string Messenger::Implementation::why_not(std::string_view transport) const {
  for (const Context::Transport& known : context_.transports()) {
    if (known.name == transport) return known.available ? "" : known.reason;
  }
  return "it is unknown here";
}

void Messenger::Implementation::make_routes(const std::string& wanted) {
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
    shm_ = std::make_shared<ShmRoute>(state(), first_tag_, name_);
    pool_ = std::make_shared<MessagePool>(shm_->directories(), shm_->own_place(), check_,
                                          shm_->memory());
  } else {
    pool_ = std::make_shared<MessagePool>(std::vector<PoolDirectory*>{}, 0, check_, nullptr);
  }
  if (wanted == "rdma" || (wanted == "auto" && (!in_nodes || context_.node_count() > 1) &&
                           context_.size() > 1 && why_not("rdma").empty())) {
    // The number is the same on all ranks, and differs from that of any other messenger of this
    // process.
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

std::byte* Messenger::Implementation::begin(int rank, std::size_t bytes) {
  Route* const route = routes_[static_cast<std::size_t>(rank)];
  return route != nullptr ? route->begin(rank, bytes) : to_self_.emplace_back(bytes).data();
}

void Messenger::Implementation::commit(int rank, packet::Word word) {
  ++packets_sent_;
  Route* const route = routes_[static_cast<std::size_t>(rank)];
  if (route != nullptr) {
    route->commit(rank, word);
  } else {
    std::memcpy(to_self_.back().data(), &word, sizeof word);
  }
}

bool Messenger::Implementation::idle() const {
  return operations_.open_count() == 0 && open_incoming_ == 0 && to_self_.empty() && due_.empty() &&
         ready_.empty() && replay_.empty() && unclaimed_.empty() && (!shm_ || shm_->idle()) &&
         (!network_ || network_->idle());
}

// Returns the ranks that this one depends on: those that owe it an answer, and those whose arrays
// it waits for.
std::vector<int> Messenger::Implementation::awaited_ranks() const {
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

void Messenger::Implementation::fail_operations(const std::string& error) {
  for (int rank = 0; rank < context_.size(); ++rank) {
    dead_[static_cast<std::size_t>(rank)] = death_of(state(), rank);
  }
  const bool somebody_died =
      std::ranges::any_of(dead_, [](const std::string& dead) { return !dead.empty(); });
  for (int rank = -1; rank < context_.size(); ++rank) {
    if (somebody_died && rank >= 0 && dead_[static_cast<std::size_t>(rank)].empty()) continue;
    for (const std::uint64_t name : operations_.with(rank)) {
      try {
        stages_done(name, packet::failure, error);
      } catch (const Error&) {
        // The wait that found the error throws it; all ranks have the same error.
      }
    }
  }
  for (auto& [name, queue] : posted_) {
    if (name.first < 0 || (somebody_died && dead_[static_cast<std::size_t>(name.first)].empty())) {
      continue;
    }
    for (const Posted& posted : std::exchange(queue, {})) {
      posted.future.complete({posted.memory, name.first, error});
    }
  }
  std::erase_if(posted_, [](const auto& each) { return each.second.empty(); });
}

void Messenger::Implementation::report_leaks() const {
  if (!check_ || pool_->outstanding() == 0) return;
  fmt::print(stderr, "{}: rank {}: {} buffers of its pool are still held somewhere at the end\n",
             name_, context_.rank(), pool_->outstanding());
}

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
  return implementation_->post(source, key, memory, nullptr);
}
Future Messenger::take_bytes(int source, std::uint64_t key, std::shared_ptr<BufferBytes> taken) {
  return implementation_->post(source, key, {}, std::move(taken));
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
void Messenger::send_setup(int peer, std::uint64_t key, const std::string& setup) {
  implementation_->send_setup(peer, key, setup);
}
std::string Messenger::wait_for_setup(int peer, std::uint64_t key) {
  return implementation_->wait_for_setup(peer, key);
}
void Messenger::drop_setup(int peer, std::uint64_t key) {
  implementation_->drop_setup(peer, key);
}
std::uint64_t Messenger::reserve_keys() {
  return implementation_->reserve_keys();
}
void Messenger::release_unused_memory() {
  implementation_->release_unused_memory();
}
std::shared_ptr<Messenger> Messenger::shared(const Context& context) {
  // A living messenger keeps its context, so no other context can have the same address.
  static std::map<const Context::Implementation*, std::weak_ptr<Messenger>> all;
  std::erase_if(all, [](const auto& each) { return each.second.expired(); });
  std::weak_ptr<Messenger>& known = all[&context.implementation()];
  std::shared_ptr<Messenger> messenger = known.lock();
  if (!messenger) {
    messenger = std::make_shared<Messenger>(context, MessengerOptions{.name = "shared messages"});
    known = messenger;
  }
  return messenger;
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

#include "comm/transport/ofi/worker.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "comm/transport/ofi/libfabric.hpp"
#include "comm/transport/ofi/memory.hpp"
#include "comm/transport/ofi/provider.hpp"
#include "comm/transport/ofi/transfer.hpp"
#include "sterna/comm/error.hpp"

namespace sterna::comm::ofi {
namespace {

constexpr std::size_t transfers_at_a_time = 256;
constexpr std::size_t completions_in_queue = 1024;

std::string_view name_of(Kind kind) {
  switch (kind) {
    case Kind::put:
    case Kind::word:
      return "libfabric put";
    case Kind::get:
      return "libfabric get";
    case Kind::add:
      return "libfabric fetch and add";
  }
  return "libfabric";
}

Transfer& of_context(void* context) {
  return *static_cast<Transfer*>(static_cast<fi_context2*>(context));
}

/// True if tests want a provider to be taken for the poorest: without order, and with registered
/// memory only.
bool is_strict() {
  const char* const strict = std::getenv("STERNA_OFI_STRICT");
  return strict != nullptr && std::string_view(strict) == "1";
}

/// Keeps the handlers that this process has for signals. The provider for shared memory sets
/// handlers of its own that remove its files, after which no checkpoint could be exchanged. Signals
/// that end this process at once keep the provider's.
class KeptHandlers {
 public:
  KeptHandlers() {
    for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], nullptr, &kept_[i]);
  }
  ~KeptHandlers() {
    for (std::size_t i = 0; i < signals.size(); ++i) {
      if (kept_[i].sa_handler != SIG_DFL) sigaction(signals[i], &kept_[i], nullptr);
    }
  }
  KeptHandlers(const KeptHandlers&) = delete;
  KeptHandlers& operator=(const KeptHandlers&) = delete;

 private:
  static constexpr std::array signals{SIGBUS, SIGSEGV, SIGTERM, SIGINT};
  std::array<struct sigaction, signals.size()> kept_{};
};

}  // namespace

Worker& Worker::instance() {
  static auto* const worker = new Worker;  // never freed
  return *worker;
}

void Worker::close_at_exit() {
  // The provider for shared memory removes its file with the endpoint. No other rank needs it any
  // more, since contexts end together.
  static fid_ep* endpoint = nullptr;
  endpoint = endpoint_;
  std::atexit([] { fi_close(&endpoint->fid); });
}

Worker::Worker() {
  info_ = choose_provider().release();
  provider_ = info_->fabric_attr->prov_name;
  try {
    const KeptHandlers kept;
    open();
  } catch (const Error& error) {
    throw Error(fmt::format("libfabric's provider {}: {}", provider_, error.what()));
  }
  const int mode = info_->domain_attr->mr_mode;
  needs_registered_ = (mode & FI_MR_LOCAL) != 0 || is_strict();
  by_offset_ = (mode & FI_MR_VIRT_ADDR) == 0;
  if ((info_->tx_attr->msg_order & info_->rx_attr->msg_order & FI_ORDER_WAW) != 0 && !is_strict()) {
    ordered_bytes_ = info_->ep_attr->max_order_waw_size;
  }
}

void Worker::open() {
  check_libfabric(Library::instance().fabric(info_->fabric_attr, &fabric_, nullptr),
                  "opening the fabric");
  check_libfabric(fi_domain(fabric_, info_, &domain_, nullptr), "opening the domain");
  check_libfabric(fi_endpoint(domain_, info_, &endpoint_, nullptr), "making an endpoint");
  close_at_exit();
  fi_cq_attr queue{};
  queue.size = completions_in_queue;
  queue.format = FI_CQ_FORMAT_CONTEXT;
  check_libfabric(fi_cq_open(domain_, &queue, &queue_, nullptr), "making a completion queue");
  most_posted_ = completions_in_queue;
  fi_av_attr addresses{};
  addresses.type = info_->domain_attr->av_type;
  check_libfabric(fi_av_open(domain_, &addresses, &addresses_, nullptr), "making address tables");
  check_libfabric(fi_ep_bind(endpoint_, &queue_->fid, FI_TRANSMIT | FI_RECV), "binding the queue");
  check_libfabric(fi_ep_bind(endpoint_, &addresses_->fid, 0), "binding the addresses");
  check_libfabric(fi_enable(endpoint_), "enabling the endpoint");

  std::size_t many = 0;
  if (fi_fetch_atomicvalid(endpoint_, FI_UINT64, FI_SUM, &many) != 0 || many == 0) {
    throw Error("it has no atomic addition of 64-bit words");
  }
  stores_words_ = fi_atomicvalid(endpoint_, FI_UINT64, FI_ATOMIC_WRITE, &many) == 0 && many > 0;

  std::array<char, 1024> name{};
  std::size_t bytes = name.size();
  check_libfabric(fi_getname(&endpoint_->fid, name.data(), &bytes), "asking for the address");
  address_ = provider_ + '\0' + std::string(name.data(), bytes);
}

Peer& Worker::peer(const std::string& address) {
  std::unique_ptr<Peer>& peer = peers_[address];
  if (peer != nullptr) return *peer;
  const std::size_t end = address.find('\0');
  const std::string_view theirs = std::string_view(address).substr(0, end);
  if (theirs != provider_) {
    throw Error(fmt::format(
        "a peer uses libfabric's provider {}, this rank {}; FI_PROVIDER names one for all", theirs,
        provider_));
  }
  auto made = std::make_unique<Peer>();
  const int added =
      fi_av_insert(addresses_, address.data() + end + 1, 1, &made->address, 0, nullptr);
  check_libfabric(added, "connecting to a peer by libfabric");
  if (added != 1) throw Error("connecting to a peer by libfabric: its address is refused");
  peer = std::move(made);
  return *peer;
}

fid_mr* Worker::register_memory(std::byte* memory, std::size_t bytes) {
  const std::uint64_t access = FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE;
  fid_mr* region = nullptr;
  // Where the provider chooses keys itself (FI_MR_PROV_KEY), it ignores this one.
  check_libfabric(fi_mr_reg(domain_, memory, bytes, access, 0, next_key_++, 0, &region, nullptr),
                  "registering memory with libfabric");
  if ((info_->domain_attr->mr_mode & FI_MR_ENDPOINT) != 0) {
    check_libfabric(fi_mr_bind(region, &endpoint_->fid, 0), "binding memory to the endpoint");
    check_libfabric(fi_mr_enable(region), "enabling memory");
  }
  return region;
}

std::uint64_t Worker::remote_address(const std::byte* memory) const {
  return by_offset_ ? 0 : reinterpret_cast<std::uint64_t>(memory);
}

void Worker::make_transfers() {
  auto* const transfers = new Transfer[transfers_at_a_time];
  void* descriptor = nullptr;
  if (needs_registered_) {
    descriptor = fi_mr_desc(register_memory(reinterpret_cast<std::byte*>(transfers),
                                            transfers_at_a_time * sizeof(Transfer)));
  }
  for (std::size_t i = 0; i < transfers_at_a_time; ++i) {
    transfers[i].own_descriptor = descriptor;
    free_.push_back(&transfers[i]);
  }
}

Transfer& Worker::new_transfer(Peer& peer, const std::shared_ptr<UnderWay>& owner) {
  if (free_.empty()) make_transfers();
  Transfer& transfer = *free_.back();
  free_.pop_back();
  transfer.peer = &peer;
  transfer.owner = owner;
  transfer.fences_before = fences_;
  transfer.descriptor = nullptr;
  ++owner->count;
  return transfer;
}

/// Gives a transfer registered memory in the place of the caller's.
void Worker::copy_local(Transfer& transfer) {
  const auto fits = [&](const auto& copy) { return copy->bytes.size() >= transfer.bytes; };
  const auto found = std::ranges::find_if(copies_, fits);
  if (found != copies_.end()) {
    transfer.copy = std::move(*found);
    copies_.erase(found);
  } else {
    transfer.copy = std::make_unique<Copy>();
    transfer.copy->bytes.resize(transfer.bytes);
    transfer.copy->region = register_memory(transfer.copy->bytes.data(), transfer.bytes);
  }
  transfer.descriptor = fi_mr_desc(transfer.copy->region);
  if (transfer.kind == Kind::put) {
    std::memcpy(transfer.copy->bytes.data(), transfer.local, transfer.bytes);
  }
}

void Worker::put(Peer& peer, const std::shared_ptr<UnderWay>& owner, std::uint64_t remote,
                 std::uint64_t key, const std::byte* source, std::size_t bytes,
                 const Memory* registered) {
  // A stream may deliver half of a word before the other half, so notices are atomic stores.
  const std::size_t most = info_->ep_attr->max_msg_size;
  while (bytes > 0) {
    Transfer& transfer = new_transfer(peer, owner);
    transfer.bytes = std::min(bytes, most);
    transfer.remote = remote;
    transfer.key = key;
    if (bytes == sizeof transfer.word && remote % sizeof transfer.word == 0 && stores_words_) {
      transfer.kind = Kind::word;
      std::memcpy(&transfer.word, source, sizeof transfer.word);
    } else {
      transfer.kind = Kind::put;
      transfer.local = const_cast<std::byte*>(source);  // libfabric only reads it
      if (registered != nullptr) {
        transfer.descriptor = fi_mr_desc(registered->get());
      } else if (needs_registered_) {
        copy_local(transfer);
      }
    }
    source += transfer.bytes;
    remote += transfer.bytes;
    bytes -= transfer.bytes;
    begin(transfer);
  }
}

void Worker::get(Peer& peer, const std::shared_ptr<UnderWay>& owner, std::uint64_t remote,
                 std::uint64_t key, std::byte* target, std::size_t bytes) {
  const std::size_t most = info_->ep_attr->max_msg_size;
  while (bytes > 0) {
    Transfer& transfer = new_transfer(peer, owner);
    transfer.kind = Kind::get;
    transfer.bytes = std::min(bytes, most);
    transfer.remote = remote;
    transfer.key = key;
    transfer.local = target;
    if (needs_registered_) copy_local(transfer);
    target += transfer.bytes;
    remote += transfer.bytes;
    bytes -= transfer.bytes;
    begin(transfer);
  }
}

void Worker::fetch_add(Peer& peer, const std::shared_ptr<UnderWay>& owner, std::uint64_t remote,
                       std::uint64_t key, std::uint64_t value, std::uint64_t& before) {
  Transfer& transfer = new_transfer(peer, owner);
  transfer.kind = Kind::add;
  transfer.bytes = sizeof value;
  transfer.remote = remote;
  transfer.key = key;
  transfer.word = value;
  transfer.result = &before;
  begin(transfer);
}

void Worker::begin(Transfer& transfer) {
  Peer& peer = *transfer.peer;
  if (peer.waiting.empty() && post(transfer)) return;
  if (peer.waiting.empty()) peers_with_waiting_.push_back(&peer);
  peer.waiting.push_back(&transfer);
}

bool Worker::may_leave(const Transfer& transfer) const {
  const Peer& peer = *transfer.peer;
  if (posted_ >= most_posted_) return false;
  if (peer.posted == 0 || peer.fences_before == transfer.fences_before) return true;
  const bool writes = transfer.kind == Kind::put || transfer.kind == Kind::word;
  return writes && peer.only_writes_posted &&
         std::max(peer.largest_posted, transfer.bytes) <= ordered_bytes_;
}

bool Worker::post(Transfer& transfer) {
  if (!may_leave(transfer)) return false;
  const long status = hand_over(transfer);
  if (status == -FI_EAGAIN) return false;
  Peer& peer = *transfer.peer;
  if (peer.posted == 0) {
    peer.largest_posted = 0;
    peer.only_writes_posted = true;
  }
  ++peer.posted;
  ++posted_;
  peer.fences_before = transfer.fences_before;
  peer.largest_posted = std::max(peer.largest_posted, transfer.bytes);
  if (transfer.kind == Kind::get || transfer.kind == Kind::add) peer.only_writes_posted = false;
  if (status < 0) {
    fail(transfer, Library::instance().strerror(static_cast<int>(-status)));
  }
  return true;
}

/// Returns libfabric's answer.
long Worker::hand_over(Transfer& transfer) {
  std::byte* const local = transfer.copy ? transfer.copy->bytes.data() : transfer.local;
  if (transfer.kind == Kind::put || transfer.kind == Kind::get) {
    const iovec here{local, transfer.bytes};
    const fi_rma_iov there{transfer.remote, transfer.bytes, transfer.key};
    fi_msg_rma message{};
    message.msg_iov = &here;
    message.desc = &transfer.descriptor;
    message.iov_count = 1;
    message.addr = transfer.peer->address;
    message.rma_iov = &there;
    message.rma_iov_count = 1;
    message.context = static_cast<fi_context2*>(&transfer);
    if (transfer.kind == Kind::get) return fi_readmsg(endpoint_, &message, FI_COMPLETION);
    return fi_writemsg(endpoint_, &message, FI_COMPLETION | FI_DELIVERY_COMPLETE);
  }
  const fi_ioc here{&transfer.word, 1};
  const fi_rma_ioc there{transfer.remote, 1, transfer.key};
  fi_msg_atomic message{};
  message.msg_iov = &here;
  message.desc = &transfer.own_descriptor;
  message.iov_count = 1;
  message.addr = transfer.peer->address;
  message.rma_iov = &there;
  message.rma_iov_count = 1;
  message.datatype = FI_UINT64;
  message.context = static_cast<fi_context2*>(&transfer);
  if (transfer.kind == Kind::word) {
    message.op = FI_ATOMIC_WRITE;
    return fi_atomicmsg(endpoint_, &message, FI_COMPLETION | FI_DELIVERY_COMPLETE);
  }
  message.op = FI_SUM;
  fi_ioc result{&transfer.before, 1};
  return fi_fetch_atomicmsg(endpoint_, &message, &result, &transfer.own_descriptor, 1,
                            FI_COMPLETION);
}

void Worker::post_waiting(Peer& peer) {
  while (!peer.waiting.empty() && post(*peer.waiting.front())) peer.waiting.pop_front();
}

void Worker::complete(Transfer& transfer) {
  if (transfer.kind == Kind::add) *transfer.result = transfer.before;
  if (transfer.copy) {
    if (transfer.kind == Kind::get) {
      std::memcpy(transfer.local, transfer.copy->bytes.data(), transfer.bytes);
    }
    copies_.push_back(std::move(transfer.copy));
  }
  --transfer.owner->count;
  --transfer.peer->posted;
  --posted_;
  transfer.owner.reset();
  free_.push_back(&transfer);
}

void Worker::fail(Transfer& transfer, std::string_view reason) {
  if (transfer.owner->error.empty()) {
    transfer.owner->error = fmt::format("{}: {}", name_of(transfer.kind), reason);
  }
  complete(transfer);
}

void Worker::take_error() {
  fi_cq_err_entry entry{};
  const long taken = fi_cq_readerr(queue_, &entry, 0);
  if (taken == -FI_EAGAIN) return;
  check_libfabric(taken, "reading an error of libfabric");
  std::array<char, 256> text{};
  const char* const detail =
      fi_cq_strerror(queue_, entry.prov_errno, entry.err_data, text.data(), text.size());
  const std::string error =
      fmt::format("{} (provider {}: {})", Library::instance().strerror(entry.err), provider_,
                  detail == nullptr ? "no detail" : detail);
  if (entry.op_context == nullptr) throw Error("libfabric: " + error);
  fail(of_context(entry.op_context), error);
}

void Worker::progress() {
  std::array<fi_cq_entry, 16> done{};
  for (;;) {
    const long count = fi_cq_read(queue_, done.data(), done.size());
    if (count == -FI_EAVAIL) {
      take_error();
      continue;
    }
    if (count != -FI_EAGAIN) check_libfabric(count, "reading completions of libfabric");
    if (count <= 0) break;
    for (long i = 0; i < count; ++i) {
      complete(of_context(done[static_cast<std::size_t>(i)].op_context));
    }
  }
  if (peers_with_waiting_.empty()) return;
  for (Peer* const peer : peers_with_waiting_) post_waiting(*peer);
  std::erase_if(peers_with_waiting_, [](const Peer* peer) { return peer->waiting.empty(); });
}

}  // namespace sterna::comm::ofi

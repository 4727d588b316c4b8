#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "comm/context/progress.hpp"

// Types of libfabric.
struct fi_info;
struct fid_av;
struct fid_cq;
struct fid_domain;
struct fid_ep;
struct fid_fabric;
struct fid_mr;

namespace sterna::comm::ofi {

class Memory;
struct Copy;
struct Peer;
struct Transfer;
struct UnderWay;

/// libfabric in this process: one endpoint and one completion queue, used by one thread and made on
/// first use. They live until the process ends, because peers may need their help until then: the
/// providers for shared memory and TCP move data only while both sides read their queues, which all
/// waits of this library do (ProgressHelper).
///
/// Completion: each transfer asks for FI_DELIVERY_COMPLETE, so the data of a complete one are in
/// the target's memory. A provider without it is not chosen.
///
/// Order: a transfer that is begun after a fence must arrive after those before it. libfabric
/// promises that of puts to a target if the provider has FI_ORDER_WAW and the puts are not longer
/// than its max_order_waw_size. FI_ORDER_RMA_WAW does not suffice, because notices are atomic
/// stores. Without the promise the worker keeps the transfer back until all earlier ones to that
/// target are complete. So a fence never waits, but a notice may leave in a later wait of this rank.
class Worker final : ProgressHelper {
 public:
  /// Throws Error if libfabric does not work here, or is not in this build.
  static Worker& instance();

  /// The address of this endpoint, with the provider's name, which others need to connect; to be
  /// sent as bytes.
  const std::string& address() const { return address_; }
  /// Returns the process at `address`, connected on first use.
  Peer& peer(const std::string& address);

  /// Registers memory for others and for transfers of this process.
  fid_mr* register_memory(std::byte* memory, std::size_t bytes);
  /// The address of `memory`, which is the begin of a registered region, for other processes.
  std::uint64_t remote_address(const std::byte* memory) const;

  /// Begins transfers, counted in `owner` until they are complete. Sources must not change and
  /// targets must exist until then. `registered` is the memory that `source` is in, if that is
  /// known.
  void put(Peer& peer, const std::shared_ptr<UnderWay>& owner, std::uint64_t remote,
           std::uint64_t key, const std::byte* source, std::size_t bytes, const Memory* registered);
  void get(Peer& peer, const std::shared_ptr<UnderWay>& owner, std::uint64_t remote,
           std::uint64_t key, std::byte* target, std::size_t bytes);
  void fetch_add(Peer& peer, const std::shared_ptr<UnderWay>& owner, std::uint64_t remote,
                 std::uint64_t key, std::uint64_t value, std::uint64_t& before);

  void progress();
  /// Orders puts: later puts to a target arrive after earlier ones.
  void fence() { ++fences_; }

 private:
  Worker();
  void help() override { progress(); }

  void open();
  void close_at_exit();
  void make_transfers();
  Transfer& new_transfer(Peer& peer, const std::shared_ptr<UnderWay>& owner);
  void begin(Transfer& transfer);
  bool may_leave(const Transfer& transfer) const;
  bool post(Transfer& transfer);
  long hand_over(Transfer& transfer);
  void post_waiting(Peer& peer);
  void complete(Transfer& transfer);
  void fail(Transfer& transfer, std::string_view reason);
  void take_error();
  void copy_local(Transfer& transfer);

  fi_info* info_ = nullptr;
  fid_fabric* fabric_ = nullptr;
  fid_domain* domain_ = nullptr;
  fid_cq* queue_ = nullptr;
  fid_av* addresses_ = nullptr;
  fid_ep* endpoint_ = nullptr;
  std::string provider_;
  std::string address_;
  bool stores_words_ = false;      ///< true if a word can be stored atomically
  bool needs_registered_ = false;  ///< true if libfabric reads registered memory only
  bool by_offset_ = false;         ///< true if remote addresses are offsets
  std::size_t ordered_bytes_ = 0;  ///< the longest puts that arrive in order; 0: none do
  std::size_t most_posted_ = 0;    ///< the number of completions that the queue can take
  std::size_t posted_ = 0;         ///< the number of transfers that libfabric has
  std::uint64_t fences_ = 0;
  std::uint64_t next_key_ = 1;
  std::map<std::string, std::unique_ptr<Peer>> peers_;
  std::vector<Peer*> peers_with_waiting_;
  std::vector<Transfer*> free_;                ///< never freed, as is all of the worker
  std::vector<std::unique_ptr<Copy>> copies_;  ///< registered memory that is free
};

}  // namespace sterna::comm::ofi

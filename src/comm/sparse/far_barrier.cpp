#include "comm/sparse/far_barrier.hpp"

#include "sterna/comm/error.hpp"

#ifdef STERNA_HAVE_UCX

#include <algorithm>
#include <atomic>
#include <cstring>
#include <span>
#include <string>

#include "comm/context/agreement.hpp"
#include "comm/context/handshake.hpp"
#include "comm/transport/rdma/memory.hpp"
#include "comm/transport/rdma/peer.hpp"
#include "comm/transport/rdma/worker.hpp"

namespace sterna::comm {

namespace {

// A word is twice the round, plus 1 if an overflow is known. Even and odd rounds have words of
// their own: a rank that writes in round r+2 has left round r+1, so this rank has entered it and
// has read all words of round r. Within a round each word has one writer.
class UcxBarrier final : public FarBarrier {
 public:
  UcxBarrier(const SparseSetting& setting, const std::vector<int>& ranks) {
    const auto size = static_cast<int>(ranks.size());
    const auto here = std::ranges::find(ranks, setting.context.rank());
    const bool member = here != ranks.end();
    const auto index = static_cast<int>(here - ranks.begin());
    std::vector<int> partners;
    for (int distance = 1; member && distance < size; distance *= 2) {
      late_ranks_.push_back(ranks[(index - distance + size) % size]);
      partners.push_back(ranks[(index + distance) % size]);
      partners.push_back(late_ranks_.back());
    }
    const std::vector<int> to = partners;
    std::ranges::sort(partners);
    const auto repeated = std::ranges::unique(partners);
    partners.erase(repeated.begin(), repeated.end());
    connect(setting, partners);
    for (std::size_t step = 0; step < late_ranks_.size(); ++step) {
      targets_.push_back(static_cast<std::size_t>(std::ranges::lower_bound(partners, to[2 * step]) -
                                                  partners.begin()));
    }
  }

  void enter(std::uint64_t round, bool overflow) override {
    round_ = round;
    overflow_ = overflow;
    step_ = 0;
    put_ = false;
  }

  bool test() override {
    for (; step_ < targets_.size(); ++step_) {
      rdma::Peer& target = peers_[targets_[step_]];
      const std::size_t offset = place(step_);
      if (!put_) {
        if (!target.sent()) return false;  // the word of two rounds ago may still be read
        const std::uint64_t word = 2 * round_ + (overflow_ ? 1 : 0);
        std::memcpy(outgoing_->data() + offset, &word, sizeof word);
        target.put(offset, outgoing_->data() + offset, sizeof word, outgoing_.get());
        put_ = true;
      }
      const std::uint64_t word =
          std::atomic_ref(*reinterpret_cast<std::uint64_t*>(incoming_->data() + offset))
              .load(std::memory_order_acquire);
      if (word < 2 * round_) return false;
      overflow_ = overflow_ || word % 2 != 0;
      put_ = false;
    }
    return true;
  }

  bool overflowed() const override { return overflow_; }
  bool idle() override {
    return std::ranges::all_of(peers_, [](rdma::Peer& peer) { return peer.sent(); });
  }
  int late_rank() const override { return late_ranks_[std::min(step_, late_ranks_.size() - 1)]; }

 private:
  static constexpr std::size_t line = 128;

  std::size_t place(std::size_t step) const { return (2 * step + round_ % 2) * line; }

  void connect(const SparseSetting& setting, const std::vector<int>& partners) {
    Context::Implementation& context = setting.context.implementation();
    rdma::Worker& worker = rdma::Worker::instance();
    std::string fault;
    const auto throw_on_all = [&] {
      const std::string agreed = agree_on_reason(context, fault, setting.exchange);
      if (!agreed.empty()) throw Error(setting.exchange + ": " + agreed);
    };
    std::string letter;
    try {
      incoming_ = std::make_unique<rdma::Memory>(2 * late_ranks_.size() * line);
      outgoing_ = std::make_unique<rdma::Memory>(2 * late_ranks_.size() * line);
      const std::uint64_t length = worker.address().size();
      letter.assign(reinterpret_cast<const char*>(&length), sizeof length);
      letter += worker.address() + incoming_->handle();
    } catch (const Error& error) {
      fault = error.what();
    }
    throw_on_all();
    const auto letters =
        exchange_letters(context, setting.exchange, context.reserve_tags(1), partners,
                         std::vector<std::string>(partners.size(), letter));
    try {
      for (const std::string& text : letters) {
        std::uint64_t length = 0;
        std::memcpy(&length, text.data(), sizeof length);
        peers_.emplace_back(text.substr(sizeof length, length),
                            text.substr(sizeof length + length));
      }
    } catch (const Error& error) {
      fault = error.what();
    }
    throw_on_all();
  }

  std::unique_ptr<rdma::Memory> incoming_, outgoing_;
  std::vector<rdma::Peer> peers_;
  std::vector<std::size_t> targets_;  ///< by step: index of the peer that gets the word
  std::vector<int> late_ranks_;       ///< by step: rank that the word comes from
  std::uint64_t round_ = 0;
  bool overflow_ = false;
  bool put_ = false;  ///< the word of this step
  std::size_t step_ = 0;
};

}  // namespace

std::unique_ptr<FarBarrier> make_far_barrier(const SparseSetting& setting,
                                             const std::vector<int>& ranks) {
  auto barrier = std::make_unique<UcxBarrier>(setting, ranks);
  if (!std::ranges::binary_search(ranks, setting.context.rank())) return nullptr;
  return barrier;
}

}  // namespace sterna::comm

#else

namespace sterna::comm {

std::unique_ptr<FarBarrier> make_far_barrier(const SparseSetting& setting,
                                             const std::vector<int>&) {
  throw Error(setting.exchange + ": built without UCX");
}

}  // namespace sterna::comm

#endif

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "comm/neighbor/put_method.hpp"

namespace sterna::comm {

/// The method of rdma_double_buffer.cpp, for the transports of a network.
template <class Transport>
class PutWithNotice final : public PutMethod<Transport> {
 public:
  explicit PutWithNotice(const NeighborSetting& setting) : PutMethod<Transport>(setting) {
    setting_.context.rdma_in_use = true;
  }

  /// Waits until no transfer is under way to or from this rank. The notice of a round is the last
  /// word that a peer writes in it.
  void end() override {
    if (put_buffers_ == nullptr) return;
    for (std::size_t i = 0; i < links_.size(); ++i) {
      auto& peer = put_buffers_->peer(i);
      peer.flush();
      this->await([&] { return put_buffers_->noticed(i, round_) && peer.arrived(); }, round_,
                  {links_[i].rank});
    }
  }

  void prepare(std::vector<Link> links, std::uint64_t round) override {
    end();
    round_ = round;
    this->make_buffers(std::move(links), round);
    all_mapped_ = put_buffers_->all_mapped();
  }

  void commit(std::size_t link, std::size_t count, std::uint64_t round) override {
    committed_[link] = {count, true};
    if (this->has_credit(link, round)) this->put_committed(link, round);
  }

  void start(std::uint64_t round) override {
    round_ = round;
    this->put_all_committed(round);
    if (!all_mapped_) Transport::fence();
    put_buffers_->set_notice(round);
    for (std::size_t i = 0; i < links_.size(); ++i) put_buffers_->put_notice(i);
  }

  std::size_t take_arrived(std::span<std::size_t> missing, std::uint64_t round) override {
    const auto arrived = [&](std::size_t link) { return put_buffers_->noticed(link, round); };
    const std::size_t here = this->bring_forward(missing, arrived);
    if (here > 0 || all_mapped_) return here;
    progress();
    return this->bring_forward(missing, arrived);
  }

  void finish(std::uint64_t round) override {
    for (std::size_t i = 0; i < links_.size(); ++i) {
      auto& peer = put_buffers_->peer(i);
      if (!peer.sent()) this->await([&] { return peer.sent(); }, round, {links_[i].rank});
    }
  }

  Watched watched() const override { return Watched::memory; }

 private:
  using PutMethod<Transport>::committed_;
  using PutMethod<Transport>::links_;
  using PutMethod<Transport>::put_buffers_;
  using PutMethod<Transport>::setting_;

  /// Stores need no help, but a wait advances the network for other ranks now and then.
  void progress() override {
    if (!all_mapped_) Transport::progress();
  }

  std::uint64_t round_ = 0;
  bool all_mapped_ = false;
};

/// Its costs.
inline CostTerms cost_of_put_with_notice(const PatternShape& shape) {
  return {.puts = 2.0 * shape.peers, .kilobytes = shape.bytes / 1e3};
}

}  // namespace sterna::comm

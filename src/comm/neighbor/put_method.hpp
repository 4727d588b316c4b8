#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "comm/context/agreement.hpp"
#include "comm/neighbor/committed.hpp"
#include "comm/neighbor/put_buffers.hpp"
#include "comm/neighbor/table.hpp"

namespace sterna::comm {

/// What methods share that put the items of each link into the memory of its peer: two buffers in
/// turn, and committed items that leave later.
template <class Transport>
class PutMethod : public NeighborMethod {
 public:
  explicit PutMethod(const NeighborSetting& setting) : NeighborMethod(setting) {}

  void keep_until_exit() override { setting_.context.keep_until_exit(put_buffers_); }

  MemoryNeed memory_for(std::span<const Link> links) const override {
    return PutBuffers<Transport>::memory_for(links, setting_.item_size);
  }

 protected:
  /// The first part of `prepare` where `end` blocks in MPI: the deadline of this reduction can be
  /// caught, and that of `end` cannot.
  void end_after_agreement() {
    if (put_buffers_ == nullptr) return;
    largest(setting_.context, 0, setting_.exchange_name);
    end();
  }

  /// The last part of `prepare`.
  void make_buffers(std::vector<Link> links, std::uint64_t round, Transport transport = {}) {
    links_ = std::move(links);
    put_buffers_ =
        std::make_shared<PutBuffers<Transport>>(setting_, links_, round, std::move(transport));
    link_buffers_ = put_buffers_->link_buffers();
    committed_.assign(links_.size(), {});
  }

  /// Puts what was committed for a link and has waited.
  void put_committed(std::size_t link, std::uint64_t round) {
    put_buffers_->put(link, committed_[link].take(), round);
  }

  /// Whether the peer's notice tells that it has given up the inbox that this round overwrites.
  bool has_credit(std::size_t link, std::uint64_t round) const {
    return put_buffers_->noticed(link, round - 1);
  }

  /// Puts what has waited, each link when it has credit.
  void put_all_committed(std::uint64_t round) {
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if (!committed_[i].waiting) continue;
      await([&] { return has_credit(i, round); }, round, {links_[i].rank});
      put_committed(i, round);
    }
  }

  std::shared_ptr<PutBuffers<Transport>> put_buffers_;
  std::vector<Committed> committed_;
};

}  // namespace sterna::comm

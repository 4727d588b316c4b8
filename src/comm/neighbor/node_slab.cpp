#include "comm/neighbor/node_slab.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "comm/context/agreement.hpp"
#include "comm/onesided/notice.hpp"
#include "comm/transport/two_sided/handshake.hpp"
#include "sterna/comm/item_bytes.hpp"

namespace sterna::comm {
namespace {

void sort_unique(std::vector<int>& ranks) {
  std::ranges::sort(ranks);
  ranks.erase(std::ranges::unique(ranks).begin(), ranks.end());
}

/// Returns the rank to whose memory a node puts: the receivers are dealt to the nodes, so that
/// not one of them helps all transfers. Without items, notices go to one of `others`.
int receiver_of(const JoinedMessage& message, std::span<const int> others, int source_node) {
  std::vector<int> ranks;
  for (const JoinedMessage::Slice& slice : message.slices) ranks.push_back(slice.to);
  sort_unique(ranks);
  if (ranks.empty()) ranks.assign(others.begin(), others.end());
  return ranks[static_cast<std::size_t>(source_node) % ranks.size()];
}

std::string as_bytes(std::span<const NodeLink> links) {
  return {reinterpret_cast<const char*>(links.data()), links.size_bytes()};
}

std::vector<NodeLink> links_in(const std::string& bytes) {
  std::vector<NodeLink> links(bytes.size() / sizeof(NodeLink));
  std::memcpy(links.data(), bytes.data(), bytes.size());
  return links;
}

}  // namespace

void JoinedMessage::set_sizes(std::size_t item_size) {
  std::ranges::sort(slices, {},
                    [](const Slice& slice) { return std::tuple(slice.from, slice.to); });
  body = padded_bytes(slices.size() * sizeof(SliceEntry), 64);
  bytes = body;
  for (const Slice& slice : slices) {
    bytes =
        sum_of_bytes(bytes, padded_bytes(item_bytes(slice.items, item_size), alignment(item_size)));
  }
}

std::size_t JoinedMessage::index_of(int from, int to) const {
  const auto key = [](const Slice& slice) { return std::tuple(slice.from, slice.to); };
  return static_cast<std::size_t>(std::ranges::lower_bound(slices, std::tuple(from, to), {}, key) -
                                  slices.begin());
}

NodeSlabLayout lay_out_node_slab(int node, std::span<const NodeLink> links,
                                 std::span<const int> node_of, std::size_t item_size) {
  std::map<int, NodePair> pairs;
  for (const auto& [rank, link] : links) {
    NodePair& pair = pairs[node_of[static_cast<std::size_t>(link.rank)]];
    pair.here.push_back(rank);
    pair.there.push_back(link.rank);
    if (link.send_items > 0) pair.out.slices.push_back({rank, link.rank, link.send_items});
    if (link.receive_items > 0) pair.in.slices.push_back({link.rank, rank, link.receive_items});
  }
  NodeSlabLayout layout;
  const auto take = [&](std::size_t bytes) {
    const std::size_t offset = layout.bytes;
    layout.bytes = sum_of_bytes(layout.bytes, padded_bytes(bytes, notice_stride));
    return offset;
  };
  for (auto& [other, pair] : pairs) {
    pair.node = other;
    sort_unique(pair.here);
    sort_unique(pair.there);
    pair.out.set_sizes(item_size);
    pair.in.set_sizes(item_size);
    pair.target = receiver_of(pair.out, pair.there, node);
    pair.receiver = receiver_of(pair.in, pair.here, other);
    pair.notice = take(sizeof(std::uint64_t));
    pair.relayed = take(sizeof(std::uint64_t));
    for (const std::size_t parity : {0U, 1U}) {
      for (auto* const offsets : {&pair.arrivals, &pair.reserved, &pair.words}) {
        (*offsets)[parity] = take(sizeof(std::uint64_t));
      }
      pair.send[parity] = take(pair.out.bytes);
      pair.receive[parity] = take(pair.in.bytes);
    }
    layout.pairs.push_back(std::move(pair));
  }
  return layout;
}

std::size_t NodeSlab::bytes_for(std::span<const Link> links, std::size_t item_size) {
  std::size_t bytes = notice_stride;
  for (const Link& link : links) {
    // The words of its pair, and what alignment may add to each message.
    bytes = sum_of_bytes(bytes, 16 * notice_stride);
    for (const std::size_t items : {link.send_items, link.receive_items}) {
      bytes = sum_of_bytes(
          bytes, item_bytes(2, sum_of_bytes(item_bytes(items, item_size), notice_stride)));
    }
  }
  return bytes;
}

NodeSlab::NodeSlab(const NeighborSetting& setting, std::span<const Link> links, std::uint64_t round)
    : ranks_(setting.context.ranks_on_node) {
  Context::Implementation& context = setting.context;
  std::vector<NodeLink> all;
  for (const Link& link : links) all.push_back({context.rank, link});
  // The lowest rank of the node collects the links, and tells all links and its memory to the
  // others.
  const bool is_first = ranks_.front() == context.rank;
  std::vector<int> partners{ranks_.front()};
  if (is_first) partners.assign(ranks_.begin() + 1, ranks_.end());
  const auto tell = [&](const std::string& text) {
    return handshake(context, setting.exchange_name, setting.control_tag, partners,
                     std::vector<std::string>(partners.size(), text));
  };
  const std::vector<std::string> collected = tell(is_first ? std::string() : as_bytes(all));
  const auto lay_out = [&] {
    const auto node = context.node_of[static_cast<std::size_t>(context.rank)];
    layout_ = lay_out_node_slab(node, all, context.node_of, setting.item_size);
    if (layout_.pairs.empty()) return;
    started_at_ = layout_.bytes;
    layout_.bytes = sum_of_bytes(layout_.bytes, ranks_.size() * notice_stride);
  };
  on_all_ranks(context, setting.exchange_name, [&] {
    if (!is_first) return;
    for (const std::string& bytes : collected) {
      const std::vector<NodeLink> theirs = links_in(bytes);
      all.insert(all.end(), theirs.begin(), theirs.end());
    }
    lay_out();
    if (layout_.pairs.empty()) return;
    own_ = std::make_unique<shm::Memory>(layout_.bytes);
    data_ = own_->data();
    for (const NodePair& pair : layout_.pairs) {
      for (const std::size_t offset : {pair.notice, pair.relayed}) {
        word(offset).store(round, std::memory_order_relaxed);
      }
    }
    for (const int rank : ranks_) started(rank).store(round, std::memory_order_relaxed);
  });
  shm::Handle handle;
  if (own_) handle = own_->handle();
  const std::string memory(reinterpret_cast<const char*>(&handle), sizeof handle);
  const std::vector<std::string> told = tell(is_first ? memory + as_bytes(all) : std::string());
  on_all_ranks(context, setting.exchange_name, [&] {
    if (is_first) return;
    std::memcpy(&handle, told.front().data(), sizeof handle);
    all = links_in(told.front().substr(sizeof handle));
    lay_out();
    if (layout_.pairs.empty()) return;
    mapped_ = std::make_unique<shm::RemoteMemory>(handle);
    data_ = mapped_->mapped();
  });
}

std::atomic_ref<std::uint64_t> NodeSlab::started(int rank) const {
  const auto index = std::ranges::lower_bound(ranks_, rank) - ranks_.begin();
  return word(started_at_ + static_cast<std::size_t>(index) * notice_stride);
}

}  // namespace sterna::comm

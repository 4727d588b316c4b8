// Idea: a sparse exchange brings the counts; messages whose memory changes its owner bring the
// rows.
// Paper: the seed's metadata first, data without copies (Bhat and Harsh, Charm++); counts as in
// any sparse exchange.
// Cost: a sparse exchange of eight bytes a row, and one packet for each row; the items are written
// once by the sender and read once by the receiver, in a node from the same memory.
// Hazards: the memory of the rows lives until their receivers release it.
// Others win: SparseExchange, if rows are of a few kilobytes.

#include "sterna/comm/bulk_exchange.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

#include "sterna/comm/error.hpp"
#include "sterna/comm/messenger.hpp"

namespace sterna::comm {

class BulkExchangeBytes::Implementation {
 public:
  Implementation(const Context& context, std::size_t item_size, const SparseOptions& options)
      : ranks_(context.size()),
        item_size_(item_size),
        name_(options.name),
        counts_(context, options),
        messenger_(Messenger::shared(context)),
        key_(messenger_->reserve_keys()) {}

  std::span<std::byte> row(int destination, std::size_t count) {
    if (destination < 0 || destination >= ranks_) {
      throw Error(fmt::format("{}: there is no rank {} of {}", name_, destination, ranks_));
    }
    if (outgoing_.contains(destination)) {
      throw Error(fmt::format("{}: rank {} has a row already", name_, destination));
    }
    Buffer<std::byte> buffer = messenger_->buffer<std::byte>(item_bytes(count, item_size_));
    return (outgoing_[destination] = std::move(buffer)).items();
  }

  std::span<const Row> exchange() {
    release();
    std::erase_if(outgoing_, [](const auto& each) { return each.second.size() == 0; });
    std::vector<int> destinations;
    std::vector<std::size_t> offsets{0};
    std::vector<std::uint64_t> bytes;
    std::vector<SentToRank> sent;
    for (const auto& [rank, buffer] : outgoing_) {
      destinations.push_back(rank);
      bytes.push_back(buffer.size());
      bytes_sent_ += buffer.size();
      sent.push_back({rank, buffer.size(), 1});
      offsets.push_back(bytes.size());
    }
    add_sent(sent_, sent);
    const auto announced = counts_({destinations, offsets, bytes});
    // Rows are sent after the counts, because a rank posts memory for a row as soon as it knows of
    // it.
    for (auto& [rank, buffer] : outgoing_) messenger_->send(rank, key_, nocopy(std::move(buffer)));
    outgoing_.clear();
    std::vector<Delivery<std::byte>> deliveries;
    for (const int source : announced.ranks) {
      deliveries.push_back(messenger_->receive<std::byte>(source, key_));
    }
    for (std::size_t i = 0; i < deliveries.size(); ++i) {
      messenger_->wait(deliveries[i].arrived(), name_);
      incoming_.push_back(deliveries[i].take());
      rows_.push_back({announced.ranks[i], incoming_.back().items()});
    }
    return rows_;
  }

  void release() {
    rows_.clear();
    incoming_.clear();
  }

  Verdict verdict() const {
    Verdict verdict = counts_.verdict();
    verdict.bytes_sent = bytes_sent_;
    verdict.sent = sent_;
    return verdict;
  }

 private:
  int ranks_;
  std::size_t item_size_;
  std::string name_;
  SparseExchange<std::uint64_t> counts_;
  std::shared_ptr<Messenger> messenger_;
  std::uint64_t key_;
  std::map<int, Buffer<std::byte>> outgoing_;
  std::vector<Buffer<std::byte>> incoming_;
  std::vector<Row> rows_;
  std::size_t bytes_sent_ = 0;
  std::vector<SentToRank> sent_;
};

BulkExchangeBytes::BulkExchangeBytes(const Context& context, std::size_t item_size,
                                     const SparseOptions& options)
    : implementation_(std::make_unique<Implementation>(context, item_size, options)) {}
BulkExchangeBytes::~BulkExchangeBytes() = default;
BulkExchangeBytes::BulkExchangeBytes(BulkExchangeBytes&&) noexcept = default;
BulkExchangeBytes& BulkExchangeBytes::operator=(BulkExchangeBytes&&) noexcept = default;

std::span<std::byte> BulkExchangeBytes::row(int destination, std::size_t count) {
  return implementation_->row(destination, count);
}
std::span<const BulkExchangeBytes::Row> BulkExchangeBytes::exchange() {
  return implementation_->exchange();
}
void BulkExchangeBytes::release() {
  implementation_->release();
}
Verdict BulkExchangeBytes::verdict() const {
  return implementation_->verdict();
}

}  // namespace sterna::comm

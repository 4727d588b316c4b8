#include "comm/neighbor/rdma_boxes.hpp"

#ifdef STERNA_HAVE_UCX

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "comm/context/handshake.hpp"
#include "comm/context/waiter.hpp"
#include "comm/transport/rdma/worker.hpp"
#include "sterna/comm/error.hpp"

namespace sterna::comm {

MemoryNeed RdmaBoxes::memory_for(std::span<const Link> links, std::size_t item_size) {
  return {.plain =
              sum_of_bytes(Outboxes(links, item_size).bytes(), Inboxes(links, item_size).bytes())};
}

RdmaBoxes::RdmaBoxes(const NeighborSetting& setting, std::span<const Link> links,
                     std::uint64_t round)
    : context_(setting.context),
      ranks_(ranks_of(links)),
      inboxes_(links, setting.item_size),
      outboxes_(links, setting.item_size),
      memory_(inboxes_.bytes()),
      outgoing_(outboxes_.bytes()) {
  inboxes_.use(memory_.data(), round);
  outboxes_.use(outgoing_.data());
}

/// Offsets, length of the worker's address, address, handle of the memory.
std::string RdmaBoxes::letter(std::size_t link) const {
  const InboxOffsets& offsets = inboxes_.offsets(link);
  const std::string& address = rdma::Worker::instance().address();
  const std::uint64_t length = address.size();
  std::string letter(reinterpret_cast<const char*>(&offsets), sizeof offsets);
  letter.append(reinterpret_cast<const char*>(&length), sizeof length);
  return letter + address + memory_.handle();
}

void RdmaBoxes::connect(const std::string& letter) {
  InboxOffsets offsets;
  std::uint64_t length = 0;
  std::memcpy(&offsets, letter.data(), sizeof offsets);
  std::memcpy(&length, letter.data() + sizeof offsets, sizeof length);
  const std::size_t begin = sizeof offsets + sizeof length;
  targets_.push_back({rdma::Peer(letter.substr(begin, length), letter.substr(begin + length)),
                      offsets, ranks_[targets_.size()]});
}

bool RdmaBoxes::all_mapped() const {
  return std::ranges::all_of(targets_, [](const Target& t) { return t.memory.mapped(); });
}

void RdmaBoxes::put(std::size_t link, std::size_t count, std::uint64_t round) {
  Target& target = targets_[link];
  const auto message = outboxes_.message(link, count);
  put(target, target.offsets.count(round), message.data(), message.size());
}

void RdmaBoxes::put_notice(std::size_t link) {
  Target& target = targets_[link];
  put(target, target.offsets.notice(outboxes_.notice()), outgoing_.data(), sizeof(std::uint64_t));
}

void RdmaBoxes::put(Target& target, std::size_t offset, const std::byte* source,
                    std::size_t bytes) {
  try {
    target.memory.put(offset, source, bytes, &outgoing_);
  } catch (const Error& error) {
    throw Error(
        fmt::format("rank {}: {}{}", target.rank, error.what(), obituary(context_, target.rank)));
  }
}

std::shared_ptr<RdmaBoxes> make_rdma_boxes(const NeighborSetting& setting,
                                           std::span<const Link> links, std::uint64_t round) {
  std::shared_ptr<RdmaBoxes> boxes;
  std::vector<std::string> letters;
  const auto on_all = [&](auto&& action) {
    std::string fault;
    try {
      action();
    } catch (const Error& error) {
      fault = error.what();
    }
    throw_on_all(setting, fault);
  };
  on_all([&] {
    boxes = std::make_shared<RdmaBoxes>(setting, links, round);
    for (std::size_t i = 0; i < links.size(); ++i) letters.push_back(boxes->letter(i));
  });
  const auto incoming = exchange_letters(setting.context, setting.exchange, setting.control_tag,
                                         ranks_of(links), letters);
  on_all([&] {
    for (const std::string& letter : incoming) boxes->connect(letter);
  });
  return boxes;
}

}  // namespace sterna::comm

#endif

#include "comm/neighbor/window_boxes.hpp"

#ifdef STERNA_HAVE_RMA

#include <cstring>
#include <string>

#include "comm/context/agreement.hpp"
#include "comm/context/handshake.hpp"

namespace sterna::comm {

MemoryNeed WindowBoxes::memory_for(std::span<const Link> links, std::size_t item_size,
                                   int buffers) {
  const std::size_t inboxes = Inboxes(links, item_size, buffers).bytes();
  return {.plain = Outboxes(links, item_size).bytes(),
          .window = sum_of_bytes(inboxes, buffer_alignment)};
}

WindowBoxes::WindowBoxes(const NeighborSetting& setting, std::span<const Link> links,
                         rma::Epoch epoch, std::uint64_t round, int buffers)
    : inboxes_(links, setting.item_size, buffers),
      outboxes_(links, setting.item_size),
      outgoing_(outboxes_.bytes()),
      memory_(setting.context, inboxes_.bytes() + buffer_alignment, epoch, setting.exchange) {
  outboxes_.use(outgoing_.data());
  // Not every MPI aligns windows as it is asked to.
  const std::size_t shift = -reinterpret_cast<std::uintptr_t>(memory_.data()) % buffer_alignment;
  inboxes_.use(memory_.data() + shift, round);
  std::vector<std::string> letters;
  for (std::size_t i = 0; i < links.size(); ++i) {
    InboxOffsets offsets = inboxes_.offsets(i);
    for (std::size_t& offset : offsets.items) offset += shift;
    letters.emplace_back(reinterpret_cast<const char*>(&offsets), sizeof offsets);
    targets_.push_back({{memory_, links[i].rank}, {}});
  }
  const auto incoming = exchange_letters(setting.context, setting.exchange, setting.control_tag,
                                         ranks_of(links), letters);
  for (std::size_t i = 0; i < incoming.size(); ++i) {
    std::memcpy(&targets_[i].offsets, incoming[i].data(), sizeof(InboxOffsets));
  }
}

}  // namespace sterna::comm

#endif

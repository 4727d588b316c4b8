#include "comm/neighbor/inboxes.hpp"

#include <cstring>

namespace sterna::comm {

Inboxes::Inboxes(std::span<const Link> links, std::size_t item_size, int buffers) {
  for (const Link& link : links) {
    InboxOffsets& offsets = offsets_.emplace_back();
    for (int buffer = 0; buffer < buffers; ++buffer) {
      offsets.items[static_cast<std::size_t>(buffer)] = bytes_ + header_bytes(item_size);
      bytes_ = sum_of_bytes(bytes_, buffer_bytes(link.receive_items, item_size));
    }
    if (buffers == 1) offsets.items[1] = offsets.items[0];
  }
}

void Inboxes::use(std::byte* memory, std::uint64_t round) {
  memory_ = memory;
  for (const InboxOffsets& offsets : offsets_) {
    for (const std::uint64_t either : {round, round + 1}) {
      std::memcpy(memory_ + offsets.notice(either), &round, sizeof round);
    }
  }
}

}  // namespace sterna::comm

#include "comm/neighbor/inboxes.hpp"

#include <cstring>

namespace sterna::comm {
namespace {

/// Two cache lines: processors fetch them in pairs.
constexpr std::size_t line = 128;

constexpr std::size_t whole_lines(std::size_t bytes) {
  return (bytes + line - 1) / line * line;
}

}  // namespace

Inboxes::Inboxes(std::span<const Link> links, std::size_t item_size, int buffers)
    : item_size_(item_size) {
  for (const Link& link : links) {
    InboxOffsets& offsets = offsets_.emplace_back();
    offsets.notice = bytes_;
    bytes_ += line;
    for (int buffer = 0; buffer < buffers; ++buffer) {
      offsets.items[static_cast<std::size_t>(buffer)] = bytes_ + line;
      bytes_ += line + whole_lines(link.receive_items * item_size);
    }
    if (buffers == 1) offsets.items[1] = offsets.items[0];
  }
}

void Inboxes::use(std::byte* memory, std::uint64_t round) {
  memory_ = memory;
  for (const InboxOffsets& offsets : offsets_) {
    std::memcpy(memory_ + offsets.notice, &round, sizeof round);
  }
}

std::span<const std::byte> Inboxes::items(std::size_t link, std::uint64_t round) const {
  const std::byte* const begin = memory_ + offsets_[link].items[round % 2];
  std::uint64_t count = 0;
  std::memcpy(&count, begin - count_bytes, sizeof count);
  return {begin, count * item_size_};
}

}  // namespace sterna::comm

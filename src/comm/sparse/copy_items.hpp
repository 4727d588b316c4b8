#pragma once

#include <cstddef>
#include <cstring>

namespace sterna::comm {

/// Copies items, in blocks if they fit into the caches. From 8 KiB on glibc's memcpy uses `rep
/// movsb`, which on Zen 4 takes three times as long for some offsets of source and target in their
/// pages (glibc bug 30994).
inline void copy_items(std::byte* target, const std::byte* source, std::size_t bytes) {
  constexpr std::size_t block = 64;
  constexpr std::size_t beyond_caches = std::size_t{1} << 20;
  std::size_t done = 0;
  if (bytes < beyond_caches) {
    for (; bytes - done >= block; done += block) std::memcpy(target + done, source + done, block);
  }
  if (done < bytes) std::memcpy(target + done, source + done, bytes - done);
}

}  // namespace sterna::comm

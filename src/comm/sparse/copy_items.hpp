#pragma once

#include <cstddef>
#include <cstring>

namespace sterna::comm {

/// memcpy for items. From 8 KiB on that of glibc uses `rep movsb`, which on Zen 4 takes three times
/// as long where source and target lie unluckily in their pages (glibc bug 30994).
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

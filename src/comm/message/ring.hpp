#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace sterna::comm {

/// A queue of records in shared memory from one rank to another. Each line is a cache line, and a
/// record takes whole lines. The first word of a line is 0 unless a complete record begins there.
/// So a record of a few words is one cache line that moves from one core to the other. The reader
/// clears those words after reading, and publishes now and then how far it has read.
namespace ring {

constexpr std::size_t line = 64;

/// The first word of a record. It is never 0, because `bytes` is not.
struct Word {
  std::uint32_t bytes;  ///< size of the record, with this word but without padding
  std::uint16_t kind;
  std::uint16_t count;
};
constexpr std::uint16_t skip = 0xffff;  ///< kind of a record that only pads the end of the ring

inline std::size_t line_bytes(std::size_t bytes) {
  return (bytes + line - 1) / line * line;
}
inline std::atomic_ref<std::uint64_t> word_at(std::byte* memory) {
  return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(memory));
}

/// The layout of a ring: how far the reader has come, on lines of its own, then the lines of
/// records.
constexpr std::size_t control_bytes = 128;

class Writer {
 public:
  Writer(std::byte* memory, std::size_t bytes)
      : consumed_(memory), lines_(memory + control_bytes), bytes_(bytes) {}

  /// Returns memory for a record without its first word; nullptr if the ring is full. A record may
  /// have a quarter of the ring at most.
  std::byte* reserve(std::size_t bytes) {
    const std::size_t need = line_bytes(bytes);
    const std::size_t at = written_ % bytes_;
    const std::size_t rest = bytes_ - at;
    const std::size_t filling = need > rest ? rest : 0;
    if (!is_free(filling + need)) return nullptr;
    if (filling == 0) return lines_ + at;
    publish(lines_ + at, {static_cast<std::uint32_t>(filling), skip, 0});
    return lines_;
  }
  void publish(std::byte* record, Word word) {
    written_ += line_bytes(word.bytes);
    word_at(record).store(std::bit_cast<std::uint64_t>(word), std::memory_order_release);
  }

 private:
  bool is_free(std::size_t bytes) {
    if (written_ + bytes - known_consumed_ <= bytes_) return true;
    known_consumed_ = word_at(consumed_).load(std::memory_order_acquire);
    return written_ + bytes - known_consumed_ <= bytes_;
  }

  std::byte* consumed_;
  std::byte* lines_;
  std::size_t bytes_;
  std::uint64_t written_ = 0;
  std::uint64_t known_consumed_ = 0;
};

class Reader {
 public:
  Reader(std::byte* memory, std::size_t bytes)
      : consumed_(memory), lines_(memory + control_bytes), bytes_(bytes) {}

  /// Returns the next record, or nullptr. It stays in place until `pop`.
  std::byte* peek() {
    for (;;) {
      std::byte* const record = lines_ + read_ % bytes_;
      const std::uint64_t word = word_at(record).load(std::memory_order_acquire);
      if (word == 0) return nullptr;
      if (std::bit_cast<Word>(word).kind != skip) return record;
      pop();
    }
  }
  void pop() {
    std::byte* const record = lines_ + read_ % bytes_;
    const std::size_t bytes = line_bytes(reinterpret_cast<const Word*>(record)->bytes);
    for (std::size_t at = 0; at < bytes; at += line) {
      word_at(record + at).store(0, std::memory_order_relaxed);
    }
    read_ += bytes;
    if (read_ - published_ >= bytes_ / 4) {
      published_ = read_;
      word_at(consumed_).store(read_, std::memory_order_release);
    }
  }

 private:
  std::byte* consumed_;
  std::byte* lines_;
  std::size_t bytes_;
  std::uint64_t read_ = 0;
  std::uint64_t published_ = 0;
};

}  // namespace ring
}  // namespace sterna::comm

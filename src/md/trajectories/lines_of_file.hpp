#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "md/output/atomic_file.hpp"

namespace sterna::md {

/// Reads the lines of a file from a given byte on.
class LinesOfFile {
 public:
  LinesOfFile(const RawFile& file, std::uint64_t begin, std::uint64_t size)
      : file_(file), at_(begin), size_(size) {}

  /// False if the file ends before the line does.
  bool next(std::string& line) {
    line.clear();
    for (;;) {
      const auto end =
          std::find(text_.begin() + static_cast<std::ptrdiff_t>(used_), text_.end(), '\n');
      line.append(text_.begin() + static_cast<std::ptrdiff_t>(used_), end);
      const auto passed = static_cast<std::size_t>(end - text_.begin());
      if (end != text_.end()) {
        used_ = passed + 1;
        return true;
      }
      at_ += text_.size();
      used_ = 0;
      constexpr std::uint64_t most = 1U << 20U;
      text_.resize(std::min(most, size_ - at_));
      if (text_.empty()) return false;
      file_.read_at(at_, std::as_writable_bytes(std::span(text_)));
    }
  }
  /// The byte at which the next line begins.
  std::uint64_t place() const { return at_ + used_; }

 private:
  const RawFile& file_;
  std::uint64_t at_, size_;
  std::vector<char> text_;
  std::size_t used_ = 0;
};

}  // namespace sterna::md

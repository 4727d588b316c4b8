#include "md/replicas/growing_file.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <span>

#include "md/core/file_error.hpp"

namespace sterna::md {

GrowingFile::GrowingFile(const std::string& path, std::string_view head)
    : file_(path, RawFile::Mode::create) {
  append(head);
}

GrowingFile::GrowingFile(const std::string& path, std::uint64_t bytes) {
  require_own_file(path);
  file_ = RawFile(path, RawFile::Mode::write);
  const std::uint64_t present = file_.size();
  if (present < bytes) {
    throw FileError(
        fmt::format("{}: has {} bytes, and had {} when the checkpoint was written, so the run "
                    "cannot go on with "
                    "it",
                    path, present, bytes));
  }
  file_.resize(bytes);
  end_ = bytes;
}

void GrowingFile::append(std::string_view text) {
  file_.write_at(end_, std::as_bytes(std::span(text.data(), text.size())));
  end_ += text.size();
}

}  // namespace sterna::md

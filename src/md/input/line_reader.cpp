#include "md/input/line_reader.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "md/core/display_text.hpp"
#include "md/input/gzip_file.hpp"
#include "md/input/start_file_error.hpp"
#include "sterna/comm/nearest_name.hpp"

namespace sterna::md {
namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

[[noreturn]] void fail_as_a_whole(const std::string& path, const Diagnostic* place,
                                  const std::string& message) {
  Diagnostic diagnostic;
  if (place != nullptr) diagnostic = *place;
  if (diagnostic.file.empty()) diagnostic.file = path;
  diagnostic.severity = Severity::error;
  diagnostic.message =
      place != nullptr ? fmt::format("start file {}: {}", quote_path(path), message) : message;
  throw StartFileError(std::move(diagnostic));
}

/// A hint "; did you mean ...?" if the folder has a file of a similar name.
std::string similar_file(const std::string& path) {
  const std::filesystem::path wanted(path);
  const auto folder = wanted.has_parent_path() ? wanted.parent_path() : ".";
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), none;
       !error && entry != none && names.size() < 1000; entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  const std::vector<std::string_view> views(names.begin(), names.end());
  const auto nearest = comm::nearest_name(wanted.filename().string(), views);
  return nearest ? fmt::format("; did you mean {}?", quote(*nearest)) : std::string();
}

}  // namespace

FileHandle::FileHandle(const std::string& path, const Diagnostic* place)
    : path_(path), descriptor_(-1), size_(0) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    const int reason = errno;
    fail_as_a_whole(path, place,
                    reason == ENOENT ? "there is no such file" + similar_file(path)
                                     : fmt::format("cannot be opened: {}", std::strerror(reason)));
  }
  if (!S_ISREG(status.st_mode)) {
    fail_as_a_whole(path, place, S_ISDIR(status.st_mode) ? "is a folder" : "is not a regular file");
  }
  if (status.st_size == 0) fail_as_a_whole(path, place, "the file is empty");
  size_ = static_cast<std::uint64_t>(status.st_size);
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor_ < 0) {
    fail_as_a_whole(path, place, fmt::format("cannot be opened: {}", std::strerror(errno)));
  }
  if (is_gzip_file(descriptor_)) unpack(place);
}

void FileHandle::unpack(const Diagnostic* place) {
  ::close(descriptor_);
  descriptor_ = -1;
  try {
    descriptor_ = unpack_gzip_file(path_);
  } catch (const std::runtime_error& error) {
    fail_as_a_whole(path_, place, error.what());
  }
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0 || status.st_size == 0) {
    ::close(descriptor_);
    fail_as_a_whole(path_, place, "what is compressed in it is empty");
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
  was_packed_ = true;
}

FileHandle::~FileHandle() {
  ::close(descriptor_);
}

std::size_t FileHandle::read(char* to, std::size_t size, std::uint64_t offset) const {
  for (;;) {
    const ssize_t got = ::pread(descriptor_, to, size, static_cast<off_t>(offset));
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) {
      fail_as_a_whole(path_, nullptr, fmt::format("cannot be read: {}", std::strerror(errno)));
    }
  }
}

LineReader::LineReader(std::shared_ptr<const FileHandle> file)
    : file_(std::move(file)), buffer_(std::min<std::uint64_t>(longest_line, file_->size()) + 2) {
  fill();
  if (std::string_view(buffer_.data(), end_).starts_with(byte_order_mark)) {
    begin_ = byte_order_mark.size();
  }
}

void LineReader::go_to(const Mark& mark) {
  begin_ = end_ = 0;
  end_offset_ = mark.offset;
  number_ = mark.number;
  line_ = {};
}

bool LineReader::fill() {
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  const std::size_t got = file_->read(buffer_.data() + end_, buffer_.size() - end_, end_offset_);
  end_ += got;
  end_offset_ += got;
  return got > 0;
}

bool LineReader::next() {
  ++number_;
  std::size_t searched = begin_;
  for (;;) {
    const char* start = buffer_.data() + begin_;
    const auto* newline =
        static_cast<const char*>(std::memchr(buffer_.data() + searched, '\n', end_ - searched));
    if (newline != nullptr) {
      line_ = {start, static_cast<std::size_t>(newline - start)};
      line_offset_ = end_offset_ - (end_ - begin_);
      begin_ += line_.size() + 1;
      break;
    }
    if (end_ - begin_ == buffer_.size()) {
      line_ = {start, 60};
      line_offset_ = end_offset_ - (end_ - begin_);
      fail(fmt::format("this line is longer than {} characters", longest_line));
    }
    const std::size_t kept = end_ - begin_;
    if (!fill()) {
      line_ = {buffer_.data(), kept};
      line_offset_ = end_offset_ - kept;
      begin_ = end_;
      if (kept == 0) return false;
      break;
    }
    searched = kept;
  }
  if (line_.ends_with('\r')) line_.remove_suffix(1);
  return true;
}

Diagnostic LineReader::diagnostic(std::string_view part, std::string message,
                                  Severity severity) const {
  return diagnostic_in_line(path(), number_, line_, part, severity, std::move(message));
}

void LineReader::fail(std::string_view part, std::string message) const {
  throw StartFileError(diagnostic(part, std::move(message)));
}

void LineReader::fail(std::string message) const {
  fail(line_, std::move(message));
}

}  // namespace sterna::md

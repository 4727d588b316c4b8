#include "md/simulation/files/term_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "md/core/agreement.hpp"
#include "md/core/file_error.hpp"

namespace sterna::md {
namespace {

std::span<const std::byte> bytes_of_lines(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

}  // namespace

std::vector<std::string> TermFiles::open(const comm::Context& context, ForceEngine& engine,
                                         const std::string& stem, bool resumed) {
  std::vector<std::string> missing;
  writes_ = !stem.empty();
  on_first_rank(context, [&] {
    if (!writes_) return;
    for (ForceTerm* term : engine.terms()) {
      for (const ForceTerm::GrowingText& text : term->texts()) {
        const std::string path = stem + std::string(text.ending);
        const auto before = std::ranges::find(earlier_, text.ending, &File::ending);
        File& made = files_.emplace_back();
        made.ending = text.ending;
        if (resumed && before != earlier_.end() && file_exists(path)) {
          made.file = RawFile(path, RawFile::Mode::write);
          if (made.file.size() < before->bytes) {
            throw FileError(fmt::format(
                "{}: it ends at byte {}, but the checkpoint goes on at byte {}; put it right, or "
                "move it away",
                path, made.file.size(), before->bytes));
          }
          made.bytes = before->bytes;
          made.file.resize(made.bytes);
          continue;
        }
        if (resumed && before != earlier_.end()) missing.push_back(path);
        made.file = RawFile(path, RawFile::Mode::create);
        made.file.write_at(0, bytes_of_lines(text.head));
        made.bytes = text.head.size();
      }
    }
  });
  return missing;
}

void TermFiles::write(ForceEngine& engine) {
  auto file = files_.begin();
  for (ForceTerm* term : engine.terms()) {
    for (ForceTerm::GrowingText& text : term->texts()) {
      if (file != files_.end()) {
        File& own = *file++;
        if (failure_.empty() && !text.lines.empty()) {
          try {
            own.file.write_at(own.bytes, bytes_of_lines(text.lines));
            own.bytes += text.lines.size();
          } catch (const FileError& error) {
            failure_ = error.what();
          }
        }
      }
      text.lines.clear();
    }
  }
}

void TermFiles::agree_on_failure(const comm::Context& context) const {
  if (writes_) agree(context, failure_);
}

void TermFiles::sync(const comm::Context& context) {
  for (File& own : files_) {
    if (!failure_.empty()) break;
    try {
      own.file.sync();
    } catch (const FileError& error) {
      failure_ = error.what();
    }
  }
  agree_on_failure(context);
}

Json TermFiles::state() const {
  if (files_.empty()) return nullptr;
  Json state = Json::object();
  for (const File& own : files_) state[own.ending] = own.bytes;
  return state;
}

void TermFiles::restore(const Json& state) {
  earlier_.clear();
  for (const auto& [ending, bytes] : state.items()) {
    File& one = earlier_.emplace_back();
    one.ending = ending;
    one.bytes = bytes.get<std::uint64_t>();
  }
}

}  // namespace sterna::md

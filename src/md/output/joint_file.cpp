#include "md/output/joint_file.hpp"

#include <utility>

#include "md/core/agreement.hpp"
#include "md/core/file_error.hpp"
#include "sterna/comm/collective.hpp"

namespace sterna::md {

JointFile::JointFile(const comm::Context& context, std::string path)
    : context_(context), path_(std::move(path)) {}

void JointFile::create(const std::function<void(RawFile&)>& begin) {
  on_first_rank(context_, [&] {
    file_ = RawFile(path_, RawFile::Mode::create);
    begin(file_);
  });
  open_for_all();
}

std::string JointFile::resume(const std::function<std::string(RawFile&, bool is_new)>& keep) {
  std::string kept;
  on_first_rank(context_, [&] {
    const bool is_new = !file_exists(path_);
    file_ = RawFile(path_, is_new ? RawFile::Mode::create : RawFile::Mode::write);
    kept = keep(file_, is_new);
  });
  comm::broadcast(context_, 0, kept);
  open_for_all();
  return kept;
}

void JointFile::open_for_all() {
  agree_after(context_, [&] { file_ = RawFile(path_, RawFile::Mode::write); });
}

void JointFile::sync() {
  agree_after(context_, [&] { file_.sync(); });
}

void JointFile::take_back(std::uint64_t end) {
  if (context_.rank() != 0) return;
  try {
    file_.resize(end);
  } catch (const FileError&) {
    // The earlier failure is the one to report.
  }
}

}  // namespace sterna::md

#include "comm/context/progress.hpp"

#include <vector>

namespace sterna::comm {
namespace {

std::vector<ProgressHelper*>& helpers() {
  // never freed, because it is used until the process exits
  static auto* const list = new std::vector<ProgressHelper*>;
  return *list;
}

}  // namespace

ProgressHelper::ProgressHelper() {
  helpers().push_back(this);
}

ProgressHelper::~ProgressHelper() {
  std::erase(helpers(), this);
}

void call_progress_helpers() {
  for (ProgressHelper* const helper : helpers()) helper->help();
}

}  // namespace sterna::comm

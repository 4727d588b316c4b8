#include "md/core/agreement.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "md/core/file_error.hpp"
#include "sterna/comm/collective.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {

void agree(const comm::Context& context, const std::string& failure) {
  std::int64_t failed_ranks = failure.empty() ? 0 : 1;
  std::int64_t first_failed = failure.empty() ? context.size() : context.rank();
  comm::ReductionBatch(context, "agreement on output").sum(failed_ranks).min(first_failed).run();
  if (failed_ranks == 0) return;
  std::string text = failure;
  comm::broadcast(context, static_cast<int>(first_failed), text);
  if (context.size() > 1) text += fmt::format(" (rank {}", first_failed);
  if (failed_ranks > 1) text += fmt::format(" and {} more", failed_ranks - 1);
  if (context.size() > 1) text += ")";
  throw FileError(text);
}

void agree_after(const comm::Context& context, const std::function<void()>& work) {
  std::string failure;
  try {
    work();
  } catch (const std::exception& error) {
    failure = error.what();
    if (failure.empty()) failure = "unknown error";
  }
  agree(context, failure);
}

void on_first_rank(const comm::Context& context, const std::function<void()>& work) {
  agree_after(context, [&] {
    if (context.rank() == 0) work();
  });
}

}  // namespace sterna::md

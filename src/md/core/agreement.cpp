#include "md/core/agreement.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "md/core/file_error.hpp"
#include "sterna/comm/collective.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {

namespace {

/// How many ranks have a `failure`, and the lowest of them.
struct FailedRanks {
  std::int64_t count = 0;
  std::int64_t first = 0;
};

FailedRanks failed_ranks(const comm::Context& context, const std::string& failure) {
  FailedRanks failed{failure.empty() ? 0 : 1, failure.empty() ? context.size() : context.rank()};
  comm::ReductionBatch(context, "agreement on failures").sum(failed.count).min(failed.first).run();
  return failed;
}

std::string text_of(const comm::Context& context, const FailedRanks& failed,
                    const std::string& failure) {
  std::string text = failure;
  comm::broadcast(context, static_cast<int>(failed.first), text);
  if (context.size() > 1) text += fmt::format(" (rank {}", failed.first);
  if (failed.count > 1) text += fmt::format(" and {} more", failed.count - 1);
  if (context.size() > 1) text += ")";
  return text;
}

}  // namespace

std::string shared_failure(const comm::Context& context, const std::string& failure) {
  return text_of(context, failed_ranks(context, failure), failure);
}

void agree(const comm::Context& context, const std::string& failure) {
  const FailedRanks failed = failed_ranks(context, failure);
  if (failed.count > 0) throw FileError(text_of(context, failed, failure));
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

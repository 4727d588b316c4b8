#pragma once

#include <functional>
#include <string>

#include "sterna/comm/context.hpp"

namespace sterna::md {

/// Collective; at least one rank has failed. Returns on every rank the text of the lowest rank
/// whose `failure` is not empty, and the number of other ranks that failed.
std::string shared_failure(const comm::Context& context, const std::string& failure);

/// Collective. Throws FileError with the text of `shared_failure` on every rank if any rank's
/// `failure` is not empty. Without a failure it costs one reduction. Ranks must not throw on their
/// own between two collective calls, or the others would wait.
void agree(const comm::Context& context, const std::string& failure);

/// Collective. Runs `work` on this rank and agrees on its outcome: an exception on one rank becomes
/// a FileError with its text on all.
void agree_after(const comm::Context& context, const std::function<void()>& work);

/// Collective. Like `agree_after`, but only rank 0 does the work.
void on_first_rank(const comm::Context& context, const std::function<void()>& work);

}  // namespace sterna::md

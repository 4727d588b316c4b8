#pragma once

#include <functional>
#include <string>

#include "sterna/comm/context.hpp"

namespace sterna::md {

/// Collective, where some rank has failed, which all know: the text of the lowest rank whose
/// `failure` is not empty, with how many more ranks failed.
std::string shared_failure(const comm::Context& context, const std::string& failure);

/// Collective. Throws FileError on every rank where any rank comes with a text that is not empty:
/// that of `shared_failure`. One reduction where all is well. Ranks must not throw on their own
/// between two collective calls, or the others would wait.
void agree(const comm::Context& context, const std::string& failure);

/// Collective. Runs `work` on this rank and agrees on its outcome: an exception on one rank becomes
/// a FileError with its text on all.
void agree_after(const comm::Context& context, const std::function<void()>& work);

/// Collective. As `agree_after`, with work on rank 0 only.
void on_first_rank(const comm::Context& context, const std::function<void()>& work);

}  // namespace sterna::md

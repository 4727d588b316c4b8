#pragma once

#include <memory>
#include <span>

#include "md/core/json.hpp"
#include "md/observe/observer.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// Collective. What an observer found on all ranks.
ObserverReport total_report(const comm::Context& context, Observer& observer);

/// Collective. What a checkpoint keeps of the observers, and the way back: of those that a resumed
/// run asks for no longer, or otherwise, nothing is taken.
Json state_of_observers(const comm::Context& context,
                        std::span<const std::unique_ptr<Observer>> observers);
void restore_observers(const comm::Context& context,
                       std::span<const std::unique_ptr<Observer>> observers, const Json& state);

}  // namespace sterna::md

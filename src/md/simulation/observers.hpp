#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "md/input/input.hpp"
#include "md/observe/observer.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// What an input asks to be observed. `names` of the types; `type_counts`: particles of each in the
/// system.
std::vector<std::unique_ptr<Observer>> make_observers(const comm::Context& context,
                                                      const Input& input,
                                                      const std::vector<std::string>& names,
                                                      std::span<const std::int64_t> type_counts);

/// Collective. An observer's sums over all ranks.
std::vector<double> total_sums(const comm::Context& context, Observer& observer);

/// Collective. What a checkpoint keeps of the observers, and the way back: of those that a resumed
/// run asks for no longer, or otherwise, nothing is taken.
nlohmann::json state_of_observers(const comm::Context& context,
                                  std::span<const std::unique_ptr<Observer>> observers);
void restore_observers(const comm::Context& context,
                       std::span<const std::unique_ptr<Observer>> observers,
                       const nlohmann::json& state);

}  // namespace sterna::md

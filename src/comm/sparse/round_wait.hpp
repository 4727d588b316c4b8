#pragma once

#include <cstdint>

#include "comm/context/waiter.hpp"
#include "comm/sparse/method.hpp"

namespace sterna::comm {

/// Waits in round `number` of a method until `condition()` holds. An error names the ranks that
/// `late_ranks()` returns (none: all others). `watched` is the state that `condition()` reads.
template <class Condition, class LateRanks>
void wait_in_round(const SparseSetting& setting, std::uint64_t number, Condition condition,
                   LateRanks late_ranks, Watched watched = Watched::messages) {
  Waiter(setting.context.implementation(), watched).wait(condition, [&] {
    return Awaited{setting.exchange_name, setting.method_name, number, late_ranks()};
  });
}

}  // namespace sterna::comm

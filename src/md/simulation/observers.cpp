#include "md/simulation/observers.hpp"
#include "md/core/json.hpp"

#include <algorithm>
#include <vector>

#include "md/output/checkpoint_file.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {

namespace {

/// An observer's sums over all ranks.
std::vector<double> total_sums(const comm::Context& context, Observer& observer) {
  std::vector<double> sums(observer.sums().begin(), observer.sums().end());
  if (!sums.empty()) {
    comm::ReductionBatch batch(context, observer.name());
    batch.sum(sums.data(), sums.size()).run();
  }
  return sums;
}

}  // namespace

ObserverReport total_report(const comm::Context& context, Observer& observer) {
  ObserverReport report = observer.report(total_sums(context, observer));
  report.name = observer.name();
  return report;
}

Json state_of_observers(const comm::Context& context,
                        std::span<const std::unique_ptr<Observer>> observers) {
  Json state = Json::object();
  for (const auto& observer : observers) {
    state[observer->name()] = {{"sums", exact_array(total_sums(context, *observer))},
                               {"common", exact_array(observer->common())}};
  }
  return state;
}

void restore_observers(const comm::Context& context,
                       std::span<const std::unique_ptr<Observer>> observers, const Json& state) {
  for (const auto& observer : observers) {
    if (!state.contains(observer->name())) continue;
    const auto& mine = state[observer->name()];
    const std::vector<double> sums = exact_values(mine["sums"]);
    if (sums.size() != observer->sums().size()) continue;
    observer->set_common(exact_values(mine["common"]));
    // The sum over all ranks goes on where rank 0 counts.
    if (context.rank() == 0) std::copy(sums.begin(), sums.end(), observer->sums().begin());
  }
}

}  // namespace sterna::md

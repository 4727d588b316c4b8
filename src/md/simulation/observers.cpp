#include "md/simulation/observers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "md/core/agreement.hpp"
#include "md/core/file_error.hpp"
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

Json state_of_observers(std::span<const std::unique_ptr<Observer>> observers) {
  Json state = Json::object();
  std::size_t first = 0;
  for (const auto& observer : observers) {
    const std::vector<double> common = observer->common();
    const std::size_t pieces = 1 + observer->history().size();
    constexpr std::size_t many = 1000;
    state[observer->name()] = {
        {"common", common.size() < many ? exact_array(common) : packed_array(common)},
        {"latest_step", observer->latest_step()},
        {"sum_count", observer->sums().size()},
        {"first_piece", first},
        {"pieces", pieces}};
    first += pieces;
  }
  return state;
}

std::vector<std::span<const std::byte>> rank_data_of_observers(
    std::span<const std::unique_ptr<Observer>> observers) {
  std::vector<std::span<const std::byte>> pieces;
  for (const auto& observer : observers) {
    pieces.push_back(std::as_bytes(observer->sums()));
    const auto history = observer->history();
    pieces.insert(pieces.end(), history.begin(), history.end());
  }
  return pieces;
}

std::vector<std::string> restore_observers(std::span<const std::unique_ptr<Observer>> observers,
                                           const comm::Context& context, const Json& state,
                                           std::span<Observer::History> rank_data) {
  std::vector<std::string> anew;
  for (const auto& observer : observers) {
    const std::span<double> sums = observer->sums();
    const auto mine = state.find(observer->name());
    if (mine == state.end()) {
      anew.push_back(observer->name());
      continue;
    }
    // Checkpoints of versions up to 0.2 have the sums over all ranks.
    const auto total = mine->find("sums");
    const std::vector<double> of_all =
        total != mine->end() ? exact_values(*total) : std::vector<double>();
    const std::size_t count =
        total != mine->end() ? of_all.size() : mine->at("sum_count").get<std::size_t>();
    if (count != sums.size()) {
      anew.push_back(observer->name());
      continue;
    }
    observer->set_common(exact_values(mine->at("common")));
    observer->set_latest_step(mine->value("latest_step", std::int64_t{-1}));
    if (total != mine->end()) {
      if (context.rank() == 0) std::ranges::copy(of_all, sums.begin());
      continue;
    }
    const auto first = mine->at("first_piece").get<std::size_t>();
    const auto pieces = mine->at("pieces").get<std::size_t>();
    std::vector<Observer::History> histories;
    agree_after(context, [&] {
      for (Observer::History& part : rank_data) {
        if (pieces < 1 || first > part.size() || pieces > part.size() - first ||
            part[first].size() != sums.size_bytes()) {
          throw FileError(
              fmt::format("the checkpoint's data of [{}] contradict themselves", observer->name()));
        }
        std::vector<double> of_part(sums.size());
        if (!sums.empty()) {
          std::memcpy(of_part.data(), part[first].data(), sums.size_bytes());
        }
        for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += of_part[k];
        const auto begin = part.begin() + static_cast<std::ptrdiff_t>(first) + 1;
        histories.emplace_back(
            std::make_move_iterator(begin),
            std::make_move_iterator(begin + static_cast<std::ptrdiff_t>(pieces) - 1));
      }
    });
    observer->set_history(histories);
  }
  return anew;
}

}  // namespace sterna::md

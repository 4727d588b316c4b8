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
std::vector<double> total_sums(const comm::Context& context, Observer& observer,
                               std::int64_t first_step) {
  std::vector<double> sums = observer.sums_from(first_step);
  if (!sums.empty()) {
    comm::ReductionBatch batch(context, observer.name());
    batch.sum(sums.data(), sums.size()).run();
  }
  return sums;
}

}  // namespace

ObserverReport total_report(const comm::Context& context, Observer& observer,
                            std::int64_t first_step) {
  ObserverReport report =
      observer.report_from(first_step, total_sums(context, observer, first_step));
  report.name = observer.name();
  return report;
}

Json state_of_observers(std::span<const std::unique_ptr<Observer>> observers) {
  Json state = Json::object();
  std::size_t first = 0;
  for (const auto& observer : observers) {
    const std::vector<double> common = observer->common();
    const std::vector<double> blocks = observer->state_of_blocks();
    const std::size_t pieces = observer->pieces().size();
    const auto kept = [](const std::vector<double>& values) {
      constexpr std::size_t many = 1000;
      return values.size() < many ? exact_array(values) : packed_array(values);
    };
    state[observer->name()] = {{"common", kept(common)},
                               {"blocks", kept(blocks)},
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
    const auto of_observer = observer->pieces();
    pieces.insert(pieces.end(), of_observer.begin(), of_observer.end());
  }
  return pieces;
}

namespace {

/// Adds the sums in a rank's pieces of a checkpoint to those of an observer, which are the first of
/// its `count` pieces from `first` on. Returns the rest, which is the observer's history. Throws
/// FileError if there are fewer pieces, or if they have another size.
Observer::History take_pieces(Observer& observer, Observer::History& pieces, std::size_t first,
                              std::size_t count) {
  const std::span<double> sums = observer.sums();
  const std::size_t with_sums = 1 + observer.earlier_blocks();
  bool fits = count >= with_sums && first <= pieces.size() && count <= pieces.size() - first;
  for (std::size_t b = 0; fits && b < with_sums; ++b) {
    fits = pieces[first + b].size() == sums.size_bytes();
  }
  if (!fits) {
    throw FileError(
        fmt::format("the checkpoint's data of [{}] contradict themselves", observer.name()));
  }
  std::vector<double> of_rank(sums.size());
  for (std::size_t b = 0; b < with_sums && !sums.empty(); ++b) {
    std::memcpy(of_rank.data(), pieces[first + b].data(), sums.size_bytes());
    const std::span<double> to = b == 0 ? sums : observer.sums_of_earlier(b - 1);
    for (std::size_t k = 0; k < sums.size(); ++k) to[k] += of_rank[k];
  }
  const auto begin = pieces.begin() + static_cast<std::ptrdiff_t>(first + with_sums);
  return {std::make_move_iterator(begin),
          std::make_move_iterator(begin + static_cast<std::ptrdiff_t>(count - with_sums))};
}

/// Restores an observer from its part of a checkpoint's state. Returns false, and changes nothing, if
/// its results have another size.
bool restore_observer(Observer& observer, const comm::Context& context, const Json& mine,
                      std::span<Observer::History> rank_data) {
  // Checkpoints of versions up to 0.2 have the sums over all ranks.
  const auto total = mine.find("sums");
  const bool has_total = total != mine.end();
  const std::vector<double> of_all = has_total ? exact_values(*total) : std::vector<double>();
  const std::size_t count = has_total ? of_all.size() : mine.at("sum_count").get<std::size_t>();
  if (count != observer.sums().size()) return false;
  const auto blocks = mine.find("blocks");
  const bool whole = observer.set_state_of_blocks(blocks != mine.end() ? exact_values(*blocks)
                                                                       : std::vector<double>());
  observer.set_common(exact_values(mine.at("common")));
  observer.set_latest_step(mine.value("latest_step", std::int64_t{-1}));
  if (has_total) {
    if (context.rank() == 0) std::ranges::copy(of_all, observer.sums().begin());
    return true;
  }
  const auto first = mine.at("first_piece").get<std::size_t>();
  const auto pieces = mine.at("pieces").get<std::size_t>();
  std::vector<Observer::History> histories;
  agree_after(context, [&] {
    if (!whole) {
      throw FileError(
          fmt::format("the checkpoint's blocks of [{}] contradict themselves", observer.name()));
    }
    for (Observer::History& of_rank : rank_data) {
      histories.push_back(take_pieces(observer, of_rank, first, pieces));
    }
  });
  observer.set_history(histories);
  return true;
}

}  // namespace

std::vector<std::string> restore_observers(std::span<const std::unique_ptr<Observer>> observers,
                                           const comm::Context& context, const Json& state,
                                           std::span<Observer::History> rank_data) {
  std::vector<std::string> anew;
  for (const auto& observer : observers) {
    const auto mine = state.find(observer->name());
    if (mine == state.end() || !restore_observer(*observer, context, *mine, rank_data)) {
      anew.push_back(observer->name());
    }
  }
  return anew;
}

}  // namespace sterna::md

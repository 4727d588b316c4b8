#include "md/forces/external/reference_positions.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

namespace sterna::md {
namespace {

void sort_by_id(std::vector<ReferencePosition>& positions) {
  std::ranges::sort(positions, {},
                    [](const ReferencePosition& p) { return std::tuple(p.id, p.restraint); });
}

/// Items sorted by rank.
template <class Item>
struct Outgoing {
  /// `rank_of(item)`: the rank to which the item goes.
  template <class RankOf>
  Outgoing(std::span<const Item> all, int size, RankOf&& rank_of)
      : ranks(static_cast<std::size_t>(size)), offsets(ranks.size() + 1, 0), items(all.size()) {
    std::iota(ranks.begin(), ranks.end(), 0);
    for (const Item& item : all) ++offsets[static_cast<std::size_t>(rank_of(item)) + 1];
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
    std::vector<std::size_t> next(offsets.begin(), offsets.end() - 1);
    for (const Item& item : all) items[next[static_cast<std::size_t>(rank_of(item))]++] = item;
  }
  comm::SparseRows<Item> rows() const { return {ranks, offsets, items}; }

  std::vector<int> ranks;
  std::vector<std::size_t> offsets;
  std::vector<Item> items;
};

}  // namespace

ReferencePositions::ReferencePositions(const comm::Context& context)
    : context_(context),
      positions_(
          context,
          {.method = "auto", .name = "reference positions", .possible_sources = std::nullopt}),
      questions_(context,
                 {.method = "auto", .name = "held atoms", .possible_sources = std::nullopt}) {}

int ReferencePositions::keeper(std::int64_t id) const {
  // Multiplicative hashing distributes ids evenly over the ranks, even if all ids have a common
  // factor.
  const std::uint64_t mixed = static_cast<std::uint64_t>(id) * 0x9E3779B97F4A7C15u;
  return static_cast<int>((mixed >> 32) % static_cast<std::uint64_t>(context_.size()));
}

void ReferencePositions::set(std::span<const ReferencePosition> part) {
  const Outgoing outgoing(part, context_.size(),
                          [this](const ReferencePosition& p) { return keeper(p.id); });
  const auto rows = positions_(outgoing.rows());
  kept_.assign(rows.items.begin(), rows.items.end());
  sort_by_id(kept_);
  here_.clear();
  known_.clear();
}

void ReferencePositions::take_share(std::span<const ReferencePosition> all) {
  kept_.clear();
  for (const ReferencePosition& position : all) {
    if (keeper(position.id) == context_.rank()) kept_.push_back(position);
  }
  sort_by_id(kept_);
  here_.clear();
  known_.clear();
}

std::span<const ReferencePosition> ReferencePositions::of(std::vector<std::int64_t> ids) {
  std::vector<std::int64_t> unknown;
  std::ranges::set_difference(ids, known_, std::back_inserter(unknown));
  const Outgoing asked(std::span<const std::int64_t>(unknown), context_.size(),
                       [this](std::int64_t id) { return keeper(id); });
  const auto questions = questions_(asked.rows());
  std::vector<ReferencePosition> answers;
  std::vector<std::size_t> offsets{0};
  for (std::size_t row = 0; row < questions.ranks.size(); ++row) {
    for (const std::int64_t id : questions.of(row)) {
      const auto found = std::ranges::equal_range(kept_, id, {}, &ReferencePosition::id);
      answers.insert(answers.end(), found.begin(), found.end());
    }
    offsets.push_back(answers.size());
  }
  const auto come = positions_({questions.ranks, offsets, answers});
  // Atoms that have left this rank are removed.
  std::erase_if(here_,
                [&](const ReferencePosition& p) { return !std::ranges::binary_search(ids, p.id); });
  here_.insert(here_.end(), come.items.begin(), come.items.end());
  sort_by_id(here_);
  known_ = std::move(ids);
  return here_;
}

std::vector<ReferencePosition> ReferencePositions::gather() const {
  const Outgoing outgoing(std::span<const ReferencePosition>(kept_), context_.size(),
                          [](const ReferencePosition&) { return 0; });
  const auto rows = positions_(outgoing.rows());
  std::vector<ReferencePosition> all(rows.items.begin(), rows.items.end());
  sort_by_id(all);
  return all;
}

std::vector<comm::Verdict> ReferencePositions::verdicts() const {
  return {positions_.verdict(), questions_.verdict()};
}

}  // namespace sterna::md

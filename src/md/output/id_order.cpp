// A sample sort (Frazer, McKellar, J. ACM 17, 496, 1970): a sample of each rank's sorted ids gives
// the splitters, so that each rank sorts about equally many ids.

#include "md/output/id_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "sterna/comm/bulk_exchange.hpp"
#include "sterna/comm/collective.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {
namespace {

using Ids = std::vector<std::int64_t>;

struct Sample {
  std::int64_t id;
  double weight;  ///< number of ids that the sample represents
};

std::string raw_bytes_of(const auto& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(values[0])};
}

template <class T>
std::vector<T> values_of(const std::string& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

/// The first id of every rank except rank 0.
Ids splitters(const comm::Context& context, const Ids& sorted) {
  constexpr std::size_t samples_per_rank = 64;
  std::vector<Sample> own(std::min(sorted.size(), samples_per_rank));
  const double weight = static_cast<double>(sorted.size()) / static_cast<double>(own.size());
  for (std::size_t i = 0; i < own.size(); ++i) {
    own[i] = {sorted[i * sorted.size() / own.size()], weight};
  }
  std::string message;
  const std::vector<std::string> gathered = comm::gather(context, 0, raw_bytes_of(own));
  if (context.rank() == 0) {
    std::vector<Sample> all;
    for (const std::string& bytes : gathered) {
      const auto samples = values_of<Sample>(bytes);
      all.insert(all.end(), samples.begin(), samples.end());
    }
    std::ranges::sort(all, {}, &Sample::id);
    double total = 0.0, before = 0.0;
    for (const Sample& sample : all) total += sample.weight;
    Ids first;
    const auto ranks = static_cast<std::size_t>(context.size());
    for (const Sample& sample : all) {
      while (first.size() + 1 < ranks &&
             before >= total * static_cast<double>(first.size() + 1) / static_cast<double>(ranks)) {
        first.push_back(sample.id);
      }
      before += sample.weight;
    }
    first.resize(ranks - 1, std::numeric_limits<std::int64_t>::max());
    message = raw_bytes_of(first);
  }
  comm::broadcast(context, 0, message);
  return values_of<std::int64_t>(message);
}

/// Sends [begin[r], begin[r + 1]) of `sorted` to rank r; returns the received ids in rank order.
Ids deal(comm::BulkExchange<std::int64_t>& exchange, const Ids& sorted,
         std::span<const std::size_t> begin) {
  for (std::size_t rank = 0; rank + 1 < begin.size(); ++rank) {
    const std::size_t count = begin[rank + 1] - begin[rank];
    if (count == 0) continue;
    std::ranges::copy(std::span(sorted).subspan(begin[rank], count),
                      exchange.row(static_cast<int>(rank), count).begin());
  }
  Ids received;
  for (const auto& row : exchange.exchange()) {
    received.insert(received.end(), row.items.begin(), row.items.end());
  }
  exchange.release();
  return received;
}

}  // namespace

IdOrder order_ids(const comm::Context& context, std::span<const std::int64_t> ids,
                  std::span<const std::int64_t> range_begins, std::int64_t ranges_per_block) {
  IdOrder order;
  const std::int64_t particles = range_begins.back();
  std::int64_t others =
      std::ranges::count_if(ids, [&](std::int64_t id) { return id < 1 || id > particles; });
  comm::ReductionBatch(context, "ids that are not 1 to N").sum(others).run();
  if (others == 0) return order;

  Ids sorted(ids.begin(), ids.end());
  std::ranges::sort(sorted);
  const auto ranks = static_cast<std::size_t>(context.size());
  comm::BulkExchange<std::int64_t> exchange(
      context, {.method = "auto", .name = "order of ids", .possible_sources = {}});
  std::vector<std::size_t> begin{0};
  for (const std::int64_t id : splitters(context, sorted)) {
    begin.push_back(
        static_cast<std::size_t>(std::ranges::lower_bound(sorted, id) - sorted.begin()));
  }
  begin.push_back(sorted.size());
  sorted = deal(exchange, sorted, begin);
  std::ranges::sort(sorted);
  const auto twin = std::ranges::adjacent_find(sorted);
  if (twin != sorted.end()) order.failure = fmt::format("two particles have the id {}", *twin);

  // From here on `sorted` holds the ids of slots `first` to `last`.
  const auto count = static_cast<std::int64_t>(sorted.size());
  const std::int64_t first = comm::exclusive_sum(context, count), last = first + count;
  const auto at = [&](std::int64_t slot) {
    return static_cast<std::size_t>(std::clamp(slot, first, last) - first);
  };
  const std::size_t ranges = range_begins.size() - 1;
  order.first_ids.assign(ranges, 0);
  std::int64_t total = count;
  for (std::size_t range = 0; range < ranges; ++range) {
    const std::int64_t slot = range_begins[range];
    if (slot >= first && slot < last) order.first_ids[range] = sorted[at(slot)];
  }
  comm::ReductionBatch(context, "first ids of ranges")
      .sum(total)
      .sum(order.first_ids.data(), ranges)
      .run();
  for (std::size_t range = 0; range < ranges; ++range) {
    if (range_begins[range] >= total) {
      order.first_ids[range] = std::numeric_limits<std::int64_t>::max();
    }
  }
  begin.clear();
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    begin.push_back(at(range_begins[rank * static_cast<std::size_t>(ranges_per_block)]));
  }
  begin.push_back(sorted.size());
  order.block_ids = deal(exchange, sorted, begin);
  return order;
}

}  // namespace sterna::md

#include <fmt/format.h>

#include <memory>

#include "comm/context/context_implementation.hpp"
#include "sterna/comm/exchange.hpp"

namespace sterna::comm {

OneCallExchange& OneCallExchange::of(const Context& context, std::size_t item_size) {
  std::shared_ptr<void>& kept = context.implementation().one_call_exchanges[item_size];
  if (kept == nullptr) {
    // The context owns the exchange, so the exchange must not keep the context alive.
    kept = std::make_shared<OneCallExchange>(
        OneCallExchange{SparseExchangeBytes(Context::Implementation::unowned(context), item_size,
                                            {.name = "exchange", .possible_sources = {}}),
                        {},
                        {},
                        {},
                        {},
                        {}});
  }
  return *static_cast<OneCallExchange*>(kept.get());
}

void OneCallExchange::make_rows() {
  destinations.clear();
  offsets.assign(1, 0);
  starts.resize(counts.size());
  for (std::size_t rank = 0; rank < counts.size(); ++rank) {
    starts[rank] = offsets.back();
    if (counts[rank] == 0) continue;
    destinations.push_back(static_cast<int>(rank));
    offsets.push_back(offsets.back() + counts[rank]);
  }
}

namespace one_call {

void fail_numbers_differ(std::size_t items, std::size_t destinations) {
  throw Error(fmt::format("exchange: there are {} items, but {} destinations: each item needs one",
                          items, destinations));
}

void fail_no_rank(std::size_t item, int destination, int ranks) {
  throw Error(fmt::format("exchange: destination {} of item {} is no rank; there are ranks 0 to {}",
                          destination, item, ranks - 1));
}

}  // namespace one_call

}  // namespace sterna::comm

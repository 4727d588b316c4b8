#include "sterna/comm/sparse_exchange.hpp"

#include <memory>
#include <string>
#include <vector>

#include "comm/c/call.hpp"

namespace sterna::comm::c {
namespace {

struct SparseObject {
  static constexpr const char* kind = "sparse exchange";
  static HandleTable<SparseObject>& table();

  SparseObject(const Context& world, SparseExchangeBytes made)
      : context(world), exchange(std::move(made)) {}

  Context context;
  SparseExchangeBytes exchange;
  std::string method;
};

HandleTable<SparseObject>& SparseObject::table() {
  static auto* const exchanges = new HandleTable<SparseObject>(4);
  return *exchanges;
}

}  // namespace
}  // namespace sterna::comm::c

using namespace sterna::comm;
using namespace sterna::comm::c;

int sterna_sparse_exchange_create(sterna_context context, size_t item_bytes, const char* method,
                                  int possible_source_count, const int* possible_sources,
                                  const char* name, sterna_sparse_exchange* exchange) {
  return call_on<ContextObject>(context.id, [&](ContextObject& owner) {
    SparseOptions options{text_or(method, "auto"), text_or(name, "sparse exchange"), {}};
    check_on_all(owner.context, options.name, [&] {
      require(exchange, "exchange");
      if (possible_source_count >= 0) {
        require_list(possible_source_count, possible_sources, "possible_sources");
      }
    });
    if (possible_source_count >= 0) {
      options.possible_sources.emplace(possible_sources, possible_sources + possible_source_count);
    }
    exchange->id = SparseObject::table().add(std::make_unique<SparseObject>(
        owner.context, SparseExchangeBytes(owner.context, item_bytes, options)));
  });
}

int sterna_sparse_exchange_destroy(sterna_sparse_exchange* exchange) {
  return destroy<SparseObject>(exchange);
}

int sterna_sparse_exchange_method(sterna_sparse_exchange exchange, const char** method) {
  return call_on<SparseObject>(exchange.id, [&](SparseObject& object) {
    require(method, "method");
    object.method = object.exchange.verdict().method;
    *method = object.method.c_str();
  });
}

int sterna_sparse_exchange_run(sterna_sparse_exchange exchange, int destination_count,
                               const int* destinations, const size_t* offsets, const void* items) {
  return call_on<SparseObject>(exchange.id, [&](SparseObject& object) {
    require_list(destination_count, destinations, "destinations");
    require_list(destination_count, offsets, "offsets");
    const auto count = static_cast<std::size_t>(destination_count);
    static constexpr std::size_t nothing[] = {0};
    if (count > 0 && offsets[count] > 0) require(items, "items");
    object.exchange.exchange({destinations, count}, {count > 0 ? offsets : nothing, count + 1},
                             static_cast<const std::byte*>(items));
  });
}

int sterna_sparse_exchange_result(sterna_sparse_exchange exchange, int* source_count,
                                  const int** sources, const size_t** offsets, const void** items) {
  return call_on<SparseObject>(exchange.id, [&](SparseObject& object) {
    require(source_count, "source_count");
    require(sources, "sources");
    require(offsets, "offsets");
    require(items, "items");
    *source_count = static_cast<int>(object.exchange.sources().size());
    *sources = object.exchange.sources().data();
    *offsets = object.exchange.offsets().data();
    *items = object.exchange.items();
  });
}

#include "python/comm_bindings.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "python/kept.hpp"
#include "sterna/comm/collective.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/methods.hpp"
#include "sterna/comm/neighbor_exchange.hpp"
#include "sterna/comm/reduction_batch.hpp"
#include "sterna/comm/sparse_exchange.hpp"

namespace sterna::python {
namespace nb = nanobind;
using namespace nb::literals;
namespace {

using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Values = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// A copy of the bytes, because the exchange may reuse or free its memory.
nb::object copy_of(std::span<const std::byte> bytes) {
  auto* const kept = new std::uint8_t[bytes.size() + 1];
  if (!bytes.empty()) std::memcpy(kept, bytes.data(), bytes.size());
  const nb::capsule owner(kept, [](void* p) noexcept { delete[] static_cast<std::uint8_t*>(p); });
  const std::size_t shape[1] = {bytes.size()};
  return nb::cast(nb::ndarray<nb::numpy, std::uint8_t>(kept, 1, shape, owner));
}

class NeighborExchange final : public Kept<comm::NeighborExchangeBytes> {
 public:
  using Peer = std::tuple<int, std::size_t, std::size_t>;
  NeighborExchange(const Context& context, const std::vector<Peer>& peers, std::size_t item_size,
                   std::string method, std::string name)
      : item_size_(item_size) {
    const nb::gil_scoped_release free;
    std::vector<comm::NeighborPattern::Peer> pattern;
    for (const auto& [rank, send, receive] : peers) pattern.push_back({rank, send, receive});
    context_ = context.shared();
    exchange_ = std::make_unique<comm::NeighborExchangeBytes>(
        *context_, comm::NeighborPattern::from_peers(*context_, std::move(pattern)), item_size,
        comm::NeighborOptions{std::move(method), std::move(name)});
  }

  std::vector<Peer> peers() const {
    std::vector<Peer> peers;
    for (const auto& peer : exchange().peers()) {
      peers.emplace_back(peer.rank, peer.send_capacity, peer.receive_capacity);
    }
    return peers;
  }
  /// Sends whole items, at most as many as the capacity; the caller checks this with its own
  /// messages.
  void send(int peer, const Bytes& bytes) {
    const nb::gil_scoped_release free;
    std::byte* const outbox = exchange().outbox(peer);
    if (bytes.size() > 0) std::memcpy(outbox, bytes.data(), bytes.size());
    exchange().commit(peer, bytes.size() / item_size_);
  }
  void start() {
    const nb::gil_scoped_release free;
    exchange().start();
  }
  std::optional<int> next() {
    const nb::gil_scoped_release free;
    return exchange().next();
  }
  nb::object inbox(int peer) const { return copy_of(exchange().inbox(peer)); }
  void finish() {
    const nb::gil_scoped_release free;
    exchange().finish();
  }
  void reserve(const std::vector<std::size_t>& counts) {
    const nb::gil_scoped_release free;
    exchange().reserve(counts);
  }

 private:
  std::size_t item_size_;
};

class SparseExchange final : public Kept<comm::SparseExchangeBytes> {
 public:
  SparseExchange(const Context& context, std::size_t item_size, std::string method,
                 std::string name, std::optional<std::vector<int>> possible_sources)
      : item_size_(item_size) {
    const nb::gil_scoped_release free;
    context_ = context.shared();
    exchange_ = std::make_unique<comm::SparseExchangeBytes>(
        *context_, item_size,
        comm::SparseOptions{std::move(method), std::move(name), std::move(possible_sources)});
  }

  nb::tuple exchange_rows(const std::vector<int>& destinations,
                          const std::vector<std::size_t>& offsets, const Bytes& items) {
    comm::SparseExchangeBytes& exchange = this->exchange();
    {
      const nb::gil_scoped_release free;
      exchange.exchange(destinations, offsets, reinterpret_cast<const std::byte*>(items.data()));
    }
    const auto sources = exchange.sources();
    const auto rows = exchange.offsets();
    return nb::make_tuple(std::vector<int>(sources.begin(), sources.end()),
                          std::vector<std::size_t>(rows.begin(), rows.end()),
                          copy_of({exchange.items(), rows.back() * item_size_}));
  }

 private:
  std::size_t item_size_;
};

nb::dict dictionary_of(const comm::Verdict& verdict) {
  nb::list candidates;
  for (const comm::MethodEvidence& evidence : verdict.candidates) {
    nb::dict one;
    one["method"] = evidence.method;
    one["state"] = evidence.state;
    one["median_us"] = evidence.median_us;
    one["model_us"] = evidence.model_us;
    one["rounds"] = evidence.rounds;
    one["outliers"] = evidence.outliers;
    one["why"] = evidence.why;
    candidates.append(one);
  }
  nb::list sent;
  for (const comm::SentToRank& one : verdict.sent) {
    sent.append(nb::make_tuple(one.rank, one.bytes, one.messages));
  }
  nb::dict all;
  all["exchange"] = verdict.exchange;
  all["method"] = verdict.method;
  all["text"] = verdict.text;
  all["rounds"] = verdict.rounds;
  all["median_us"] = verdict.median_us;
  all["bytes_sent"] = verdict.bytes_sent;
  all["messages_sent"] = verdict.messages_sent;
  all["times_decided"] = verdict.times_decided;
  all["sent"] = sent;
  all["candidates"] = candidates;
  return all;
}

nb::list rows_of(std::span<const comm::MethodInfo> methods) {
  nb::list rows;
  for (const comm::MethodInfo& method : methods) {
    nb::list aliases;
    for (const std::string_view alias : method.aliases) aliases.append(std::string(alias));
    rows.append(nb::make_tuple(std::string(method.name), std::string(method.description),
                               std::string(method.needs), aliases));
  }
  return rows;
}

void reduce(const Context& self, const std::string& kind, Values values) {
  const nb::gil_scoped_release free;
  comm::ReductionBatch batch(self.context(), "values of a script");
  double* const data = values.data();
  if (kind == "sum") batch.sum(data, values.size());
  for (std::size_t i = 0; kind != "sum" && i < values.size(); ++i) {
    kind == "min" ? batch.min(data[i]) : batch.max(data[i]);
  }
  if (values.size() > 0) batch.run();
}

}  // namespace

// It is long because it is a table, with a row for each member that Python sees.
void bind_comm(nb::module_& module) {
  using Guard = nb::call_guard<Turn>;
  nb::class_<Context>(module, "Context")
      .def(nb::init<std::uintptr_t>(), "communicator"_a, Guard())
      .def_prop_ro(
          "rank", [](const Context& self) { return self.context().rank(); }, Guard())
      .def_prop_ro(
          "size", [](const Context& self) { return self.context().size(); }, Guard())
      .def_prop_ro(
          "node_count", [](const Context& self) { return self.context().node_count(); }, Guard())
      .def(
          "node_of", [](const Context& self, int rank) { return self.context().node_of(rank); },
          Guard())
      .def_prop_ro(
          "description", [](const Context& self) { return self.context().description(); }, Guard())
      .def(
          "barrier",
          [](const Context& self) {
            const nb::gil_scoped_release free;
            comm::barrier(self.context());
          },
          Guard())
      .def(
          "broadcast",
          [](const Context& self, int root, nb::bytes mine) {
            std::string bytes(mine.c_str(), mine.size());
            {
              const nb::gil_scoped_release free;
              comm::broadcast(self.context(), root, bytes);
            }
            return nb::bytes(bytes.data(), bytes.size());
          },
          Guard())
      .def("reduce", &reduce, Guard())
      .def(
          "why_unavailable",
          [](const Context& self, const std::string& family, const std::string& method) {
            return family == "neighbor"
                       ? comm::why_neighbor_method_unavailable(self.context(), method)
                       : comm::why_sparse_method_unavailable(self.context(), method);
          },
          Guard());
  nb::class_<NeighborExchange>(module, "NeighborExchange")
      .def(nb::init<const Context&, const std::vector<NeighborExchange::Peer>&, std::size_t,
                    std::string, std::string>(),
           "context"_a, "peers"_a, "item_size"_a, "method"_a, "name"_a, Guard())
      .def("peers", &NeighborExchange::peers, Guard())
      .def("send", &NeighborExchange::send, Guard())
      .def("start", &NeighborExchange::start, Guard())
      .def("next", &NeighborExchange::next, Guard())
      .def("inbox", &NeighborExchange::inbox, Guard())
      .def("finish", &NeighborExchange::finish, Guard())
      .def("reserve", &NeighborExchange::reserve, Guard())
      .def(
          "verdict",
          [](const NeighborExchange& self) { return dictionary_of(self.exchange().verdict()); },
          Guard());
  nb::class_<SparseExchange>(module, "SparseExchange")
      .def(nb::init<const Context&, std::size_t, std::string, std::string,
                    std::optional<std::vector<int>>>(),
           "context"_a, "item_size"_a, "method"_a, "name"_a, "possible_sources"_a.none(), Guard())
      .def("exchange", &SparseExchange::exchange_rows, Guard())
      .def(
          "verdict",
          [](const SparseExchange& self) { return dictionary_of(self.exchange().verdict()); },
          Guard());
  module.def("neighbor_methods", [] { return rows_of(comm::neighbor_methods()); });
  module.def("sparse_methods", [] { return rows_of(comm::sparse_methods()); });
}

}  // namespace sterna::python

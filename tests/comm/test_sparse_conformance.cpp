// Every registered sparse method against every pattern, on the rank counts that ctest runs this
// with. What a rank should receive is computed from the pattern, which all ranks know, and every
// byte says where it comes from.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "comm/context/largest_count.hpp"
#include "comm/must_work.hpp"
#include "sterna/comm/collective.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/methods.hpp"
#include "sterna/comm/sparse_exchange.hpp"

namespace {

using namespace sterna::comm;

/// SplitMix64's mixing step (Steele, Lea, Flood 2014) over several words.
std::uint64_t mix(std::initializer_list<std::uint64_t> words) {
  std::uint64_t state = 0;
  for (const std::uint64_t word : words) {
    state += word + 0x9e3779b97f4a7c15;
    state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9;
    state = (state ^ (state >> 27)) * 0x94d049bb133111eb;
    state ^= state >> 31;
  }
  return state;
}

const Context& world() {
  static const Context context;
  return context;
}

/// Items from `rank` to each destination; rows of zero items are given to the exchange as they are.
using Sends = std::map<int, std::size_t>;
struct Pattern {
  std::string name;
  std::function<Sends(int rank, int size, std::uint64_t round)> sends;
  bool zero_bytes = false;
  bool only_ring = false;  ///< partners are the rank before and the rank after
};

const std::vector<Pattern>& patterns() {
  static const std::vector<Pattern> all{
      {"empty", [](int, int, std::uint64_t) { return Sends{}; }},
      {"self",
       [](int rank, int, std::uint64_t round) {
         return Sends{{rank, 3 + round % 2}};
       }},
      {"ring",
       [](int rank, int size, std::uint64_t round) {
         Sends sends{{(rank + 1) % size, 1 + round % 3}};
         sends[(rank + size - 1) % size] = 2;
         return sends;
       },
       false, true},
      {"ring, one way",
       [](int rank, int size, std::uint64_t) {
         return Sends{{(rank + 1) % size, 4}};
       },
       false, true},
      {"all to one",
       [](int rank, int size, std::uint64_t round) {
         return Sends{{static_cast<int>(round) % size, 1 + rank}};
       }},
      {"one to all",
       [](int rank, int size, std::uint64_t round) {
         Sends sends;
         for (int to = 0; rank == static_cast<int>(round) % size && to < size; ++to) sends[to] = 2;
         return sends;
       }},
      {"random",
       [](int rank, int size, std::uint64_t round) {
         Sends sends;
         const std::uint64_t partners = mix({1, round, static_cast<std::uint64_t>(rank)}) % 4;
         for (std::uint64_t k = 0; k < partners; ++k) {
           const std::uint64_t draw = mix({2, round, static_cast<std::uint64_t>(rank), k});
           sends[static_cast<int>(draw % size)] = 1 + (draw >> 32) % 5;
         }
         return sends;
       }},
      {"some ranks send nothing",
       [](int rank, int size, std::uint64_t round) {
         Sends sends;
         if (mix({3, round, static_cast<std::uint64_t>(rank)}) % 2 == 0) return sends;
         sends[static_cast<int>(mix({4, round, static_cast<std::uint64_t>(rank)}) % size)] = 1;
         return sends;
       }},
      {"all to all",
       [](int rank, int size, std::uint64_t round) {
         Sends sends;
         for (int to = 0; to < size; ++to) sends[to] = 1 + (rank + to + round) % 3;
         return sends;
       }},
      {"heavy tail",
       [](int rank, int size, std::uint64_t round) {
         Sends sends;
         for (int to = 0; to < size; ++to) sends[to] = (rank + to) % 2;
         if (rank == static_cast<int>(round) % size) sends[(rank + 1) % size] = 5000;
         return sends;
       }},
      {"zero-length rows",
       [](int rank, int size, std::uint64_t round) {
         Sends sends;
         for (int to = 0; to < size; ++to) {
           sends[to] = mix({5, round, static_cast<std::uint64_t>(rank * size + to)}) % 2;
         }
         return sends;
       }},
      {"all-zero bytes",
       [](int rank, int size, std::uint64_t) {
         Sends sends;
         for (int to = rank % 2; to < size; to += 2) sends[to] = 2;
         return sends;
       },
       true},
  };
  return all;
}

struct Rows {
  std::vector<int> ranks;
  std::vector<std::size_t> offsets{0};
  std::vector<std::byte> items;

  void add(const Pattern& pattern, int from, int to, bool incoming, std::size_t count,
           std::size_t item_size, std::uint64_t round) {
    ranks.push_back(incoming ? from : to);
    offsets.push_back(offsets.back() + count);
    const std::size_t begin = items.size();
    items.resize(begin + count * item_size);
    if (pattern.zero_bytes) return;
    for (std::size_t i = 0; begin + i < items.size(); i += sizeof(std::uint64_t)) {
      const std::uint64_t word =
          mix({round, static_cast<std::uint64_t>(from), static_cast<std::uint64_t>(to), i});
      std::memcpy(&items[begin + i], &word, std::min(sizeof word, items.size() - begin - i));
    }
  }
  bool operator==(const Rows&) const = default;
};

Rows outgoing(const Pattern& pattern, std::size_t item_size, std::uint64_t round) {
  const int rank = world().rank();
  Rows rows;
  const Sends sends = pattern.sends(rank, world().size(), round);
  // The destinations need no order: begin in the middle.
  std::vector<std::pair<int, std::size_t>> order(sends.begin(), sends.end());
  std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(order.size() / 2),
              order.end());
  for (const auto& [to, count] : order) rows.add(pattern, rank, to, false, count, item_size, round);
  return rows;
}

Rows expected(const Pattern& pattern, std::size_t item_size, std::uint64_t round) {
  Rows rows;
  for (int from = 0; from < world().size(); ++from) {
    const Sends sends = pattern.sends(from, world().size(), round);
    const auto here = sends.find(world().rank());
    if (here == sends.end() || here->second == 0) continue;
    rows.add(pattern, from, world().rank(), true, here->second, item_size, round);
  }
  return rows;
}

Rows exchanged(SparseExchangeBytes& exchange, const Rows& out, std::size_t item_size) {
  exchange.exchange(out.ranks, out.offsets, out.items.data());
  Rows in;
  in.ranks.assign(exchange.sources().begin(), exchange.sources().end());
  in.offsets.assign(exchange.offsets().begin(), exchange.offsets().end());
  const std::size_t bytes = in.offsets.back() * item_size;
  if (bytes > 0) in.items.assign(exchange.items(), exchange.items() + bytes);
  return in;
}

std::vector<int> ring_partners() {
  const int rank = world().rank(), size = world().size();
  return {(rank + 1) % size, (rank + size - 1) % size};
}

std::vector<int> everybody() {
  std::vector<int> ranks(world().size());
  for (int rank = 0; rank < world().size(); ++rank) ranks[rank] = rank;
  return ranks;
}

MethodTraits traits_of(std::string_view method) {
  return methods_called(sparse_methods(), method).front().traits;
}

SparseOptions options_for(std::string_view method, const Pattern& pattern) {
  SparseOptions options{std::string(method), "conformance " + pattern.name, {}};
  if (traits_of(method).needs_possible_sources)
    options.possible_sources = pattern.only_ring ? ring_partners() : everybody();
  return options;
}

/// Those that have to work must.
/// Whether the method can run here. STERNA_TEST_METHOD names the only one to be tested.
bool available(std::string_view method) {
  const char* const only = std::getenv("STERNA_TEST_METHOD");
  if (only != nullptr) REQUIRE(methods_called(sparse_methods(), only).size() == 1);
  if (only != nullptr && method != only) return false;
  return sterna::test::works(world(), methods_called(sparse_methods(), method).front(),
                             why_sparse_method_unavailable(world(), method));
}

/// Sleeps now and then, so that ranks enter rounds far apart.
void skew(std::uint64_t round) {
  const std::uint64_t draw = mix({6, round, static_cast<std::uint64_t>(world().rank())});
  if (draw % 8 == 0) std::this_thread::sleep_for(std::chrono::microseconds((draw >> 32) % 400));
}

const Pattern& pattern_named(std::string_view name) {
  for (const Pattern& pattern : patterns()) {
    if (pattern.name == name) return pattern;
  }
  FAIL("no such pattern");
  return patterns().front();
}

template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("sparse exchange: the table has lost no method") {
  sterna::test::check_names(sparse_methods(), {"alltoall", "allreduce", "nbx", "reduce_scatter",
                                               "rma_reserve", "rdma_reserve", "ofi_reserve",
                                               "superset", "two_level", "grid", "hypercube"});
}

TEST_CASE("sparse exchange: every method delivers every pattern") {
  for (const MethodInfo& method : sparse_methods()) {
    if (!available(method.name)) continue;
    for (const Pattern& pattern : patterns()) {
      for (const std::size_t item_size : {1, 76, 4096}) {
        // 5000 items of 4096 bytes would test the memory of the machine.
        if (item_size == 4096 && pattern.name == "heavy tail") continue;
        CAPTURE(method.name);
        CAPTURE(pattern.name);
        CAPTURE(item_size);
        SparseExchangeBytes exchange(world(), item_size, options_for(method.name, pattern));
        for (std::uint64_t round = 1; round <= 3; ++round) {
          CAPTURE(round);
          const Rows out = outgoing(pattern, item_size, round);
          CHECK(exchanged(exchange, out, item_size) == expected(pattern, item_size, round));
        }
      }
    }
  }
}

TEST_CASE("sparse exchange: counts beyond those of MPI") {
  // A lowered largest count sends kilobytes down the paths of 2^31 bytes.
  set_largest_count(300);
  for (const MethodInfo& method : sparse_methods()) {
    if (!available(method.name)) continue;
    for (const char* name : {"heavy tail", "all to all", "ring", "some ranks send nothing"}) {
      const Pattern& pattern = pattern_named(name);
      for (const std::size_t item_size : {1, 76}) {
        CAPTURE(method.name);
        CAPTURE(pattern.name);
        CAPTURE(item_size);
        SparseExchangeBytes exchange(world(), item_size, options_for(method.name, pattern));
        for (std::uint64_t round = 1; round <= 3; ++round) {
          CAPTURE(round);
          const Rows out = outgoing(pattern, item_size, round);
          CHECK(exchanged(exchange, out, item_size) == expected(pattern, item_size, round));
        }
      }
    }
  }
  set_largest_count(std::numeric_limits<int>::max());
}

TEST_CASE("sparse exchange: hundreds of rounds with skewed ranks") {
  const Pattern& random = pattern_named("random");
  const Pattern& silent = pattern_named("some ranks send nothing");
  constexpr std::size_t item_size = 24;
  for (const MethodInfo& method : sparse_methods()) {
    if (!available(method.name)) continue;
    CAPTURE(method.name);
    SparseExchangeBytes exchange(world(), item_size, options_for(method.name, random));
    int wrong = 0;
    for (std::uint64_t round = 1; round <= 300; ++round) {
      skew(round);
      const Pattern& pattern = round % 3 == 0 ? silent : random;
      const Rows in = exchanged(exchange, outgoing(pattern, item_size, round), item_size);
      wrong += in != expected(pattern, item_size, round);
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("sparse exchange: two exchanges in turn do not see each other's messages") {
  const Pattern& random = pattern_named("random");
  const Pattern& all = pattern_named("all to all");
  for (const MethodInfo& first : sparse_methods()) {
    for (const MethodInfo& second : sparse_methods()) {
      if (!available(first.name) || !available(second.name)) continue;
      CAPTURE(first.name);
      CAPTURE(second.name);
      SparseExchangeBytes a(world(), 8, options_for(first.name, random));
      SparseExchangeBytes b(world(), 16, options_for(second.name, all));
      int wrong = 0;
      for (std::uint64_t round = 1; round <= 16; ++round) {
        skew(round);
        wrong += exchanged(a, outgoing(random, 8, round), 8) != expected(random, 8, round);
        wrong += exchanged(b, outgoing(all, 16, round), 16) != expected(all, 16, round);
        if (round % 2 == 0) {
          wrong += exchanged(b, outgoing(random, 16, round), 16) != expected(random, 16, round);
        }
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("sparse exchange: the result may be sent on, and stays until the next call") {
  struct Visitor {
    int origin;
    int hops;
  };
  const int rank = world().rank(), size = world().size();
  for (const MethodInfo& method : sparse_methods()) {
    if (!available(method.name)) continue;
    CAPTURE(method.name);
    SparseExchange<Visitor> exchange(world(), options_for(method.name, pattern_named("ring")));
    const std::vector<int> next{(rank + 1) % size};
    const std::vector<std::size_t> offsets{0, 50};
    const std::vector<Visitor> first(50, Visitor{rank, 0});
    SparseRows<Visitor> rows = exchange({next, offsets, first});
    for (int hop = 2; hop <= 2 * size + 1; ++hop) {
      rows = exchange({next, rows.offsets, rows.items});
    }
    REQUIRE(rows.ranks.size() == 1);
    CHECK(rows.ranks[0] == (rank + size - 1) % size);
    REQUIRE(rows.items.size() == 50);
    const int origin = (rank + size - 1) % size;
    CHECK(std::all_of(rows.items.begin(), rows.items.end(),
                      [&](const Visitor& visitor) { return visitor.origin == origin; }));
    // Ranks as arguments that lie in the former result.
    rows = exchange({rows.ranks, rows.offsets, rows.items});
    REQUIRE(rows.ranks.size() == 1);
    CHECK(rows.ranks[0] == (rank + 1) % size);
    CHECK(rows.items[0].origin == rank);
  }
}

TEST_CASE("sparse exchange: auto and the verdict") {
  const Pattern& ring = pattern_named("ring");
  // What earlier tests have measured here is of no use to the model.
  const Context fresh;
  fresh.set_tuning({true, "none", false});
  SparseExchangeBytes unknown(fresh, 8, {});
  CHECK(why_sparse_method_unavailable(fresh, unknown.verdict().method).empty());
  if (fresh.size() > 1 && fresh.node_count() == 1 &&
      why_sparse_method_unavailable(fresh, "rdma_reserve").empty()) {
    CHECK(unknown.verdict().method == "rdma_reserve");
    CHECK(contains(unknown.verdict().text, "the model expects it to be the fastest"));
  }
  CHECK(unknown.verdict().rounds == 0);
  SparseOptions options{"auto", "migration", ring_partners()};
  SparseExchangeBytes known(fresh, 8, options);
  std::size_t bytes = 0;
  for (std::uint64_t round = 1; round <= 5; ++round) {
    CHECK(exchanged(known, outgoing(ring, 8, round), 8) == expected(ring, 8, round));
    for (const auto& [to, count] : ring.sends(world().rank(), world().size(), round)) {
      if (to != world().rank()) bytes += 8 * count;
    }
  }
  const Verdict verdict = known.verdict();
  CHECK(verdict.exchange == "migration");
  CHECK(verdict.method == "superset");
  CHECK(verdict.rounds == 5);
  CHECK(verdict.bytes_sent == bytes);
  const std::size_t partners = std::min(2, world().size() - 1);
  CHECK(verdict.messages_sent == 5 * partners);
  CHECK(verdict.median_us > 0.0);
  CHECK(contains(verdict.text, "superset"));
}

TEST_CASE("sparse exchange: alltoall counts the messages with counts and those with items") {
  // Also run on 12 ranks, where the counts travel in log2(ranks) steps.
  const Pattern& ring = pattern_named("ring");
  const int size = world().size();
  SparseExchangeBytes exchange(world(), 8, options_for("alltoall", ring));
  for (std::uint64_t round = 1; round <= 3; ++round) {
    CHECK(exchanged(exchange, outgoing(ring, 8, round), 8) == expected(ring, 8, round));
  }
  const int with_counts = size <= 11 ? size - 1 : std::bit_width(static_cast<unsigned>(size - 1));
  const int with_items = std::min(2, size - 1);
  const Verdict verdict = exchange.verdict();
  CHECK(verdict.messages_sent == static_cast<std::size_t>(3 * (with_counts + with_items)));
  // By destination there are those with items only, whatever way the method takes.
  REQUIRE(verdict.sent.size() == static_cast<std::size_t>(with_items));
  std::size_t bytes = 0;
  for (const SentToRank& sent : verdict.sent) {
    CHECK(sent.rank != world().rank());
    CHECK(sent.messages == 3);
    bytes += sent.bytes;
  }
  CHECK(bytes == verdict.bytes_sent);
}

TEST_CASE("sparse exchange: wrong arguments are told and leave the exchange usable") {
  const Pattern& ring = pattern_named("ring");
  const int size = world().size();
  const std::vector<std::byte> items(64);
  for (const MethodInfo& method : sparse_methods()) {
    if (!available(method.name)) continue;
    CAPTURE(method.name);
    SparseExchangeBytes exchange(world(), 8, options_for(method.name, ring));
    const auto told = [&](const std::vector<int>& to, const std::vector<std::size_t>& offsets) {
      return error_of([&] { exchange.exchange(to, offsets, items.data()); });
    };
    CHECK(contains(told({size}, {0, 1}), "destination " + std::to_string(size) + " is no rank"));
    CHECK(contains(told({-1}, {0, 1}), "destination -1 is no rank"));
    CHECK(contains(told({0, 0}, {0, 1, 2}),
                   size <= 3 ? "destination 0 is given twice" : "destination 0"));
    CHECK(contains(told({world().rank()}, {0}), "1 destinations need 2 offsets, not 1"));
    CHECK(contains(told({world().rank()}, {3, 1}), "must not descend"));
    CHECK(contains(told({size}, {0, 1}), "conformance ring: round 1:"));
    if (method.traits.needs_possible_sources && size >= 4) {
      const int far = (world().rank() + 2) % size;
      CHECK(contains(told({far}, {0, 1}), "destination " + std::to_string(far) +
                                              " is outside the possible sources of rank " +
                                              std::to_string(world().rank())));
    }
    for (std::uint64_t round = 1; round <= 2; ++round) {
      CHECK(exchanged(exchange, outgoing(ring, 8, round), 8) == expected(ring, 8, round));
    }
  }
  SparseExchange<double> typed(world());
  const std::vector<int> to{world().rank()};
  const std::vector<std::size_t> offsets{0, 3};
  const std::vector<double> two{1.0, 2.0};
  CHECK(contains(error_of([&] { typed({to, offsets, two}); }), "end at item 3"));
}

TEST_CASE("sparse exchange: wrong options are told on all ranks") {
  const auto told = [](const SparseOptions& options, std::size_t item_size = 8) {
    return error_of([&] { SparseExchangeBytes(world(), item_size, options); });
  };
  const int rank = world().rank(), size = world().size();
  CHECK(contains(told({"nbxx", "migration", {}}),
                 "unknown sparse method \"nbxx\"; did you mean \"nbx\"?"));
  CHECK(contains(told({"PCX", "migration", {}}), "did you mean \"reduce_scatter\"?"));
  CHECK(contains(told({"consensus", "migration", {}}), "did you mean \"nbx\"?"));
  CHECK(contains(told({"crystal-router", "migration", {}}), "did you mean \"hypercube\"?"));
  CHECK(contains(told({"Superste", "migration", {}}), "did you mean \"superset\"?"));
  CHECK(
      contains(told({"carrier pigeon", "migration", {}}), "Valid are: auto, alltoall, allreduce"));
  CHECK(contains(error_of([] { why_sparse_method_unavailable(world(), "altoall"); }),
                 "did you mean \"alltoall\"?"));
  CHECK(contains(told({"superset", "migration", {}}), "superset needs possible_sources"));
  CHECK(contains(told({"auto", "migration", std::vector<int>{size}}), "is no rank"));
  CHECK(contains(told({}, 0), "an item of 0 bytes"));
  if (size == 1) return;

  CHECK(contains(told({rank == 0 ? "nbx" : "alltoall", "migration", {}}),
                 "the ranks chose different methods"));
  CHECK(contains(told({}, rank == 0 ? 8 : 16), "different item sizes"));
  CHECK(contains(told({rank == 0 ? "none" : "nbx", "migration", {}}),
                 rank == 0 ? "unknown sparse method" : "another rank cannot take part"));
  std::vector<int> lopsided;
  if (rank == 1) lopsided.push_back(0);
  CHECK(contains(told({"superset", "migration", lopsided}),
                 "possible_sources is not symmetric: rank 1 lists rank 0, but rank 0 does not"));
}

// Last: the ranks that waited leave messages behind.
TEST_CASE("sparse exchange: a rank that does not come is named when the deadline passes") {
  // Each method waits, so each on one rank count.
  const Pattern& pattern = pattern_named("random");
  for (std::size_t i = 0; i < sparse_methods().size(); ++i) {
    const MethodInfo& method = sparse_methods()[i];
    if (world().size() != static_cast<int>(2 + i % 8) || !available(method.name)) continue;
    CAPTURE(method.name);
    const Context impatient;
    SparseExchangeBytes exchange(impatient, 8, options_for(method.name, pattern));
    exchanged(exchange, outgoing(pattern, 8, 1), 8);
    impatient.set_timeout(std::chrono::milliseconds(500));
    if (world().rank() != 0) {
      const std::string told = error_of([&] { exchanged(exchange, outgoing(pattern, 8, 2), 8); });
      CAPTURE(told);
      CHECK(contains(told, "conformance random"));
      CHECK(contains(told, "method " + std::string(method.name)));
      CHECK(contains(told, "round 2"));
      CHECK(contains(told, "for rank") == method.traits.names_late_rank);
      CHECK(contains(told, "timeout of 0.5 s"));
      CHECK(contains(error_of([&] { exchanged(exchange, {}, 8); }), "cannot be used any more"));
    }
    barrier(world());
  }
}

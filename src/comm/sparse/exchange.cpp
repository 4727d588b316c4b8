#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "comm/context/agreement.hpp"
#include "comm/context/context_implementation.hpp"
#include "comm/context/exchange_timing.hpp"
#include "comm/family/agreement.hpp"
#include "comm/family/change_methods.hpp"
#include "comm/family/round_record.hpp"
#include "comm/sparse/method.hpp"
#include "comm/sparse/select.hpp"
#include "comm/sparse/table.hpp"
#include "comm/tune/evidence_store.hpp"
#include "comm/tune/round_clock.hpp"
#include "comm/tune/tuner.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/item_bytes.hpp"
#include "sterna/comm/reduction_batch.hpp"
#include "sterna/comm/sparse_exchange.hpp"

namespace sterna::comm {

namespace {

/// Returns the sources ascending, unique and without this rank; throws if one of them is no rank.
std::optional<std::vector<int>> tidy_sources(const Context& context, const SparseOptions& options) {
  if (!options.possible_sources) return std::nullopt;
  std::vector<int> sources = *options.possible_sources;
  for (const int source : sources) {
    if (source >= 0 && source < context.size()) continue;
    throw Error(fmt::format("{}: possible source {} is no rank; there are ranks 0 to {}",
                            options.name, source, context.size() - 1));
  }
  std::sort(sources.begin(), sources.end());
  sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
  std::erase(sources, context.rank());
  return sources;
}

bool holds(const IncomingRows& rows, const std::byte* items) {
  const std::less<const std::byte*> before;
  return rows.items() != nullptr && !before(items, rows.items()) &&
         before(items, rows.items() + rows.capacity());
}

}  // namespace

namespace {

/// A method whose exchange was destroyed on this rank.
class ReleasedSparseMethod final : public CollectiveObject {
 public:
  explicit ReleasedSparseMethod(std::unique_ptr<SparseMethod> method)
      : method_(std::move(method)) {}
  std::uint64_t rounds() const override { return 0; }
  void end(std::uint64_t) override { method_->end(); }
  void keep_until_exit() override { method_->keep_until_exit(); }

 private:
  std::unique_ptr<SparseMethod> method_;
};

}  // namespace

class SparseExchangeBytes::Implementation {
 public:
  Implementation(const Context& context, std::size_t item_size, const SparseOptions& options)
      : setting_{context, options.name, {}, item_size, {}},
        results_{IncomingRows(item_size), IncomingRows(item_size)} {
    announce_object(context.implementation(), "a sparse exchange", options.name);
    std::string refusal;
    Selection selection;
    try {
      if (item_size == 0 || item_size > std::numeric_limits<int>::max()) {
        throw Error(
            fmt::format("{}: an item of {} bytes cannot be exchanged", options.name, item_size));
      }
      selection = select_sparse_method(context, options);
      setting_.method_name = sparse_method_table()[selection.method].info.name;
      reason_ = std::move(selection.reason);
      setting_.possible_sources = tidy_sources(context, options);
    } catch (const Error& error) {
      refusal = error.what();
    }
    agree(refusal, selection.method);
    current_method_ = selection.method;
    methods_.resize(sparse_method_table().size());
    try {
      if (selection.candidates.empty()) {
        make(current_method_);
      } else {
        tune(std::move(selection));
      }
    } catch (...) {
      give_up(methods_[current_method_]);
      throw;
    }
  }

  ~Implementation() {
    for (Entry& entry : methods_) give_up(entry);
  }
  Implementation(const Implementation&) = delete;
  Implementation& operator=(const Implementation&) = delete;

  void exchange(std::span<const int> destinations, std::span<const std::size_t> offsets,
                const std::byte* items) {
    if (broken_) {
      throw Error(fmt::format("{}: cannot be used any more, a wait in round {} failed",
                              setting_.exchange_name, rounds_));
    }
    if (context().failed) {
      throw Error(
          fmt::format("{}: round {} cannot start, communication with other ranks has failed",
                      setting_.exchange_name, rounds_ + 1));
    }
    check(destinations, offsets);
    if (tuner_ && tuner_->due()) change();
    ExchangeTiming* const timing = context().exchange_timing;
    if (timing != nullptr) timing->meet();
    const bool timed =
        timing != nullptr || (tuner_ ? tuner_->timed() : Tuner::worth_timing(rounds_));
    if (tuner_) current_method_ = tuner_->current();
    if (timed) clock_.start();
    collect_rows(destinations, offsets, items);
    // The previous result may be sent now, so the new result must not overwrite it.
    if (holds(results_[current_], items)) current_ = 1 - current_;
    IncomingRows& incoming = results_[current_];
    incoming.clear();
    if (self_count_ > 0) incoming.announce(setting_.context.rank(), self_count_);
    ++rounds_;
    std::size_t messages = 0;
    if (setting_.context.size() == 1) {
      incoming.arrange();
    } else {
      Entry& entry = methods_[current_method_];
      const OutgoingRound round{++entry.round, rows_, self_count_};
      broken_ = true;
      messages = entry.method->exchange(round, incoming);
      broken_ = false;
    }
    if (self_count_ > 0) {
      std::memcpy(incoming.row(setting_.context.rank()), self_items_,
                  self_count_ * setting_.item_size);
    }
    const double us = timed ? clock_.stop() : 0.0;
    if (timed) record_.note_time(us);
    if (timing != nullptr) timing->communication += 1e-6 * us;
    Tuner::Traffic traffic{rows_.size(), 0, 0};
    for (const OutgoingRow& row : rows_) {
      traffic.bytes += row.count * setting_.item_size;
      record_.note_sent(row.destination, row.count * setting_.item_size);
      if (!setting_.context.on_my_node(row.destination)) ++traffic.off_node;
    }
    record_.note_traffic(messages, traffic.bytes);
    if (tuner_) tuner_->note(us, traffic);
  }

  const IncomingRows& result() const { return results_[current_]; }
  Context::Implementation& context() const { return setting_.context.implementation(); }
  /// A failed wait has left messages under way that may still be written into this memory.
  bool broken() const { return broken_; }

  Verdict verdict() const {
    return record_.verdict(setting_.exchange_name, rounds_, tuner_, setting_.method_name, reason_);
  }

 private:
  /// A method of the table. Each method counts its own rounds, without gaps.
  struct Entry {
    std::unique_ptr<SparseMethod> method;
    std::uint64_t round = 0;
    std::uint64_t number = 0;  ///< number of the method among the collective objects of the context
  };

  void make(std::size_t index) {
    const SparseMethodRow& row = sparse_method_table()[index];
    context().collective_objects.end_released_by_all(context());
    if (row.info.traits.ends_together)
      methods_[index].number = context().collective_objects.announce();
    SparseSetting setting = setting_;
    setting.context = Context::Implementation::unowned(setting_.context);
    setting.method_name = row.info.name;
    methods_[index].method = row.make(setting);
  }

  /// Gives a method up. Waits for no rank.
  void give_up(Entry& entry) noexcept {
    if (entry.number != 0) {
      std::unique_ptr<ReleasedSparseMethod> object;
      if (entry.method) object = std::make_unique<ReleasedSparseMethod>(std::move(entry.method));
      context().collective_objects.release(entry.number, std::move(object));
    }
    entry = {};
  }

  /// Begins with the method that the model expects to be fastest, or with the usual one if that
  /// cannot be made here. Collective.
  void tune(Selection selection) {
    std::vector<std::string> reasons;
    for (const Candidate& candidate : selection.candidates) reasons.push_back(candidate.why_not);
    reasons = agree_on_reasons(context(), reasons, setting_.exchange_name);
    for (std::size_t i = 0; i < reasons.size(); ++i) selection.candidates[i].why_not = reasons[i];
    const double sources =
        setting_.possible_sources ? static_cast<double>(setting_.possible_sources->size()) : 0.0;
    TunerSetting tuning{
        setting_.context, "sparse", setting_.exchange_name, std::move(selection.candidates),
        selection.method, reason_,  sparse_tuning,          sources};
    const std::size_t expected = expected_best(tuning, expected_shape(sources));
    if (expected != current_method_) {
      const std::string fault = try_to_make(expected);
      if (fault.empty()) {
        current_method_ = tuning.usual = expected;
        reason_ = tuning.usual_reason = "the model expects it to be the fastest";
      } else {
        tuning.candidates[expected].why_not = fault;
      }
    }
    if (!methods_[current_method_].method) make(current_method_);
    tuner_.emplace(std::move(tuning));
  }

  /// Nothing is known of the coming rounds, so a pattern is assumed in which particles move to a
  /// few neighbors.
  PatternShape expected_shape(double sources) const {
    constexpr double usual_peers = 6.0;
    constexpr double usual_bytes = 1000.0;
    const Context& context = setting_.context;
    const double others = context.size() - 1.0;
    const int on_node = most_ranks_on_a_node(context);
    const double peers = std::min(sources > 0.0 ? sources : usual_peers, others);
    return {context.size(),
            on_node,
            peers,
            peers > 0.0 ? usual_bytes : 0.0,
            others > 0.0 ? (context.size() - on_node) / others : 0.0,
            sources};
  }

  /// Makes a method. Returns why it cannot be made, on all ranks alike. Collective.
  std::string try_to_make(std::size_t index) {
    std::string fault;
    try {
      make(index);
    } catch (const Error& error) {
      if (context().failed) throw;
      fault = error.what();
    }
    fault = agree_on_reason(context(), fault, setting_.exchange_name);
    if (!fault.empty()) give_up(methods_[index]);
    return fault;
  }

  /// Agrees on the methods that may carry the next rounds, and makes them. Collective.
  void change() {
    broken_ = true;
    const auto give_up_method = [&](std::size_t i) { give_up(methods_[i]); };
    change_methods(
        *tuner_, context(), setting_.exchange_name, methods_.size(),
        [&](std::size_t i) { return methods_[i].method != nullptr; },
        [&](std::size_t i) { make(i); }, give_up_method, give_up_method);
    broken_ = false;
  }

  /// Throws on all ranks if one of them cannot take part, or if the ranks were given different
  /// methods or item sizes, which would otherwise end in an endless wait. Collective.
  void agree(const std::string& refusal, std::size_t index) {
    const auto& table = sparse_method_table();
    const std::int64_t method = refusal.empty() ? static_cast<std::int64_t>(index) : -1;
    const auto size = static_cast<std::int64_t>(setting_.item_size);
    std::int64_t first_method = method, last_method = method, least_size = size, most_size = size;
    ReductionBatch agreement(setting_.context, setting_.exchange_name);
    agreement.min(first_method).max(last_method).min(least_size).max(most_size).run();
    if (!refusal.empty()) throw Error(refusal);
    if (first_method < 0) {
      throw Error(fmt::format("{}: another rank cannot take part; its error says why",
                              setting_.exchange_name));
    }
    if (first_method != last_method) {
      throw Error(fmt::format(
          "{}: the ranks chose different methods ({} here, {} and {} elsewhere); with auto, either "
          "all ranks or none must give possible_sources",
          setting_.exchange_name, setting_.method_name,
          table[static_cast<std::size_t>(first_method)].info.name,
          table[static_cast<std::size_t>(last_method)].info.name));
    }
    if (least_size != most_size) {
      throw Error(
          fmt::format("{}: the ranks have different item sizes ({} bytes here, {} to {} "
                      "elsewhere)",
                      setting_.exchange_name, size, least_size, most_size));
    }
  }

  void check(std::span<const int> destinations, std::span<const std::size_t> offsets) {
    const auto fail = [&](const std::string& why) {
      throw Error(fmt::format("{}: round {}: {}", setting_.exchange_name, rounds_ + 1, why));
    };
    if (offsets.size() != destinations.size() + 1 && !(destinations.empty() && offsets.empty())) {
      fail(fmt::format("{} destinations need {} offsets, not {}", destinations.size(),
                       destinations.size() + 1, offsets.size()));
    }
    for (std::size_t i = 0; i < destinations.size(); ++i) {
      if (offsets[i] > offsets[i + 1]) {
        fail(fmt::format("offsets must not descend, but offset {} is {} and offset {} is {}", i,
                         offsets[i], i + 1, offsets[i + 1]));
      }
      if (destinations[i] < 0 || destinations[i] >= setting_.context.size()) {
        fail(fmt::format("destination {} is no rank; there are ranks 0 to {}", destinations[i],
                         setting_.context.size() - 1));
      }
      if (!may_send_to(destinations[i]) && offsets[i] < offsets[i + 1]) {
        fail(
            fmt::format("destination {} is outside the possible sources of rank {} that method {} "
                        "was given; give the larger set to all ranks, or none to any",
                        destinations[i], setting_.context.rank(), setting_.method_name));
      }
    }
    if (!offsets.empty() && item_bytes(offsets.back(), setting_.item_size) == too_many_bytes) {
      fail(fmt::format("offset {} is of {} items of {} bytes, which no memory has",
                       offsets.size() - 1, offsets.back(), setting_.item_size));
    }
    sorted_.assign(destinations.begin(), destinations.end());
    if (!std::is_sorted(sorted_.begin(), sorted_.end())) std::sort(sorted_.begin(), sorted_.end());
    const auto twice = std::adjacent_find(sorted_.begin(), sorted_.end());
    if (twice != sorted_.end()) fail(fmt::format("destination {} is given twice", *twice));
  }

  bool may_send_to(int rank) const {
    const auto& sources = setting_.possible_sources;
    return !sources || rank == setting_.context.rank() ||
           std::binary_search(sources->begin(), sources->end(), rank);
  }

  void collect_rows(std::span<const int> destinations, std::span<const std::size_t> offsets,
                    const std::byte* items) {
    rows_.clear();
    self_count_ = 0;
    for (std::size_t i = 0; i < destinations.size(); ++i) {
      const std::size_t count = offsets[i + 1] - offsets[i];
      if (count == 0) continue;
      const std::byte* const first = items + offsets[i] * setting_.item_size;
      if (destinations[i] == setting_.context.rank()) {
        self_count_ = count;
        self_items_ = first;
      } else {
        rows_.push_back({destinations[i], first, count});
      }
    }
  }

  SparseSetting setting_;
  std::string reason_;
  std::vector<Entry> methods_;  ///< in the order of the table
  std::size_t current_method_ = 0;
  std::optional<Tuner> tuner_;
  std::array<IncomingRows, 2> results_;
  std::size_t current_ = 0;
  bool broken_ = false;
  std::vector<OutgoingRow> rows_;
  std::size_t self_count_ = 0;
  const std::byte* self_items_ = nullptr;
  std::vector<int> sorted_;
  RoundClock clock_;
  RoundRecord record_;
  std::size_t rounds_ = 0;
};

SparseExchangeBytes::SparseExchangeBytes(const Context& context, std::size_t item_size,
                                         const SparseOptions& options)
    : implementation_(std::make_unique<Implementation>(context, item_size, options)) {}
SparseExchangeBytes::~SparseExchangeBytes() {
  if (implementation_ && implementation_->broken()) {
    implementation_->context().keep_until_exit(std::move(implementation_));
  }
}
SparseExchangeBytes::SparseExchangeBytes(SparseExchangeBytes&&) noexcept = default;
SparseExchangeBytes& SparseExchangeBytes::operator=(SparseExchangeBytes&& other) noexcept {
  std::swap(implementation_, other.implementation_);
  return *this;
}

void SparseExchangeBytes::exchange(std::span<const int> destinations,
                                   std::span<const std::size_t> offsets, const std::byte* items) {
  implementation_->exchange(destinations, offsets, items);
}
std::span<const int> SparseExchangeBytes::sources() const {
  return implementation_->result().sources();
}
std::span<const std::size_t> SparseExchangeBytes::offsets() const {
  return implementation_->result().offsets();
}
const std::byte* SparseExchangeBytes::items() const {
  return implementation_->result().items();
}
Verdict SparseExchangeBytes::verdict() const {
  return implementation_->verdict();
}

}  // namespace sterna::comm

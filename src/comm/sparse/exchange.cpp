#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <functional>
#include <limits>
#include <utility>

#include "comm/context/context_implementation.hpp"
#include "comm/sparse/method.hpp"
#include "comm/sparse/table.hpp"
#include "comm/tune/select_sparse_method.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/reduction_batch.hpp"
#include "sterna/comm/sparse_exchange.hpp"

namespace sterna::comm {

namespace {

/// Round times that the median of the verdict is taken over, the latest ones.
constexpr std::size_t kept_times = 4096;

/// Ascending, unique, without this rank; throws where one is no rank.
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

class SparseExchangeBytes::Implementation {
 public:
  Implementation(const Context& context, std::size_t item_size, const SparseOptions& options)
      : setting_{context, options.name, {}, item_size, {}},
        results_{IncomingRows(item_size), IncomingRows(item_size)} {
    std::string refusal;
    try {
      if (item_size == 0 || item_size > std::numeric_limits<int>::max()) {
        throw Error(
            fmt::format("{}: an item of {} bytes cannot be exchanged", options.name, item_size));
      }
      SparseSelection selection = select_sparse_method(context, options);
      setting_.method = selection.method;
      reason_ = std::move(selection.reason);
      setting_.possible_sources = tidy_sources(context, options);
    } catch (const Error& error) {
      refusal = error.what();
    }
    agree(refusal);
    method_ = find_sparse_method(setting_.method).make(setting_);
  }

  void exchange(std::span<const int> destinations, std::span<const std::size_t> offsets,
                const std::byte* items) {
    if (broken_) {
      throw Error(fmt::format("{}: cannot be used any more, a wait in round {} failed",
                              setting_.exchange, rounds_));
    }
    if (context().failed) {
      throw Error(
          fmt::format("{}: round {} cannot start, communication with other ranks has failed",
                      setting_.exchange, rounds_ + 1));
    }
    const auto start = std::chrono::steady_clock::now();
    check(destinations, offsets);
    collect_rows(destinations, offsets, items);
    // The former result may be what is sent now; then the new one must not overwrite it.
    if (holds(results_[current_], items)) current_ = 1 - current_;
    IncomingRows& incoming = results_[current_];
    incoming.clear();
    if (self_count_ > 0) incoming.announce(setting_.context.rank(), self_count_);
    const OutgoingRound round{rounds_ + 1, rows_, self_count_};
    ++rounds_;
    if (setting_.context.size() == 1) {
      incoming.arrange();
    } else {
      broken_ = true;
      messages_ += method_->exchange(round, incoming);
      broken_ = false;
    }
    if (self_count_ > 0) {
      std::memcpy(incoming.row(setting_.context.rank()), self_items_,
                  self_count_ * setting_.item_size);
    }
    for (const OutgoingRow& row : rows_) bytes_ += row.count * setting_.item_size;
    note_time(std::chrono::steady_clock::now() - start);
  }

  const IncomingRows& result() const { return results_[current_]; }
  Context::Implementation& context() const { return setting_.context.implementation(); }
  /// A failed wait left messages in flight that may still be written into our memory.
  bool broken() const { return broken_; }

  Verdict verdict() const {
    Verdict verdict{setting_.exchange, std::string(setting_.method), {}, rounds_, 0.0, bytes_,
                    messages_};
    if (!times_.empty()) {
      std::vector<double> sorted = times_;
      const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
      std::nth_element(sorted.begin(), middle, sorted.end());
      verdict.median_us = *middle;
    }
    verdict.text = fmt::format("{} {:.1f} us ({})", setting_.method, verdict.median_us, reason_);
    return verdict;
  }

 private:
  /// Collective: throws on all ranks where one cannot take part, or the ranks were given different
  /// methods or item sizes, which would otherwise show as a wait without end.
  void agree(const std::string& refusal) {
    const auto table = sparse_method_table();
    std::int64_t method = -1;
    for (std::size_t i = 0; refusal.empty() && i < table.size(); ++i) {
      if (table[i].info.name == setting_.method) method = static_cast<std::int64_t>(i);
    }
    const auto size = static_cast<std::int64_t>(setting_.item_size);
    std::int64_t first_method = method, last_method = method, least_size = size, most_size = size;
    ReductionBatch agreement(setting_.context, setting_.exchange);
    agreement.min(first_method).max(last_method).min(least_size).max(most_size).run();
    if (!refusal.empty()) throw Error(refusal);
    if (first_method < 0) {
      throw Error(
          fmt::format("{}: another rank cannot take part; its error says why", setting_.exchange));
    }
    if (first_method != last_method) {
      throw Error(fmt::format(
          "{}: the ranks chose different methods ({} here, {} and {} elsewhere); with auto, either "
          "all ranks or none must give possible_sources",
          setting_.exchange, setting_.method,
          table[static_cast<std::size_t>(first_method)].info.name,
          table[static_cast<std::size_t>(last_method)].info.name));
    }
    if (least_size != most_size) {
      throw Error(
          fmt::format("{}: the ranks have different item sizes ({} bytes here, {} to {} "
                      "elsewhere)",
                      setting_.exchange, size, least_size, most_size));
    }
  }

  void check(std::span<const int> destinations, std::span<const std::size_t> offsets) {
    const auto fail = [&](const std::string& why) {
      throw Error(fmt::format("{}: round {}: {}", setting_.exchange, rounds_ + 1, why));
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
                        "was given; give the larger set to all ranks, or use method nbx",
                        destinations[i], setting_.context.rank(), setting_.method));
      }
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

  void note_time(std::chrono::duration<double, std::micro> time) {
    if (times_.size() < kept_times) {
      times_.push_back(time.count());
    } else {
      times_[(rounds_ - 1) % kept_times] = time.count();
    }
  }

  SparseSetting setting_;
  std::string reason_;
  std::unique_ptr<SparseMethod> method_;
  std::array<IncomingRows, 2> results_;
  std::size_t current_ = 0;
  bool broken_ = false;
  std::vector<OutgoingRow> rows_;
  std::size_t self_count_ = 0;
  const std::byte* self_items_ = nullptr;
  std::vector<int> sorted_;
  std::vector<double> times_;
  std::size_t rounds_ = 0;
  std::size_t bytes_ = 0;
  std::size_t messages_ = 0;
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

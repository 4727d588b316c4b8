#include "sterna/comm/reduction_batch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "comm/context/exchange_timing.hpp"
#include "comm/context/mpi_error.hpp"
#include "comm/context/waiter.hpp"
#include "comm/reduce/node_reduction.hpp"
#include "comm/tune/round_clock.hpp"
#include "sterna/comm/error.hpp"

// All values travel as one element of a derived type: a header with the number of values of each
// kind, then the values, kind after kind. The operation reads the header of the element, so it
// needs no knowledge of its batch. An element cannot be cut into segments, so every MPI combines
// whole contributions along one tree (recursive doubling, or reduce and broadcast). Addition,
// maximum and minimum commute bit for bit, so all ranks get the same bits.
//
// In fixed order every rank gathers all elements and combines them itself, rank after rank. On one
// node every rank does the same in both orders, from shared memory, once a batch has run a few
// times. Elsewhere MPI's own operation then reduces a batch of one kind, if MPI has one for it.

namespace sterna::comm {
namespace {

enum Kind : std::size_t { sum_double, max_double, min_double, sum_int, max_int, min_int, kinds };
constexpr std::size_t double_kinds = 3;

/// Shared memory is made for a batch from this round with the same values on. Making it takes as
/// long as some hundred rounds, which a batch with few runs would not get back.
constexpr std::uint64_t rounds_before_sharing = 16;

struct Header {
  std::array<std::uint64_t, kinds> counts{};
  /// Not 0 if the batches of two ranks differ.
  std::uint64_t mismatch = 0;
};
static_assert(sizeof(Header) % sizeof(double) == 0);

/// NaN wins, and -0 counts as below +0; otherwise the result would depend on the order of
/// arguments.
double larger(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
double smaller(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
std::int64_t wrapping_sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

template <class T, class Combine>
void combine_section(const std::byte*& in, std::byte*& result, std::uint64_t count,
                     Combine combine) {
  for (std::uint64_t i = 0; i < count; ++i) {
    T a;
    T b;
    std::memcpy(&a, in, sizeof a);
    std::memcpy(&b, result, sizeof b);
    const T c = combine(a, b);
    std::memcpy(result, &c, sizeof c);
    in += sizeof(T);
    result += sizeof(T);
  }
}

/// Sets result to its combination with in, or marks it if the two have different counts.
void combine_element(const std::byte*& in, std::byte*& result) {
  Header a;
  Header b;
  std::memcpy(&a, in, sizeof a);
  std::memcpy(&b, result, sizeof b);
  b.mismatch |= a.mismatch;
  if (a.counts != b.counts) b.mismatch = 1;
  std::memcpy(result, &b, sizeof b);
  if (b.mismatch != 0) return;
  in += sizeof a;
  result += sizeof b;
  combine_section<double>(in, result, a.counts[sum_double],
                          [](double x, double y) { return y + x; });
  combine_section<double>(in, result, a.counts[max_double], larger);
  combine_section<double>(in, result, a.counts[min_double], smaller);
  combine_section<std::int64_t>(in, result, a.counts[sum_int], wrapping_sum);
  combine_section<std::int64_t>(in, result, a.counts[max_int],
                                [](std::int64_t x, std::int64_t y) { return x > y ? x : y; });
  combine_section<std::int64_t>(in, result, a.counts[min_int],
                                [](std::int64_t x, std::int64_t y) { return x < y ? x : y; });
}

void combine_elements(void* in_data, void* result_data, int* length, MPI_Datatype*) {
  const auto* in = static_cast<const std::byte*>(in_data);
  auto* result = static_cast<std::byte*>(result_data);
  for (int element = 0; element < *length; ++element) combine_element(in, result);
}

/// Returns the derived type of one element; `shape` has the counts of the header.
MPI_Datatype element_type(const std::array<std::uint64_t, kinds>& shape) {
  std::uint64_t doubles = 0;
  std::uint64_t integers = sizeof(Header) / sizeof(std::uint64_t);
  std::uint64_t trailing = 0;
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    (kind < double_kinds ? doubles : trailing) += shape[kind];
  }
  const int lengths[] = {static_cast<int>(integers), static_cast<int>(doubles),
                         static_cast<int>(trailing)};
  const MPI_Aint offsets[] = {0, static_cast<MPI_Aint>(sizeof(Header)),
                              static_cast<MPI_Aint>(sizeof(Header) + doubles * sizeof(double))};
  const MPI_Datatype types[] = {MPI_UINT64_T, MPI_DOUBLE, MPI_INT64_T};
  MPI_Datatype type = MPI_DATATYPE_NULL;
  check_mpi(MPI_Type_create_struct(3, lengths, offsets, types, &type), "reduction");
  check_mpi(MPI_Type_commit(&type), "reduction");
  return type;
}

/// With synchronized timing, counts the time of its life as communication.
class Communicating {
 public:
  explicit Communicating(const Context::Implementation& context)
      : timing_(context.exchange_timing) {
    if (timing_ != nullptr) clock_.start();
  }
  ~Communicating() {
    if (timing_ != nullptr) timing_->communication += 1e-6 * clock_.stop();
  }
  Communicating(const Communicating&) = delete;
  Communicating& operator=(const Communicating&) = delete;

 private:
  ExchangeTiming* timing_;
  RoundClock clock_;
};

}  // namespace

class ReductionBatch::Implementation {
 public:
  Implementation(const Context& context, std::string name, ReductionOrder order)
      : context_(context), name_(std::move(name)), order_(order) {
    check_mpi(MPI_Op_create(&combine_elements, /*commute=*/1, &operation_), name_);
  }

  ~Implementation() {
    // After a failure MPI may still use the type, the operation and the buffers.
    if (in_flight()) {
      context_.implementation().keep_until_exit(buffers_);
      return;
    }
    if (Context::Implementation::mpi_has_ended()) return;
    if (type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
    MPI_Op_free(&operation_);
  }

  void add(Kind kind, void* values, std::size_t count) {
    if (in_flight()) throw Error(fmt::format("{}: values added between start and finish", name_));
    if (count == 0) return;
    variables_[kind].push_back({static_cast<std::byte*>(values), count});
    counts_[kind] += count;
    if (type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
    type_ = MPI_DATATYPE_NULL;
    rounds_with_these_ = 0;
  }

  void start() {
    if (in_flight()) throw Error(fmt::format("{}: started twice without finish", name_));
    const Communicating communicating(context_.implementation());
    ++round_;
    if (type_ == MPI_DATATYPE_NULL) {
      std::uint64_t values = 0;
      for (const std::uint64_t count : counts_) values += count;
      if (values > static_cast<std::uint64_t>(std::numeric_limits<int>::max() / 16)) {
        throw Error(
            fmt::format("{}: {} values are more than one reduction can hold", name_, values));
      }
      if (shared_) {
        leave_shared_memory();
      } else if (order_ == ReductionOrder::fixed) {
        require_equal_counts();
      }
      type_ = element_type(counts_);
      const std::size_t element = sizeof(Header) + values * sizeof(double);
      buffers_->in.resize(element);
      buffers_->out.resize(order_ == ReductionOrder::fixed
                               ? element * static_cast<std::size_t>(context_.size())
                               : element);
    }
    Header header;
    header.counts = counts_;
    std::memcpy(buffers_->in.data(), &header, sizeof header);
    std::byte* to = buffers_->in.data() + sizeof header;
    for (const auto& section : variables_) {
      for (const Variable& variable : section) {
        if (variable.count == 0) continue;  // an array without memory may have a null pointer
        std::memcpy(to, variable.values, variable.count * sizeof(double));
        to += variable.count * sizeof(double);
      }
    }
    ++rounds_with_these_;
    if (share()) return;
    const MPI_Comm communicator = context_.implementation().communicator;
    if (const auto plain = plain_operation()) {
      check_mpi(
          MPI_Iallreduce(buffers_->in.data() + sizeof header, buffers_->out.data() + sizeof header,
                         static_cast<int>(counts_[plain->kind]), plain->type, plain->operation,
                         communicator, &request_),
          name_);
      std::memcpy(buffers_->out.data(), &header, sizeof header);
    } else if (order_ == ReductionOrder::fixed) {
      check_mpi(MPI_Iallgather(buffers_->in.data(), 1, type_, buffers_->out.data(), 1, type_,
                               communicator, &request_),
                name_);
    } else {
      check_mpi(MPI_Iallreduce(buffers_->in.data(), buffers_->out.data(), 1, type_, operation_,
                               communicator, &request_),
                name_);
    }
  }

  void progress() {
    if (request_ == MPI_REQUEST_NULL) return;
    int complete = 0;
    check_mpi(MPI_Request_get_status(request_, &complete, MPI_STATUS_IGNORE), name_);
  }

  void finish() {
    if (!in_flight()) throw Error(fmt::format("{}: finished without start", name_));
    if (auto* timing = context_.implementation().exchange_timing) timing->meet();
    const Communicating communicating(context_.implementation());
    if (in_shared_memory_) {
      wait_for_contributions();
      combine_contributions();
    } else {
      const bool plain = plain_operation().has_value();
      try {
        wait_for_request(context_.implementation(), request_, name_, method(), round_);
      } catch (...) {
        context_.implementation().keep_until_exit(buffers_);
        throw;
      }
      if (order_ == ReductionOrder::fixed && !plain) combine_in_order();
    }
    Header header;
    std::memcpy(&header, buffers_->out.data(), sizeof header);
    if (header.mismatch != 0 || header.counts != counts_) throw_different_counts();
    const std::byte* from = buffers_->out.data() + sizeof header;
    for (const auto& section : variables_) {
      for (const Variable& variable : section) {
        if (variable.count == 0) continue;
        std::memcpy(variable.values, from, variable.count * sizeof(double));
        from += variable.count * sizeof(double);
      }
    }
  }

 private:
  struct Variable {
    std::byte* values;
    std::size_t count;
  };
  struct Buffers {
    std::vector<std::byte> in;
    std::vector<std::byte> out;
  };
  static_assert(sizeof(double) == sizeof(std::int64_t));

  bool in_flight() const { return request_ != MPI_REQUEST_NULL || in_shared_memory_; }

  /// An operation of MPI that reduces a batch of one kind.
  struct PlainOperation {
    Kind kind;
    MPI_Datatype type;
    MPI_Op operation;
  };
  /// Returns none before the ranks have found that they registered the same values. MPI's maxima of
  /// doubles are not used, because they do not specify which zero and which NaN they return.
  std::optional<PlainOperation> plain_operation() const {
    if (rounds_with_these_ < 2 || order_ == ReductionOrder::fixed) return std::nullopt;
    const auto kind = static_cast<std::size_t>(
        std::ranges::find_if(counts_, [](std::uint64_t count) { return count > 0; }) -
        counts_.begin());
    if (kind == kinds ||
        std::ranges::count_if(counts_, [](std::uint64_t count) { return count > 0; }) > 1) {
      return std::nullopt;
    }
    switch (kind) {
      case sum_double:
        return PlainOperation{sum_double, MPI_DOUBLE, MPI_SUM};
      case sum_int:
        return PlainOperation{sum_int, MPI_INT64_T, MPI_SUM};
      case max_int:
        return PlainOperation{max_int, MPI_INT64_T, MPI_MAX};
      case min_int:
        return PlainOperation{min_int, MPI_INT64_T, MPI_MIN};
      default:
        return std::nullopt;
    }
  }

  /// Returns true if this round goes through shared memory; then its contribution is stored.
  bool share() {
    Context::Implementation& context = context_.implementation();
    if (!shared_ && rounds_with_these_ == rounds_before_sharing &&
        NodeReduction::serves(context, buffers_->in.size())) {
      shared_ = std::make_unique<NodeReduction>(context, name_, context.reserve_tags(1),
                                                buffers_->in.size());
    }
    if (!shared_) return false;
    shared_->store(round_, buffers_->in);
    in_shared_memory_ = true;
    return true;
  }

  /// Ends the use of shared memory after values were added that do not fit into it. In this round
  /// the ranks tell each other only how many values they have now. Ranks that have added none
  /// recognize that this is no contribution.
  void leave_shared_memory() {
    Header mine;
    mine.counts = counts_;
    mine.mismatch = 1;
    shared_->store(round_, std::as_bytes(std::span(&mine, 1)));
    wait_for_contributions();
    bool all_alike = true;
    for (int rank = 0; rank < context_.size(); ++rank) {
      Header theirs;
      std::memcpy(&theirs, shared_->contribution(rank, round_), sizeof theirs);
      all_alike = all_alike && theirs.mismatch != 0 && theirs.counts == counts_;
    }
    shared_.reset();
    if (!all_alike) throw_different_counts();
  }

  void wait_for_contributions() {
    in_shared_memory_ = false;  // cleared first, so that it is false after an error, too
    int late = -1;
    Waiter(context_.implementation(), Watched::memory)
        .wait([&] { return (late = shared_->late_rank(round_)) < 0; },
              [&] {
                return Awaited{name_, "shared memory", round_, {late}};
              });
  }

  /// Combines the contributions into `out`, in the order of the ranks.
  void combine_contributions() {
    std::byte* const result = buffers_->out.data();
    for (int rank = 0; rank < context_.size(); ++rank) {
      Header theirs;
      std::memcpy(&theirs, shared_->contribution(rank, round_), sizeof theirs);
      if (theirs.mismatch != 0 || theirs.counts != counts_) throw_different_counts();
      const std::byte* in = shared_->contribution(rank, round_);
      std::byte* out = result;
      if (rank == 0) {
        std::memcpy(out, in, buffers_->in.size());
      } else {
        combine_element(in, out);
      }
    }
  }

  std::string_view method() const {
    return order_ == ReductionOrder::fixed ? "allgather" : "allreduce";
  }

  [[noreturn]] void throw_different_counts() const {
    throw Error(fmt::format("{}: the ranks registered different numbers of values", name_));
  }

  /// Combines the gathered elements into the first one. Elements of different length cannot be
  /// gathered, so `require_equal_counts` comes before.
  void combine_in_order() {
    const std::byte* in = buffers_->out.data() + buffers_->in.size();
    for (int rank = 1; rank < context_.size(); ++rank) {
      std::byte* result = buffers_->out.data();
      combine_element(in, result);
    }
  }

  void require_equal_counts() {
    auto limits = std::make_shared<std::array<std::uint64_t, 2 * kinds>>();
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      (*limits)[kind] = counts_[kind];
      (*limits)[kinds + kind] = ~counts_[kind];  // the maximum of the complement gives the minimum
    }
    check_mpi(
        MPI_Iallreduce(MPI_IN_PLACE, limits->data(), static_cast<int>(limits->size()), MPI_UINT64_T,
                       MPI_MAX, context_.implementation().communicator, &request_),
        name_);
    try {
      wait_for_request(context_.implementation(), request_, name_, "allreduce", round_);
    } catch (...) {
      context_.implementation().keep_until_exit(limits);
      throw;
    }
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      if ((*limits)[kind] != ~(*limits)[kinds + kind]) throw_different_counts();
    }
  }

  Context context_;
  std::string name_;
  ReductionOrder order_;
  std::array<std::vector<Variable>, kinds> variables_;
  std::array<std::uint64_t, kinds> counts_{};
  std::shared_ptr<Buffers> buffers_ = std::make_shared<Buffers>();
  MPI_Op operation_ = MPI_OP_NULL;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  MPI_Request request_ = MPI_REQUEST_NULL;
  std::uint64_t round_ = 0;
  std::uint64_t rounds_with_these_ = 0;  ///< number of rounds since values were added
  std::unique_ptr<NodeReduction> shared_;
  bool in_shared_memory_ = false;  ///< true if the round under way uses it
};

ReductionBatch::ReductionBatch(const Context& context, std::string name, ReductionOrder order)
    : implementation_(std::make_unique<Implementation>(context, std::move(name), order)) {}
ReductionBatch::~ReductionBatch() = default;
ReductionBatch::ReductionBatch(ReductionBatch&&) noexcept = default;
ReductionBatch& ReductionBatch::operator=(ReductionBatch&&) noexcept = default;

ReductionBatch& ReductionBatch::sum(double& value) {
  return sum(&value, 1);
}
ReductionBatch& ReductionBatch::max(double& value) {
  implementation_->add(max_double, &value, 1);
  return *this;
}
ReductionBatch& ReductionBatch::min(double& value) {
  implementation_->add(min_double, &value, 1);
  return *this;
}
ReductionBatch& ReductionBatch::sum(std::int64_t& value) {
  return sum(&value, 1);
}
ReductionBatch& ReductionBatch::max(std::int64_t& value) {
  implementation_->add(max_int, &value, 1);
  return *this;
}
ReductionBatch& ReductionBatch::min(std::int64_t& value) {
  implementation_->add(min_int, &value, 1);
  return *this;
}
ReductionBatch& ReductionBatch::sum(double* values, std::size_t count) {
  implementation_->add(sum_double, values, count);
  return *this;
}
ReductionBatch& ReductionBatch::sum(std::int64_t* values, std::size_t count) {
  implementation_->add(sum_int, values, count);
  return *this;
}

void ReductionBatch::run() {
  start();
  finish();
}
void ReductionBatch::start() {
  implementation_->start();
}
void ReductionBatch::finish() {
  implementation_->finish();
}
void ReductionBatch::progress() {
  implementation_->progress();
}

}  // namespace sterna::comm

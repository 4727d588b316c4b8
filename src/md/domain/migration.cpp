#include "md/domain/migration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <vector>

#include "md/domain/halo_plan.hpp"
#include "sterna/comm/bulk_exchange.hpp"
#include "sterna/comm/reduction_batch.hpp"
#include "sterna/comm/sparse_exchange.hpp"

namespace sterna::md {
namespace {

/// A particle on its way: ParticleRecord without the padding that its alignment brings.
struct Traveler {
  Vec3 position, velocity;
  std::int64_t type, id;
  Image image;
  std::int32_t unused;
};

/// Box crossings must fit into Image, and the wrapped position must have digits left.
constexpr double kFarthest = 1e9;

struct Place {
  Vec3 position;
  Image image;
};

/// Wraps; throws where there is nothing sensible to wrap. `when`: " at step 7", or empty.
Place wrap(const Box& box, const Vec3& position, const Image& image, std::int64_t id,
           const std::string& when) {
  for (int axis = 0; axis < 3; ++axis) {
    // Written so that NaN fails.
    if (!(std::abs(position[axis]) <= kFarthest * box.length[axis])) {
      const bool finite = std::isfinite(position[axis]);
      throw std::runtime_error(fmt::format(
          "particle {} has position ({}, {}, {}){}: {}", id, position.x, position.y, position.z,
          when,
          finite ? "far outside the box; the simulation is unstable, or the positions are not in "
                   "the declared unit"
                 : "not finite numbers; the simulation is unstable (try a shorter timestep, or "
                   "minimize first)"));
    }
  }
  int crossings[3];
  const Vec3 wrapped = box.wrap(position, crossings);
  return {wrapped, {image.x + crossings[0], image.y + crossings[1], image.z + crossings[2]}};
}

void append(ParticleStore& particles, std::span<const Traveler> travelers) {
  std::size_t i = particles.local_count();
  particles.resize_local(i + travelers.size());
  for (const Traveler& t : travelers) {
    particles.position[i] = {t.position.x, t.position.y, t.position.z, t.type};
    particles.velocity[i] = t.velocity;
    particles.id[i] = t.id;
    particles.image[i] = t.image;
    ++i;
  }
}

/// Travelers with destinations, as the exchange wants them: rows by destination, order kept.
class Outgoing {
 public:
  void clear() {
    travelers_.clear();
    destinations_.clear();
  }
  void add(int destination, const Traveler& traveler) {
    destinations_.push_back(destination);
    travelers_.push_back(traveler);
  }
  /// Into memory from which they leave without another copy.
  void write_rows(comm::BulkExchange<Traveler>& exchange) const {
    std::map<int, std::size_t> counts;
    for (const int destination : destinations_) ++counts[destination];
    std::map<int, Traveler*> next;
    for (const auto& [rank, count] : counts) next[rank] = exchange.row(rank, count).data();
    for (std::size_t i = 0; i < travelers_.size(); ++i) *next[destinations_[i]]++ = travelers_[i];
  }
  comm::SparseRows<Traveler> rows() {
    std::vector<std::size_t> order(travelers_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return destinations_[a] < destinations_[b];
    });
    ranks_.clear();
    offsets_.assign(1, 0);
    sorted_.clear();
    for (const std::size_t i : order) {
      if (ranks_.empty() || ranks_.back() != destinations_[i]) {
        ranks_.push_back(destinations_[i]);
        offsets_.push_back(sorted_.size());
      }
      sorted_.push_back(travelers_[i]);
      offsets_.back() = sorted_.size();
    }
    return {ranks_, offsets_, sorted_};
  }

 private:
  std::vector<Traveler> travelers_, sorted_;
  std::vector<int> destinations_, ranks_;
  std::vector<std::size_t> offsets_;
};

/// Sends what may go anywhere, and appends what comes. Returns how many came.
std::size_t move_bulk(const Outgoing& outgoing, comm::BulkExchange<Traveler>& exchange,
                      ParticleStore& particles) {
  outgoing.write_rows(exchange);
  std::size_t arrived = 0;
  for (const auto& row : exchange.exchange()) {
    append(particles, row.items);
    arrived += row.items.size();
  }
  exchange.release();
  return arrived;
}

template <class T>
void close_gaps(AlignedBuffer<T>& items, const std::vector<std::size_t>& gaps, std::size_t count) {
  if (gaps.empty()) return;
  std::size_t to = gaps.front();
  for (std::size_t k = 0; k < gaps.size(); ++k) {
    const std::size_t from = gaps[k] + 1;
    const std::size_t end = k + 1 < gaps.size() ? gaps[k + 1] : count;
    std::memmove(static_cast<void*>(items.data() + to), items.data() + from,
                 (end - from) * sizeof(T));
    to += end - from;
  }
}

/// For particles that may go anywhere. `superset` can serve that too, if slowly, once it is told.
comm::SparseOptions anywhere_options(const comm::Context& context, const std::string& exchange,
                                     const std::string& name) {
  if (exchange != "superset") return {exchange, name, std::nullopt};
  std::vector<int> all(static_cast<std::size_t>(context.size()));
  std::iota(all.begin(), all.end(), 0);
  all.erase(all.begin() + context.rank());
  return {exchange, name, all};
}

#ifndef NDEBUG
std::int64_t global_count(const comm::Context& context, std::size_t local) {
  auto count = static_cast<std::int64_t>(local);
  comm::ReductionBatch batch(context, "particle count");
  batch.sum(count).run();
  return count;
}
#endif

}  // namespace

class Migration::Implementation {
 public:
  Implementation(const comm::Context& context, const Decomposition& decomposition, double reach,
                 const MigrationOptions& options)
      : context_(context),
        decomposition_(&decomposition),
        own_(decomposition.region(context.rank())),
        anywhere_(options.anywhere),
        reach_(reach) {
    if (anywhere_) {
      bulk_.emplace(context, anywhere_options(context, options.exchange, options.name));
    } else {
      near_ = ranks_within(decomposition, context.rank(), reach_);
      exchange_.emplace(context, comm::SparseOptions{options.exchange, options.name, near_});
    }
  }

  void migrate(ParticleStore& particles, std::int64_t step) {
#ifndef NDEBUG
    const std::int64_t before = global_count(context_, particles.local_count());
#endif
    const std::size_t count = particles.local_count();
    const int rank = context_.rank();
    const std::string when = fmt::format(" at step {}", step);
    leaving_.clear();
    outgoing_.clear();
    for (std::size_t i = 0; i < count; ++i) {
      Position& p = particles.position[i];
      if (own_.contains(p.vector())) continue;
      const std::int64_t id = particles.id[i];
      const Place place = wrap(decomposition_->box(), p.vector(), particles.image[i], id, when);
      const int owner = decomposition_->owner(place.position);
      if (owner == rank) {
        p = {place.position.x, place.position.y, place.position.z, p.type};
        particles.image[i] = place.image;
        continue;
      }
      if (!anywhere_ && !std::binary_search(near_.begin(), near_.end(), owner)) {
        throw std::runtime_error(fmt::format(
            "particle {} went to ({}, {}, {}) at step {}, more than {} away from the region of its "
            "rank {}: the simulation is unstable (try a shorter timestep, or minimize first)",
            id, p.x, p.y, p.z, step, reach_, rank));
      }
      leaving_.push_back(i);
      outgoing_.add(owner, {place.position, particles.velocity[i], p.type, id, place.image, 0});
    }

    close_gaps(particles.position, leaving_, count);
    close_gaps(particles.velocity, leaving_, count);
    close_gaps(particles.id, leaving_, count);
    close_gaps(particles.image, leaving_, count);
    particles.resize_local(count - leaving_.size());
    departed_ = leaving_.size();
    if (anywhere_) {
      arrived_ = move_bulk(outgoing_, *bulk_, particles);
    } else {
      const auto incoming = (*exchange_)(outgoing_.rows());
      arrived_ = incoming.items.size();
      append(particles, incoming.items);
    }

#ifndef NDEBUG
    const std::int64_t after = global_count(context_, particles.local_count());
    if (after != before) {
      throw std::logic_error(
          fmt::format("migration at step {} made {} particles of {}", step, after, before));
    }
    for (std::size_t i = 0; i < particles.local_count(); ++i) {
      if (!own_.contains(particles.position[i].vector())) {
        throw std::logic_error(
            fmt::format("migration at step {} left particle {} on rank {}, "
                        "which does not own it",
                        step, particles.id[i], rank));
      }
    }
#endif
  }

  comm::Context context_;
  const Decomposition* decomposition_;
  Region own_;
  bool anywhere_;
  double reach_;
  std::vector<int> near_;
  std::optional<comm::SparseExchange<Traveler>> exchange_;  ///< with neighbors
  std::optional<comm::BulkExchange<Traveler>> bulk_;        ///< with anybody
  std::vector<std::size_t> leaving_;
  Outgoing outgoing_;
  std::size_t departed_ = 0;
  std::size_t arrived_ = 0;
};

Migration::Migration(const comm::Context& context, const Decomposition& decomposition, double reach,
                     const MigrationOptions& options)
    : implementation_(std::make_unique<Implementation>(context, decomposition, reach, options)) {}
Migration::~Migration() = default;
Migration::Migration(Migration&&) noexcept = default;
Migration& Migration::operator=(Migration&&) noexcept = default;
void Migration::migrate(ParticleStore& particles, std::int64_t step) {
  implementation_->migrate(particles, step);
}
void Migration::set_decomposition(const Decomposition& decomposition) {
  if (!implementation_->anywhere_) {
    throw std::logic_error("a migration between neighbors cannot serve other regions");
  }
  implementation_->decomposition_ = &decomposition;
  implementation_->own_ = decomposition.region(implementation_->context_.rank());
}
std::size_t Migration::departed() const {
  return implementation_->departed_;
}
std::size_t Migration::arrived() const {
  return implementation_->arrived_;
}
comm::Verdict Migration::verdict() const {
  return implementation_->anywhere_ ? implementation_->bulk_->verdict()
                                    : implementation_->exchange_->verdict();
}

class Distribution::Implementation {
 public:
  Implementation(const comm::Context& context, const Decomposition& decomposition,
                 const std::string& exchange)
      : decomposition_(decomposition),
        exchange_(context, anywhere_options(context, exchange, "distribution")) {}

  void append(std::span<const ParticleRecord> records, ParticleStore& particles) {
    outgoing_.clear();
    for (const auto& record : records) {
      const Place place =
          wrap(decomposition_.box(), record.position.vector(), record.image, record.id, "");
      outgoing_.add(
          decomposition_.owner(place.position),
          {place.position, record.velocity, record.position.type, record.id, place.image, 0});
    }
    move_bulk(outgoing_, exchange_, particles);
  }

 private:
  const Decomposition& decomposition_;
  comm::BulkExchange<Traveler> exchange_;
  Outgoing outgoing_;
};

Distribution::Distribution(const comm::Context& context, const Decomposition& decomposition,
                           const std::string& exchange)
    : implementation_(std::make_unique<Implementation>(context, decomposition, exchange)) {}
Distribution::~Distribution() = default;
Distribution::Distribution(Distribution&&) noexcept = default;
Distribution& Distribution::operator=(Distribution&&) noexcept = default;
void Distribution::append(std::span<const ParticleRecord> records, ParticleStore& particles) {
  implementation_->append(records, particles);
}

void distribute(const comm::Context& context, const Decomposition& decomposition,
                std::span<const ParticleRecord> records, ParticleStore& particles) {
  Distribution(context, decomposition).append(records, particles);
}

}  // namespace sterna::md

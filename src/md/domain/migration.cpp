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

#include "md/core/agreement.hpp"
#include "md/core/unstable_run.hpp"
#include "md/domain/halo_plan.hpp"
#include "sterna/comm/bulk_exchange.hpp"
#include "sterna/comm/methods.hpp"
#include "sterna/comm/reduction_batch.hpp"
#include "sterna/comm/sparse_exchange.hpp"

namespace sterna::md {
namespace {

/// A particle on its way: ParticleRecord without the padding that its alignment brings. Where
/// particles rotate, an item of a message is a Traveler and behind it a Rotation.
struct Traveler {
  Vec3 position, velocity;
  std::int64_t type, id;
  Image image;
  std::int32_t unused;
};
struct Rotation {
  Quaternion orientation;
  Vec3 angular_momentum;
};

std::size_t item_size(bool rotating) {
  return sizeof(Traveler) + (rotating ? sizeof(Rotation) : 0);
}

/// Box crossings must fit into Image, and the wrapped position must have digits left.
constexpr double kFarthest = 1e9;

struct Place {
  Vec3 position;
  Image image;
};

bool all_finite(const Vec3& v) {
  return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

/// Wraps; throws UnstableRun where there is nothing sensible to wrap. `when`: " at step 7", or
/// empty.
Place wrap(const Box& box, const Vec3& position, const Image& image, std::int64_t id,
           const std::string& when) {
  const Vec3 upright = box.shear().upright(position);
  for (int axis = 0; axis < 3; ++axis) {
    // Written so that NaN fails.
    if (!(std::abs(upright[axis]) <= kFarthest * box.length[axis])) {
      const bool finite = all_finite(position);
      throw UnstableRun(fmt::format(
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

/// Appends `count` items of a message.
void append(ParticleStore& particles, const std::byte* items, std::size_t count) {
  const std::size_t first = particles.local_count();
  particles.resize_local(first + count);
  for (std::size_t i = first; i < first + count; ++i, items += item_size(particles.rotating())) {
    Traveler t;
    std::memcpy(&t, items, sizeof(t));
    particles.position[i] = {t.position.x, t.position.y, t.position.z, t.type};
    particles.velocity[i] = t.velocity;
    particles.id[i] = t.id;
    particles.image[i] = t.image;
    if (!particles.rotating()) continue;
    Rotation r;
    std::memcpy(&r, items + sizeof(t), sizeof(r));
    particles.orientation[i] = r.orientation;
    particles.angular_momentum[i] = r.angular_momentum;
  }
}

/// Travelers with destinations.
class Outgoing {
 public:
  explicit Outgoing(bool rotating) : rotating_(rotating) {}

  void require_kind(const ParticleStore& particles) const {
    if (particles.rotating() != rotating_) {
      throw std::logic_error("migration was made for particles of the other kind: see `rotating`");
    }
  }

  void clear() {
    travelers_.clear();
    rotations_.clear();
    destinations_.clear();
  }
  void add(int destination, const Traveler& traveler) {
    destinations_.push_back(destination);
    travelers_.push_back(traveler);
  }
  /// Of the traveler that was added last.
  void add(const Rotation& rotation) { rotations_.push_back(rotation); }

  /// Sends all that was added, rows by destination, order kept; appends to the store what came from
  /// others, sorted by source, and returns how many those were.
  std::size_t exchange(comm::SparseExchangeBytes& exchange, ParticleStore& particles) {
    std::vector<std::size_t> order(travelers_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return destinations_[a] < destinations_[b];
    });
    std::vector<int> ranks;
    std::vector<std::size_t> offsets{0};
    items_.resize(travelers_.size() * item_size(rotating_));
    std::byte* place = items_.data();
    for (const std::size_t i : order) {
      if (ranks.empty() || ranks.back() != destinations_[i]) {
        ranks.push_back(destinations_[i]);
        offsets.push_back(offsets.back());
      }
      place = write_item(place, i);
      ++offsets.back();
    }
    exchange.exchange(ranks, offsets, items_.data());
    const std::size_t arrived = exchange.offsets().back();
    append(particles, exchange.items(), arrived);
    return arrived;
  }

  /// The same for much: written into memory from which it leaves without another copy.
  std::size_t exchange(comm::BulkExchangeBytes& exchange, ParticleStore& particles) {
    std::map<int, std::size_t> counts;
    for (const int destination : destinations_) ++counts[destination];
    std::map<int, std::byte*> next;
    for (const auto& [rank, count] : counts) next[rank] = exchange.row(rank, count).data();
    for (std::size_t i = 0; i < travelers_.size(); ++i) {
      std::byte*& place = next[destinations_[i]];
      place = write_item(place, i);
    }
    std::size_t arrived = 0;
    for (const auto& row : exchange.exchange()) {
      const std::size_t count = row.items.size() / item_size(rotating_);
      append(particles, row.items.data(), count);
      arrived += count;
    }
    exchange.release();
    return arrived;
  }

 private:
  std::byte* write_item(std::byte* place, std::size_t i) const {
    std::memcpy(place, &travelers_[i], sizeof(Traveler));
    if (rotating_) std::memcpy(place + sizeof(Traveler), &rotations_[i], sizeof(Rotation));
    return place + item_size(rotating_);
  }

  bool rotating_;
  std::vector<Traveler> travelers_;
  std::vector<Rotation> rotations_;
  std::vector<int> destinations_;
  std::vector<std::byte> items_;
};

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

/// For particles that may go anywhere. Methods that must know the sources can serve that too, if
/// slowly, once they are told.
comm::SparseOptions anywhere_options(const comm::Context& context, const std::string& exchange,
                                     const std::string& name) {
  const auto called = comm::methods_called(comm::sparse_methods(), exchange);
  if (called.empty() || !called.front().traits.needs_possible_sources) {
    return {exchange, name, std::nullopt};
  }
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
        shear_(decomposition.box().shear()),
        own_(decomposition.region(context.rank())),
        anywhere_(options.anywhere),
        reach_(reach),
        outgoing_(options.rotating),
        agreement_(context, options.name) {
    agreement_.sum(failed_ranks_);
    const std::size_t item = item_size(options.rotating);
    if (anywhere_) {
      bulk_.emplace(context, item, anywhere_options(context, options.exchange, options.name));
    } else {
      near_ = ranks_within(decomposition, context.rank(), reach_);
      exchange_.emplace(context, item, comm::SparseOptions{options.exchange, options.name, near_});
    }
  }

  void migrate(ParticleStore& particles, std::int64_t step) {
#ifndef NDEBUG
    const std::int64_t before = global_count(context_, particles.local_count());
#endif
    outgoing_.require_kind(particles);
    std::string failure;
    try {
      find_leaving(particles, step);
    } catch (const UnstableRun& error) {
      failure = error.what();
      leaving_.clear();
      outgoing_.clear();
    }
    // The others must hear of a failure here. That takes no time of its own: it travels while the
    // particles do.
    failed_ranks_ = failure.empty() ? 0 : 1;
    agreement_.start();
    const std::size_t count = particles.local_count();
    close_gaps(particles.position, leaving_, count);
    close_gaps(particles.velocity, leaving_, count);
    close_gaps(particles.id, leaving_, count);
    close_gaps(particles.image, leaving_, count);
    if (particles.rotating()) {
      close_gaps(particles.orientation, leaving_, count);
      close_gaps(particles.angular_momentum, leaving_, count);
    }
    particles.resize_local(count - leaving_.size());
    departed_ = leaving_.size();
    arrived_ = anywhere_ ? outgoing_.exchange(*bulk_, particles)
                         : outgoing_.exchange(*exchange_, particles);
    agreement_.finish();
    if (failed_ranks_ > 0) throw UnstableRun(shared_failure(context_, failure));

#ifndef NDEBUG
    const std::int64_t after = global_count(context_, particles.local_count());
    if (after != before) {
      throw std::logic_error(
          fmt::format("migration at step {} made {} particles of {}", step, after, before));
    }
    for (std::size_t i = 0; i < particles.local_count(); ++i) {
      if (!own_.contains(shear_.upright(particles.position[i].vector()))) {
        throw std::logic_error(
            fmt::format("migration at step {} left particle {} on rank {}, "
                        "which does not own it",
                        step, particles.id[i], context_.rank()));
      }
    }
#endif
  }

  /// Wraps the particles that left this rank's region and collects those that others own now.
  /// Throws UnstableRun.
  void find_leaving(ParticleStore& particles, std::int64_t step) {
    const int rank = context_.rank();
    const std::string when = fmt::format(" at step {}", step);
    leaving_.clear();
    outgoing_.clear();
    for (std::size_t i = 0; i < particles.local_count(); ++i) {
      Position& p = particles.position[i];
      if (own_.contains(shear_.upright(p.vector()))) continue;
      const std::int64_t id = particles.id[i];
      const Place place = wrap(decomposition_->box(), p.vector(), particles.image[i], id, when);
      const int owner = decomposition_->owner(shear_.upright(place.position));
      if (owner == rank) {
        p = {place.position.x, place.position.y, place.position.z, p.type};
        particles.image[i] = place.image;
        continue;
      }
      if (!anywhere_ && !std::binary_search(near_.begin(), near_.end(), owner)) {
        throw UnstableRun(fmt::format(
            "particle {} went to ({}, {}, {}) at step {}, more than {} away from the region of its "
            "rank {}: the simulation is unstable (try a shorter timestep, or minimize first)",
            id, p.x, p.y, p.z, step, reach_, rank));
      }
      leaving_.push_back(i);
      outgoing_.add(owner, {place.position, particles.velocity[i], p.type, id, place.image, 0});
      if (particles.rotating()) {
        outgoing_.add({particles.orientation[i], particles.angular_momentum[i]});
      }
    }
  }

  comm::Context context_;
  const Decomposition* decomposition_;
  Shear shear_;
  Region own_;
  bool anywhere_;
  double reach_;
  std::vector<int> near_;
  std::optional<comm::SparseExchangeBytes> exchange_;  ///< with neighbors
  std::optional<comm::BulkExchangeBytes> bulk_;        ///< with anybody
  std::vector<std::size_t> leaving_;
  Outgoing outgoing_;
  std::int64_t failed_ranks_ = 0;
  comm::ReductionBatch agreement_;  ///< on `failed_ranks_`
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
  implementation_->shear_ = decomposition.box().shear();
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
                 const DistributionOptions& options)
      : context_(context),
        decomposition_(decomposition),
        exchange_(context, item_size(options.rotating),
                  anywhere_options(context, options.exchange, "distribution")),
        outgoing_(options.rotating) {}

  void append(std::span<const ParticleRecord> records, ParticleStore& particles) {
    outgoing_.require_kind(particles);
    std::string failure;
    try {
      find_owners(records, particles.rotating());
    } catch (const UnstableRun& error) {
      failure = error.what();
    }
    std::int64_t failed_ranks = failure.empty() ? 0 : 1;
    comm::ReductionBatch(context_, "distribution").sum(failed_ranks).run();
    if (failed_ranks > 0) throw UnstableRun(shared_failure(context_, failure));
    outgoing_.exchange(exchange_, particles);
  }

 private:
  void find_owners(std::span<const ParticleRecord> records, bool rotating) {
    outgoing_.clear();
    const Shear shear = decomposition_.box().shear();
    for (const auto& record : records) {
      const Place place =
          wrap(decomposition_.box(), record.position.vector(), record.image, record.id, "");
      outgoing_.add(
          decomposition_.owner(shear.upright(place.position)),
          {place.position, record.velocity, record.position.type, record.id, place.image, 0});
      if (rotating) outgoing_.add({record.orientation, record.angular_momentum});
    }
  }

  comm::Context context_;
  const Decomposition& decomposition_;
  comm::BulkExchangeBytes exchange_;
  Outgoing outgoing_;
};

Distribution::Distribution(const comm::Context& context, const Decomposition& decomposition,
                           const DistributionOptions& options)
    : implementation_(std::make_unique<Implementation>(context, decomposition, options)) {}
Distribution::~Distribution() = default;
Distribution::Distribution(Distribution&&) noexcept = default;
Distribution& Distribution::operator=(Distribution&&) noexcept = default;
void Distribution::append(std::span<const ParticleRecord> records, ParticleStore& particles) {
  implementation_->append(records, particles);
}

void distribute(const comm::Context& context, const Decomposition& decomposition,
                std::span<const ParticleRecord> records, ParticleStore& particles) {
  Distribution(context, decomposition, {.rotating = particles.rotating()})
      .append(records, particles);
}

}  // namespace sterna::md

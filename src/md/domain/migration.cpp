#include "md/domain/migration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "md/core/agreement.hpp"
#include "md/core/unstable_run.hpp"
#include "md/domain/halo_plan.hpp"
#include "md/system/particle_fields.hpp"
#include "sterna/comm/bulk_exchange.hpp"
#include "sterna/comm/methods.hpp"
#include "sterna/comm/reduction_batch.hpp"
#include "sterna/comm/sparse_exchange.hpp"

namespace sterna::md {
namespace {

/// How particles are packed into the items of a message, which all have one size. If only some
/// particles rotate, an item has what all of them have, and one that rotates is two items: the
/// second one begins with its orientation and angular momentum.
struct Packing {
  ParticleKind of_all;
  bool only_some_rotate;

  static Packing of(bool rotating, bool only_some) {
    return {{.rotating = rotating && !only_some}, only_some};
  }
};

/// What the second item of a particle begins with.
struct Turn {
  Quaternion orientation;
  Vec3 angular_momentum;
};

/// Bytes of an item: the array items of a particle, without the padding of a ParticleRecord.
std::size_t item_size(const ParticleKind& kind) {
  std::size_t bytes = 0;
  for_each_array_of_particles(kind, [&](const auto& field) {
    bytes += sizeof(typename std::remove_cvref_t<decltype(field)>::ElementType);
  });
  return (bytes + 7) / 8 * 8;
}

/// Beyond this many box lengths, crossings would not fit into Image, and the wrapped position would
/// have too few digits left.
constexpr double kFarthest = 1e9;

struct Place {
  Vec3 position;
  Image image;
};

bool all_finite(const Vec3& v) {
  return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

/// Wraps a position. Throws UnstableRun if it is not finite or too far away. `when` is " at step
/// 7", or empty.
Place wrap(const Box& box, const Vec3& position, const Image& image, std::int64_t id,
           const std::string& when) {
  const Vec3& edges = box.length;
  // Shortcut for positions that are in the box already, as readers leave them.
  if (box.tilt.none() && position.x >= 0.0 && position.y >= 0.0 && position.z >= 0.0 &&
      position.x < edges.x && position.y < edges.y && position.z < edges.z) {
    return {position, image};
  }
  const Vec3 unsheared = box.shear().unsheared(position);
  for (int axis = 0; axis < 3; ++axis) {
    // The negated form also rejects NaN.
    if (!(std::abs(unsheared[axis]) <= kFarthest * box.length[axis])) {
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

/// Writes the parts of an element that depend on the wrapped place.
void put(const Place& place, Position& position) {
  const Vec3& p = place.position;
  position = {p.x, p.y, p.z, position.type};
}
void put(const Place& place, Image& image) {
  image = place.image;
}
template <class Element>
void put(const Place&, Element&) {}

ParticleRecord wrapped(const ParticleRecord& record, const Place& place) {
  ParticleRecord result = record;
  put(place, result.position);
  put(place, result.image);
  return result;
}

void require_kind(const ParticleStore& particles, bool rotating, bool only_some) {
  if (particles.rotating() != rotating || particles.only_some_rotate() != only_some) {
    throw std::logic_error("migration was made for particles of the other kind: see `rotating`");
  }
}

/// The type of the particle of an item; its position comes first.
std::int64_t type_of_item(const std::byte* item) {
  std::int64_t type = 0;
  std::memcpy(&type, item + offsetof(Position, type), sizeof(type));
  return type;
}

/// For each item of a message, whether it is the second one of its particle.
std::vector<char> second_items(const ParticleStore& particles, const std::byte* items,
                               std::size_t count, std::size_t stride) {
  std::vector<char> are_second(count, 0);
  for (std::size_t k = 0; k + 1 < count; ++k) {
    if (particles.type_turns(type_of_item(items + k * stride))) are_second[++k] = 1;
  }
  return are_second;
}

/// Appends the particles of a message of `count` items to a store of which only some rotate, and
/// returns their number.
std::size_t append_some_rotating(ParticleStore& particles, const std::byte* items,
                                 std::size_t count, AddedFields* fields) {
  const std::size_t first = particles.local_count();
  const std::size_t size = item_size(particles.kind_of_all());
  const std::size_t stride = size + (fields != nullptr ? fields->bytes() : 0);
  const std::vector<char> are_second = second_items(particles, items, count, stride);
  const auto arrived = static_cast<std::size_t>(std::ranges::count(are_second, 0));
  particles.resize_local(first + arrived);
  if (fields != nullptr) fields->resize(first + arrived);
  std::size_t i = first;
  for (std::size_t k = 0; k < count; ++k) {
    if (are_second[k] != 0) continue;
    const std::byte* item = items + k * stride;
    if (fields != nullptr) fields->read(i, item + size);
    for_each_array_of_particles(particles.kind_of_all(), [&](const auto& field) {
      auto& element = (particles.*field.array)[i];
      std::memcpy(static_cast<void*>(&element), item, sizeof(element));
      item += sizeof(element);
    });
    ++i;
  }
  particles.place_rotors();
  i = first;
  for (std::size_t k = 0; k < count; ++k) {
    if (are_second[k] == 0) {
      ++i;
      continue;
    }
    Turn turn;
    std::memcpy(&turn, items + k * stride, sizeof(turn));
    particles.orientation[i - 1] = turn.orientation;
    particles.angular_momentum[i - 1] = turn.angular_momentum;
  }
  return arrived;
}

/// Appends the particles of a message of `count` items to the store, and returns their number. `fields`: null, or the added fields,
/// whose numbers stand behind those of the store in each item.
std::size_t append(ParticleStore& particles, const std::byte* items, std::size_t count,
                   AddedFields* fields = nullptr) {
  if (particles.only_some_rotate()) return append_some_rotating(particles, items, count, fields);
  const std::size_t first = particles.local_count();
  const std::size_t size = item_size(particles.kind());
  const std::size_t stride = size + (fields != nullptr ? fields->bytes() : 0);
  particles.resize_local(first + count);
  if (fields != nullptr) {
    fields->resize(first + count);
    for (std::size_t i = 0; i < count; ++i) fields->read(first + i, items + i * stride + size);
  }
  for_each_array_of_particles(particles.kind(), [&](const auto& field) {
    auto* const elements = (particles.*field.array).data() + first;
    for (std::size_t i = 0; i < count; ++i) {
      std::memcpy(static_cast<void*>(elements + i), items + i * stride, sizeof(*elements));
    }
    items += sizeof(*elements);
  });
  return count;
}

/// The row of each destination in the exchange, sized by how often `destinations` has the rank.
/// Null for a rank that does not occur.
std::vector<std::byte*> rows_for(comm::BulkExchangeBytes& exchange,
                                 std::span<const int> destinations) {
  std::vector<std::size_t> counts;
  for (const int destination : destinations) {
    const auto rank = static_cast<std::size_t>(destination);
    if (rank >= counts.size()) counts.resize(rank + 1, 0);
    ++counts[rank];
  }
  std::vector<std::byte*> begins(counts.size(), nullptr);
  for (std::size_t rank = 0; rank < counts.size(); ++rank) {
    if (counts[rank] == 0) continue;
    begins[rank] = exchange.row(static_cast<int>(rank), counts[rank]).data();
  }
  return begins;
}

/// Particles to be sent, with their destinations.
class Outgoing {
 public:
  Outgoing(const Packing& packing, AddedFields* fields)
      : packing_(packing), fields_(fields), item_size_(item_size(packing.of_all)) {}

  /// Counts the added fields again; returns whether items have another size now.
  bool renew_item_size() {
    const std::size_t before = item_size_;
    item_size_ = item_size(packing_.of_all) + (fields_ != nullptr ? fields_->bytes() : 0);
    return item_size_ != before;
  }
  std::size_t size_of_item() const { return item_size_; }

  void clear() {
    particles_.clear();
    destinations_.clear();
  }
  /// `record`: particle `i` of the store, at its wrapped position. `turns`: whether it is one of
  /// those that rotate, where only some do.
  void add(int destination, const ParticleRecord& record, std::size_t i, bool turns) {
    std::byte* place = new_item(destination);
    for_each_array_of_particles(packing_.of_all, [&](const auto& field) {
      const auto& element = record.*field.in_record;
      std::memcpy(place, &element, sizeof(element));
      place += sizeof(element);
    });
    if (fields_ != nullptr) {
      fields_->write(i, particles_.data() + particles_.size() - fields_->bytes());
    }
    if (!turns) return;
    const Turn turn{record.orientation, record.angular_momentum};
    std::memcpy(new_item(destination), &turn, sizeof(turn));
  }

  /// Sends all added particles, grouped by destination in their order. Appends arrivals to the
  /// store, sorted by source, and returns their number.
  std::size_t exchange(comm::SparseExchangeBytes& exchange, ParticleStore& particles) {
    std::vector<std::size_t> order(destinations_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return destinations_[a] < destinations_[b];
    });
    std::vector<int> ranks;
    std::vector<std::size_t> offsets{0};
    sorted_.resize(particles_.size());
    std::byte* place = sorted_.data();
    for (const std::size_t i : order) {
      if (ranks.empty() || ranks.back() != destinations_[i]) {
        ranks.push_back(destinations_[i]);
        offsets.push_back(offsets.back());
      }
      place = write_item(place, i);
      ++offsets.back();
    }
    exchange.exchange(ranks, offsets, sorted_.data());
    return append(particles, exchange.items(), exchange.offsets().back(), fields_);
  }

  /// The same for large amounts: particles are written directly into the exchange's memory.
  std::size_t exchange(comm::BulkExchangeBytes& exchange, ParticleStore& particles) {
    std::vector<std::byte*> next = rows_for(exchange, destinations_);
    for (std::size_t i = 0; i < destinations_.size(); ++i) {
      std::byte*& place = next[static_cast<std::size_t>(destinations_[i])];
      place = write_item(place, i);
    }
    std::size_t arrived = 0;
    for (const auto& row : exchange.exchange()) {
      arrived += append(particles, row.items.data(), row.items.size() / item_size_, fields_);
    }
    exchange.release();
    return arrived;
  }

 private:
  static_assert(sizeof(Turn) <= sizeof(Position) + sizeof(Vec3));  // an item has more

  std::byte* new_item(int destination) {
    destinations_.push_back(destination);
    particles_.resize(particles_.size() + item_size_);
    return particles_.data() + particles_.size() - item_size_;
  }
  std::byte* write_item(std::byte* place, std::size_t i) const {
    std::memcpy(place, particles_.data() + i * item_size_, item_size_);
    return place + item_size_;
  }

  Packing packing_;
  AddedFields* fields_;  ///< null: none
  std::size_t item_size_;
  std::vector<std::byte> particles_;
  std::vector<int> destinations_;
  std::vector<std::byte> sorted_;
};

template <class T>
void close_gaps(T* items, const std::vector<std::size_t>& gaps, std::size_t count) {
  if (gaps.empty()) return;
  std::size_t to = gaps.front();
  for (std::size_t k = 0; k < gaps.size(); ++k) {
    const std::size_t from = gaps[k] + 1;
    const std::size_t end = k + 1 < gaps.size() ? gaps[k + 1] : count;
    std::memmove(static_cast<void*>(items + to), items + from, (end - from) * sizeof(T));
    to += end - from;
  }
}

/// Options for particles that may go to any rank. Methods that must know possible sources are told
/// all ranks; that works, but slowly.
comm::SparseOptions anywhere_options(const comm::Context& context,
                                     const std::string& exchange_method, const std::string& name) {
  const auto called = comm::methods_called(comm::sparse_methods(), exchange_method);
  if (called.empty() || !called.front().traits.needs_possible_sources) {
    return {exchange_method, name, std::nullopt};
  }
  std::vector<int> all(static_cast<std::size_t>(context.size()));
  std::iota(all.begin(), all.end(), 0);
  all.erase(all.begin() + context.rank());
  return {exchange_method, name, all};
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
  Implementation(const comm::Context& context, const Decomposition& decomposition, double farthest,
                 const MigrationOptions& options)
      : context_(context),
        decomposition_(&decomposition),
        shear_(decomposition.box().shear()),
        own_(decomposition.region(context.rank())),
        anywhere_(options.anywhere),
        farthest_(farthest),
        rotating_(options.rotating),
        only_some_rotate_(options.only_some_rotate),
        fields_(options.fields),
        outgoing_(Packing::of(options.rotating, options.only_some_rotate), options.fields),
        exchange_method_(options.exchange_method),
        name_(options.name),
        agreement_(context, options.name) {
    agreement_.sum(failed_ranks_);
    if (!anywhere_) near_ = ranks_within(decomposition, context.rank(), farthest_);
    outgoing_.renew_item_size();
    make_exchange();
  }

  void make_exchange() {
    const std::size_t item = outgoing_.size_of_item();
    if (anywhere_) {
      bulk_.emplace(context_, item, anywhere_options(context_, exchange_method_, name_));
    } else {
      exchange_.emplace(context_, item, comm::SparseOptions{exchange_method_, name_, near_});
    }
  }

  void migrate(ParticleStore& particles, std::int64_t step) {
#ifndef NDEBUG
    const std::int64_t before = global_count(context_, particles.local_count());
#endif
    require_kind(particles, rotating_, only_some_rotate_);
    // All ranks add fields together, so all of them come here together.
    if (outgoing_.renew_item_size()) make_exchange();
    std::string failure;
    try {
      find_leaving(particles, step);
    } catch (const UnstableRun& error) {
      failure = error.what();
      leaving_.clear();
      outgoing_.clear();
    }
    // Other ranks must learn of a failure here. The reduction costs no extra time, because it
    // overlaps with the transfer of particles.
    failed_ranks_ = failure.empty() ? 0 : 1;
    agreement_.start();
    const std::size_t count = particles.local_count();
    // Where no particle leaves, all rotors stay where they are.
    const bool rotors_move = only_some_rotate_ && !leaving_.empty();
    std::vector<std::uint32_t> rotors;
    if (rotors_move) rotors = rotors_that_stay(particles);
    for_each_array_of_particles(particles.kind_of_all(), [&](const auto& field) {
      close_gaps((particles.*field.array).data(), leaving_, count);
    });
    if (rotors_move) particles.reorder_rotors(rotors, count - leaving_.size());
    particles.resize_local(count - leaving_.size());
    if (fields_ != nullptr) fields_->remove(leaving_);
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
      if (!own_.contains(shear_.unsheared(particles.position[i].vector()))) {
        throw std::logic_error(
            fmt::format("migration at step {} left particle {} on rank {}, "
                        "which does not own it",
                        step, particles.id[i], context_.rank()));
      }
    }
#endif
  }

  /// Wraps the particles that left this rank's region and collects those that other ranks own now.
  /// Throws UnstableRun.
  void find_leaving(ParticleStore& particles, std::int64_t step) {
    const int rank = context_.rank();
    const std::string when = fmt::format(" at step {}", step);
    leaving_.clear();
    outgoing_.clear();
    for (std::size_t i = 0; i < particles.local_count(); ++i) {
      Position& p = particles.position[i];
      if (own_.contains(shear_.unsheared(p.vector()))) continue;
      const std::int64_t id = particles.id[i];
      const Place place = wrap(decomposition_->box(), p.vector(), particles.image[i], id, when);
      const int owner = decomposition_->owner(shear_.unsheared(place.position));
      if (owner == rank) {
        p = {place.position.x, place.position.y, place.position.z, p.type};
        particles.image[i] = place.image;
        continue;
      }
      if (!anywhere_ && !std::binary_search(near_.begin(), near_.end(), owner)) {
        throw UnstableRun(fmt::format(
            "particle {} went to ({}, {}, {}) at step {}, more than {} away from the region of its "
            "rank {}: the simulation is unstable (try a shorter timestep, or minimize first)",
            id, p.x, p.y, p.z, step, farthest_, rank));
      }
      leaving_.push_back(i);
      outgoing_.add(owner, wrapped(particle(particles, i), place), i,
                    only_some_rotate_ && particles.turns(i));
    }
  }

  /// The numbers of the particles that rotate and stay on this rank, where only some rotate.
  std::vector<std::uint32_t> rotors_that_stay(const ParticleStore& particles) const {
    std::vector<std::uint32_t> numbers;
    numbers.reserve(particles.local_rotors());
    std::uint32_t number = 0;
    auto leaving = leaving_.begin();  // ascending, as the rotors are
    particles.for_each_rotor([&](std::uint32_t i) {
      while (leaving != leaving_.end() && *leaving < i) ++leaving;
      if (leaving == leaving_.end() || *leaving != i) numbers.push_back(number);
      ++number;
    });
    return numbers;
  }

  comm::Context context_;
  const Decomposition* decomposition_;
  Shear shear_;
  Region own_;
  bool anywhere_;
  double farthest_;
  std::vector<int> near_;
  std::optional<comm::SparseExchangeBytes> exchange_;  ///< with ranks within `farthest`
  std::optional<comm::BulkExchangeBytes> bulk_;        ///< with any rank
  std::vector<std::size_t> leaving_;
  bool rotating_, only_some_rotate_;
  AddedFields* fields_;
  Outgoing outgoing_;
  std::string exchange_method_, name_;
  std::int64_t failed_ranks_ = 0;
  comm::ReductionBatch agreement_;  ///< sums `failed_ranks_`
  std::size_t departed_ = 0;
  std::size_t arrived_ = 0;
};

Migration::Migration(const comm::Context& context, const Decomposition& decomposition,
                     double farthest, const MigrationOptions& options)
    : implementation_(std::make_unique<Implementation>(context, decomposition, farthest, options)) {
}
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
        rotating_(options.rotating),
        packing_(Packing::of(options.rotating, options.only_some_rotate)),
        item_size_(item_size(packing_.of_all)),
        exchange_(context, item_size_,
                  anywhere_options(context, options.exchange_method, "distribution")) {}

  void append(std::span<const ParticleRecord> records, ParticleStore& particles) {
    require_kind(particles, rotating_, packing_.only_some_rotate);
    std::string failure;
    try {
      find_owners(records, particles);
    } catch (const UnstableRun& error) {
      failure = error.what();
    }
    std::int64_t failed_ranks = failure.empty() ? 0 : 1;
    comm::ReductionBatch(context_, "distribution").sum(failed_ranks).run();
    if (failed_ranks > 0) throw UnstableRun(shared_failure(context_, failure));
    // Particles that stay on this rank go directly into the store, behind arrivals from lower
    // ranks.
    const int self = context_.rank();
    std::vector<std::byte*> next = rows_for(exchange_, away_);
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (owners_[i] == self) continue;
      std::byte*& place = next[static_cast<std::size_t>(owners_[i])];
      write(place, records[i], places_[i]);
      place += item_size_;
      if (!has_second_item(records[i], particles)) continue;
      const Turn turn{records[i].orientation, records[i].angular_momentum};
      std::memcpy(place, &turn, sizeof(turn));
      place += item_size_;
    }
    bool are_here = false;
    for (const auto& row : exchange_.exchange()) {
      if (row.source > self && !std::exchange(are_here, true)) keep_own(records, particles);
      md::append(particles, row.items.data(), row.items.size() / item_size_);
    }
    if (!are_here) keep_own(records, particles);
    exchange_.release();
  }

 private:
  static bool has_second_item(const ParticleRecord& record, const ParticleStore& particles) {
    return particles.only_some_rotate() && particles.type_turns(record.position.type);
  }

  void find_owners(std::span<const ParticleRecord> records, const ParticleStore& particles) {
    const Shear shear = decomposition_.box().shear();
    owners_.clear();
    places_.clear();
    away_.clear();
    staying_ = 0;
    for (const ParticleRecord& record : records) {
      places_.push_back(
          wrap(decomposition_.box(), record.position.vector(), record.image, record.id, ""));
      owners_.push_back(decomposition_.owner(shear.unsheared(places_.back().position)));
      if (owners_.back() == context_.rank()) {
        ++staying_;
        continue;
      }
      away_.push_back(owners_.back());
      if (has_second_item(record, particles)) away_.push_back(owners_.back());
    }
  }

  void write(std::byte* place, const ParticleRecord& record, const Place& now) const {
    for_each_array_of_particles(packing_.of_all, [&](const auto& field) {
      auto element = record.*field.in_record;
      put(now, element);
      std::memcpy(place, &element, sizeof(element));
      place += sizeof(element);
    });
  }

  void keep_own(std::span<const ParticleRecord> records, ParticleStore& particles) const {
    std::size_t place = particles.local_count();
    particles.resize_local(place + staying_);
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (owners_[i] != context_.rank()) continue;
      set_particle(particles, place++, wrapped(records[i], places_[i]));
    }
  }

  comm::Context context_;
  const Decomposition& decomposition_;
  bool rotating_;
  Packing packing_;
  std::size_t item_size_;
  comm::BulkExchangeBytes exchange_;
  std::vector<int> owners_;  ///< for each record
  std::vector<Place> places_;
  std::vector<int> away_;  ///< owners of the items that leave this rank
  std::size_t staying_ = 0;
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

}  // namespace sterna::md

#pragma once

// A stage of a halo, and helpers of `Halo`; included only by halo.cpp.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "md/domain/halo.hpp"
#include "md/domain/halo_plan.hpp"
#include "md/domain/halo_selection.hpp"
#include "md/system/particle_fields.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/neighbor_exchange.hpp"

namespace sterna::md {

/// The fields in a message at a rebuild and in each step. Each field follows the one before for all
/// ghosts of the message.
inline constexpr std::array kAtRebuild{SentToGhosts::every_step, SentToGhosts::at_rebuild};
inline constexpr std::array kEveryStep{SentToGhosts::every_step};
/// Doubles per ghost in a message. A double represents types and ids exactly.
inline std::size_t items_of(const ParticleKind& kind, std::span<const SentToGhosts> when) {
  std::size_t items = 0;
  for_each_field_of_ghosts(kind, when, [&](const auto& field) { items += field.components; });
  return items;
}
/// Numbers of an orientation. If only some particles turn, those of their ghosts follow the fields
/// of all ghosts.
inline constexpr std::size_t kTurned = 4;
/// The initial capacity for a peer; sender and receiver agree on a larger one when needed.
inline constexpr std::size_t kFirstCapacity = 64 * 4;
/// Bytes of a ghost's returned force, which is sent in its own precision.
template <class Force>
inline constexpr std::size_t kForceBytes = 3 * sizeof(Force::x);

/// The numbers of a ghost whose original is shifted by a periodic offset.
template <class Field>
typename Field::Numbers of_ghost(const Field& field, const typename Field::ElementType& original,
                                 const Vec3& shift) {
  auto numbers = field.get(original);
  if constexpr (Field::is_position) {
    numbers[0] += shift.x;
    numbers[1] += shift.y;
    numbers[2] += shift.z;
  }
  return numbers;
}

template <class Force>
void add_force(Force& sum, decltype(Force::x) x, decltype(Force::x) y, decltype(Force::x) z) {
  sum.x += x;
  sum.y += y;
  sum.z += z;
}

/// One stage of the halo: selection, messages to other ranks, and copies within this rank.
class Halo::Stage {
 public:
  /// `returns_half`: only ghosts of the half shell return forces. `only_half`: only ghosts of the
  /// half shell exist.
  Stage(const comm::Context& context, const HaloStage& plan, const Region& own, const Shear& shear,
        const Vec3& margin, const HaloOptions& options, bool returns_half, bool only_half)
      : rank_(context.rank()),
        name_(plan.name),
        selection_(served(plan.segments, only_half), own, shear),
        narrow_types_(options.narrow_types),
        returns_half_(returns_half) {
    selection_.set_narrow_types(options.narrow_types, margin);
    std::size_t s = 0;
    int peers = 0;
    for (const HaloSegment& segment : plan.segments) {
      if (receivers_.empty() || receivers_.back().rank != segment.rank) {
        receivers_.push_back({.rank = segment.rank, .first = s});
        if (segment.rank != rank_) receivers_.back().peer = peers++;
      }
      Receiver& receiver = receivers_.back();
      const bool in_half_shell = segment.in_half_shell;
      (in_half_shell ? receiver.gets_half_shell : receiver.gives_half_shell) = true;
      if (only_half && !in_half_shell) continue;
      receiver.last = ++s;
      // A receiver's segments ascend by offset, so those for its half shell come last.
      if (!in_half_shell) receiver.first_of_half_shell = s;
    }
    if (plan.with_other_ranks) {
      exchange_.emplace(context, pattern(context, only_half, &Receiver::gets_half_shell),
                        comm::NeighborOptions{options.method, name_ + " positions"});
      if (options.ghost_forces != GhostForces::none) {
        return_exchange_.emplace(context,
                                 pattern(context, returns_half_, &Receiver::gives_half_shell),
                                 comm::NeighborOptions{options.method, name_ + " forces"});
      }
    }
  }

  void select(const ParticleStore& particles) {
    selection_.select({particles.position.data(), particles.total_count()});
  }

  /// Appends this stage's ghosts to the ghosts in the store.
  void exchange(ParticleStore& particles) {
    const bool only_some = particles.only_some_rotate();
    const std::size_t items = items_of(particles.kind_of_all(), kAtRebuild);
    if (exchange_) send_ghosts(particles, items);
    places_ = {particles.local_count(), {}};
    std::size_t ghosts = particles.ghost_count();
    for (auto& receiver : receivers_) {
      if (receiver.peer < 0) {
        receiver.ghosts = selected(receiver);
        receiver.of_half_shell = selected(receiver, receiver.first_of_half_shell);
      } else {
        const auto inbox = exchange_->inbox(receiver.peer);
        // If only some turn, the size alone does not tell how many ghosts there are.
        receiver.ghosts = inbox.empty() ? 0
                          : only_some   ? static_cast<std::size_t>(inbox[inbox.size() - 2])
                                        : (inbox.size() - 1) / items;
        receiver.of_half_shell = inbox.empty() ? 0 : static_cast<std::size_t>(inbox.back());
      }
      receiver.first_ghost = ghosts;
      ghosts += receiver.ghosts;
    }
    particles.resize_ghosts(ghosts);
    for (const auto& receiver : receivers_) {
      if (receiver.peer >= 0) receive(particles, receiver, kAtRebuild);
    }
    copy(particles, kAtRebuild);
    if (only_some) {
      particles.place_rotors();
      list_turning(particles);
      for (const auto& receiver : receivers_) {
        if (receiver.peer < 0) continue;
        receive_turns(particles, receiver,
                      exchange_->inbox(receiver.peer).data() + receiver.ghosts * items);
      }
      copy_turns(particles);
    }
    if (exchange_) exchange_->finish();
    returning_is_listed_ = false;
  }

  /// Appends for each ghost of the last `exchange` whether it is in the half shell.
  void append_half_shell(std::vector<char>& marks) const {
    for (const auto& receiver : receivers_) {
      marks.insert(marks.end(), receiver.ghosts - receiver.of_half_shell, 0);
      marks.insert(marks.end(), receiver.of_half_shell, 1);
    }
  }

  /// Sets the place of ghost k of the last rebuild to `slots[k]`.
  void order_ghosts(const ParticleStore& particles, std::span<const std::uint32_t> slots) {
    selection_.renumber(particles.local_count(), slots);
    places_ = {particles.local_count(), slots};
    if (particles.only_some_rotate()) list_turning(particles);
    returning_is_listed_ = false;
  }

  void start_positions(const ParticleStore& particles) {
    if (!exchange_) return;
    for (const auto& receiver : receivers_) {
      if (!sends_to(receiver)) continue;
      double* const begin = exchange_->outbox(receiver.peer).data();
      double* end = write(particles, receiver, kEveryStep, begin);
      for (const std::uint32_t number : receiver.turning_originals) {
        end = write_turn(particles.orientation.data()[number], end);
      }
      exchange_->commit(receiver.peer, static_cast<std::size_t>(end - begin));
    }
    exchange_->start();
  }

  void copy_images(ParticleStore& particles) {
    copy(particles, kEveryStep);
    copy_turns(particles);
    images_copied_ = true;
  }

  void finish_positions(ParticleStore& particles) {
    if (!images_copied_) copy_images(particles);  // while messages are on their way
    images_copied_ = false;
    if (!exchange_) return;
    while (const auto peer = exchange_->next()) {
      const Receiver& receiver = receiver_of(*peer);
      const std::size_t numbers = exchange_->inbox(*peer).size();
      const std::size_t of_all = receiver.ghosts * items_of(particles.kind_of_all(), kEveryStep);
      const std::size_t expected = of_all + kTurned * receiver.turning_ghosts.size();
      if (numbers != expected) {
        throw comm::Error(fmt::format(
            "{} positions: rank {} sent {} numbers to rank {}, which expected {} for {} ghosts",
            name_, receiver.rank, numbers, rank_, expected, receiver.ghosts));
      }
      receive(particles, receiver, kEveryStep);
      receive_turns(particles, receiver, exchange_->inbox(*peer).data() + of_all);
    }
    exchange_->finish();
  }

  void exchange_vectors(std::span<const Vec3> local, std::span<Vec3> ghosts) {
    // Vectors of ghosts are read, too, because later stages forward ghosts.
    const ConstGhostedVectors vectors(local, ghosts);
    exchange_numbers<3>(
        [&](std::uint32_t i) {
          const Vec3& v = vectors[i];
          return std::array{v.x, v.y, v.z};
        },
        [&](std::size_t place, const std::array<double, 3>& v) {
          ghosts[place - local.size()] = {v[0], v[1], v[2]};
        });
  }

  void exchange_values(std::span<double> values) {
    exchange_numbers<1>(
        [&](std::uint32_t i) { return std::array{values[i]}; },
        [&](std::size_t place, const std::array<double, 1>& v) { values[place] = v[0]; });
  }

  /// Copies `count` numbers from each particle to its ghosts: get(i) reads, set(place of a ghost,
  /// numbers) writes.
  template <std::size_t count, class Get, class Set>
  void exchange_numbers(const Get& get, const Set& set) {
    for (const auto& receiver : receivers_) {
      if (receiver.peer >= 0) {
        double* const begin = exchange_->outbox(receiver.peer).data();
        double* out = begin;
        for_each_selected(receiver, [&](std::uint32_t i) {
          const std::array<double, count> numbers = get(i);
          out = std::ranges::copy(numbers, out).out;
        });
        exchange_->commit(receiver.peer, static_cast<std::size_t>(out - begin));
      } else {
        std::size_t k = receiver.first_ghost;
        for_each_selected(receiver, [&](std::uint32_t i) { set(places_(k++), get(i)); });
      }
    }
    if (!exchange_) return;
    exchange_->start();
    while (const auto peer = exchange_->next()) {
      const Receiver& receiver = receiver_of(*peer);
      const double* in = exchange_->inbox(*peer).data();
      for (std::size_t k = 0; k < receiver.ghosts; ++k, in += count) {
        std::array<double, count> numbers;
        std::copy_n(in, count, numbers.begin());
        set(places_(receiver.first_ghost + k), numbers);
      }
    }
    exchange_->finish();
  }

  /// `wanted` marks the places of the store whose vectors are selected. Adds ghosts of earlier
  /// stages that must be forwarded to others.
  void select_ghosts(const comm::Context& context, const HaloOptions& options,
                     std::vector<bool>& wanted) {
    if (exchange_ && !selected_exchange_) {
      std::vector<comm::NeighborPattern::Peer> peers;
      for (const auto& receiver : receivers_) {
        if (receiver.peer >= 0) peers.push_back({receiver.rank, kFirstCapacity, kFirstCapacity});
      }
      selected_exchange_.emplace(context, comm::NeighborPattern::from_peers(context, peers),
                                 comm::NeighborOptions{options.method, name_ + " vectors"});
    }
    std::vector<std::size_t> capacities;
    for (auto& receiver : receivers_) {
      receiver.originals.clear();
      receiver.selected_ghosts.clear();
      for (std::size_t k = 0; k < receiver.ghosts; ++k) {
        if (wanted[places_(receiver.first_ghost + k)]) {
          receiver.selected_ghosts.push_back(static_cast<std::uint32_t>(k));
        }
      }
      if (receiver.peer >= 0) capacities.push_back(receiver.selected_ghosts.size());
    }
    // Tell the ranks that own the originals which of their ghosts are selected.
    if (selected_exchange_) {
      grow(*selected_exchange_, capacities);
      for (const auto& receiver : receivers_) {
        if (receiver.peer < 0) continue;
        const auto& numbers = receiver.selected_ghosts;
        std::ranges::copy(numbers, selected_exchange_->outbox(receiver.peer).data());
        selected_exchange_->commit(receiver.peer, numbers.size());
      }
      selected_exchange_->start();
      while (selected_exchange_->next()) {
      }
    }
    capacities.clear();
    for (auto& receiver : receivers_) {
      const auto keep = [&](const auto& numbers) {
        auto next = numbers.begin();
        std::size_t k = 0;
        for_each_selected(receiver, [&](std::uint32_t i) {
          if (next == numbers.end() || static_cast<std::size_t>(*next) != k++) return;
          receiver.originals.push_back(i);
          if (i >= places_.local_count) wanted[i] = true;
          ++next;
        });
      };
      receiver.peer < 0 ? keep(receiver.selected_ghosts)
                        : keep(selected_exchange_->inbox(receiver.peer));
      for (std::uint32_t& ghost : receiver.selected_ghosts) {
        ghost = static_cast<std::uint32_t>(places_(receiver.first_ghost + ghost));
      }
      if (receiver.peer >= 0) capacities.push_back(3 * receiver.originals.size());
    }
    if (selected_exchange_) {
      selected_exchange_->finish();
      grow(*selected_exchange_, capacities);
    }
  }

  void start_selected_vectors(std::span<const Vec3> local, std::span<Vec3> ghosts) {
    const ConstGhostedVectors vectors(local, ghosts);
    for (const auto& receiver : receivers_) {
      if (receiver.peer >= 0) {
        double* out = selected_exchange_->outbox(receiver.peer).data();
        for (const std::uint32_t i : receiver.originals) {
          const Vec3& v = vectors[i];
          *out++ = v.x;
          *out++ = v.y;
          *out++ = v.z;
        }
        selected_exchange_->commit(receiver.peer, 3 * receiver.originals.size());
      } else {
        for (std::size_t k = 0; k < receiver.originals.size(); ++k) {
          ghosts[receiver.selected_ghosts[k] - local.size()] = vectors[receiver.originals[k]];
        }
      }
    }
    if (selected_exchange_) selected_exchange_->start();
  }

  void finish_selected_vectors(std::span<const Vec3> local, std::span<Vec3> ghosts) {
    if (!selected_exchange_) return;
    while (const auto peer = selected_exchange_->next()) {
      const Receiver& receiver = receiver_of(*peer);
      const double* in = selected_exchange_->inbox(*peer).data();
      for (const std::uint32_t place : receiver.selected_ghosts) {
        ghosts[place - local.size()] = {in[0], in[1], in[2]};
        in += 3;
      }
    }
    selected_exchange_->finish();
  }

  void start_forces(const ParticleStore& particles, const CollectedForces& collected) {
    returns_rotors_ = collected.are_of_rotors;
    std::visit(
        [&]<class Force>(std::span<Force> forces) {
          // Terms take turns, and one may have more of a ghost than the one before it. Those of
          // rotors alone have room in any case.
          const std::size_t bytes = returns_rotors_ ? 0 : collected.kinds * kForceBytes<Force>;
          if (!returning_is_listed_ || bytes > returning_bytes_) {
            returning_bytes_ = std::max(returning_bytes_, bytes);
            list_returning(particles, returning_bytes_);
          }
          if (return_exchange_) send_forces(forces, collected.kinds);
        },
        collected.forces);
    if (return_exchange_) return_exchange_->start();
  }

  void finish_forces(const CollectedForces& collected) {
    std::visit([&](auto forces) { add_returned(forces, collected.kinds); }, collected.forces);
  }
  std::size_t segment_count() const { return selection_.segments().size(); }
  std::size_t sent() const { return selection_.count() - copied(); }
  std::size_t copied() const {
    std::size_t count = 0;
    for (const auto& receiver : receivers_) count += receiver.peer < 0 ? selected(receiver) : 0;
    return count;
  }
  void append_verdicts(std::vector<comm::Verdict>& verdicts) const {
    if (exchange_) verdicts.push_back(exchange_->verdict());
    if (return_exchange_) verdicts.push_back(return_exchange_->verdict());
    if (selected_exchange_) verdicts.push_back(selected_exchange_->verdict());
  }

 private:
  /// Places of particles, and the numbers of those that turn, if only some do.
  struct Returning {
    std::vector<std::uint32_t> all{}, rotors{};
  };
  struct Receiver {
    int rank;
    std::size_t first, last = first;  ///< range of its segments
    /// The first segment that is for the receiver's half shell.
    std::size_t first_of_half_shell = first;
    /// Whether ghosts that this rank sends are in the receiver's half shell, and ghosts that the
    /// receiver sends in this rank's half shell.
    bool gets_half_shell = false, gives_half_shell = false;
    int peer = -1;                            ///< index in the exchange; -1 for this rank
    std::size_t first_ghost = 0, ghosts = 0;  ///< its ghosts, counted in order of arrival
    std::size_t of_half_shell = 0;            ///< how many are in the half shell; the last ones
    /// Places in the store for `select_ghosts`: of the particles whose vectors this rank sends or
    /// copies, and of the ghosts whose vectors it gets.
    std::vector<std::uint32_t> originals{}, selected_ghosts{};
    /// For returning forces, in the order of the ghosts: particles to which returned forces are
    /// added, and ghosts whose forces this rank returns.
    Returning returning_originals{}, returning_ghosts{};
    /// If only some particles turn: the numbers of those whose orientations this rank sends or
    /// copies, and of the ghosts that get them, in the order of the ghosts.
    std::vector<std::uint32_t> turning_originals{}, turning_ghosts{};
  };
  using Exchange = comm::NeighborExchange<double>;

  const Receiver& receiver_of(int peer) const {
    return *std::ranges::find(receivers_, peer, &Receiver::peer);
  }

  /// Grows the capacity for each peer to the given count of numbers. Collective among neighbors.
  static void grow(Exchange& exchange, std::vector<std::size_t>& capacities) {
    for (std::size_t p = 0; p < capacities.size(); ++p) {
      capacities[p] = std::max(capacities[p], exchange.peers()[p].send_capacity);
    }
    exchange.reserve(capacities);
  }

  /// Calls visit(place in the store) for each particle of which the receiver has a ghost, in the
  /// order of the ghosts.
  template <class Visit>
  void for_each_selected(const Receiver& receiver, Visit&& visit) const {
    for (std::size_t s = receiver.first; s < receiver.last; ++s) {
      for (const std::uint32_t i : selection_.of(s)) visit(i);
    }
  }
  std::size_t selected(const Receiver& receiver) const {
    return selected(receiver, receiver.first);
  }
  /// The number of particles in the receiver's segments from `first` on.
  std::size_t selected(const Receiver& receiver, std::size_t first) const {
    std::size_t count = 0;
    for (std::size_t s = first; s < receiver.last; ++s) count += selection_.of(s).size();
    return count;
  }

  /// The number of particles in the receiver's segments that turn, if only some do.
  std::size_t selected_rotors(const ParticleStore& particles, const Receiver& receiver) const {
    std::size_t count = 0;
    for_each_selected(receiver, [&](std::uint32_t i) { count += particles.turns(i) ? 1 : 0; });
    return count;
  }

  /// Fills in `turning_originals` and `turning_ghosts`.
  void list_turning(const ParticleStore& particles) {
    const auto add = [&](std::vector<std::uint32_t>& numbers, std::size_t place) {
      const std::size_t number = particles.rotor_number(place);
      if (number != RotorPlaces::none) numbers.push_back(static_cast<std::uint32_t>(number));
    };
    for (auto& receiver : receivers_) {
      receiver.turning_originals.clear();
      receiver.turning_ghosts.clear();
      for_each_selected(receiver, [&](std::uint32_t i) { add(receiver.turning_originals, i); });
      for (std::size_t k = 0; k < receiver.ghosts; ++k) {
        add(receiver.turning_ghosts, places_(receiver.first_ghost + k));
      }
    }
  }
  static double* write_turn(const Quaternion& turn, double* out) {
    for (const double number : {turn.w, turn.x, turn.y, turn.z}) *out++ = number;
    return out;
  }
  static void receive_turns(ParticleStore& particles, const Receiver& receiver, const double* in) {
    for (const std::uint32_t number : receiver.turning_ghosts) {
      particles.orientation.data()[number] = {in[0], in[1], in[2], in[3]};
      in += kTurned;
    }
  }
  void copy_turns(ParticleStore& particles) const {
    Quaternion* const turns = particles.orientation.data();
    for (const auto& receiver : receivers_) {
      if (receiver.peer >= 0) continue;
      for (std::size_t k = 0; k < receiver.turning_ghosts.size(); ++k) {
        turns[receiver.turning_ghosts[k]] = turns[receiver.turning_originals[k]];
      }
    }
  }

  /// The segments that are used: with `only_half`, only those for half shells.
  static std::vector<HaloSegment> served(std::vector<HaloSegment> segments, bool only_half) {
    if (only_half) std::erase_if(segments, [](const HaloSegment& s) { return !s.in_half_shell; });
    return segments;
  }

  /// The pattern of an exchange with all other receivers. With `half` this rank sends only to
  /// receivers with the flag `sends` and gets only from receivers with the other flag. So on a grid
  /// of many ranks positions go to one half of the neighbors, and forces come back from it.
  comm::NeighborPattern pattern(const comm::Context& context, bool half,
                                bool Receiver::*sends) const {
    const auto receives = sends == &Receiver::gets_half_shell ? &Receiver::gives_half_shell
                                                              : &Receiver::gets_half_shell;
    std::vector<comm::NeighborPattern::Peer> peers;
    for (const auto& receiver : receivers_) {
      if (receiver.peer < 0) continue;
      peers.push_back({receiver.rank, !half || receiver.*sends ? kFirstCapacity : 0,
                       !half || receiver.*receives ? kFirstCapacity : 0});
    }
    return comm::NeighborPattern::from_peers(context, std::move(peers));
  }

  /// Whether this rank sends positions to the receiver.
  bool sends_to(const Receiver& receiver) const {
    return receiver.peer >= 0 &&
           exchange_->peers()[static_cast<std::size_t>(receiver.peer)].send_capacity > 0;
  }

  /// Lists the ghosts whose forces return and their originals. A ghost's forces take `bytes`.
  /// Collective among neighbors.
  void list_returning(const ParticleStore& particles, std::size_t bytes) {
    const auto keep = [&](Returning& returning, std::size_t place) {
      const auto type = static_cast<std::size_t>(particles.position[place].type);
      if (!narrow_types_.empty() && narrow_types_[type] != 0) return;
      returning.all.push_back(static_cast<std::uint32_t>(place));
      if (!particles.only_some_rotate() || !particles.turns(place)) return;
      returning.rotors.push_back(static_cast<std::uint32_t>(particles.rotor_number(place)));
    };
    std::vector<std::size_t> capacities;
    for (auto& receiver : receivers_) {
      receiver.returning_originals = {};
      receiver.returning_ghosts = {};
      const std::size_t first = returns_half_ ? receiver.ghosts - receiver.of_half_shell : 0;
      for (std::size_t k = first; k < receiver.ghosts; ++k) {
        keep(receiver.returning_ghosts, places_(receiver.first_ghost + k));
      }
      for (std::size_t s = returns_half_ ? receiver.first_of_half_shell : receiver.first;
           s < receiver.last; ++s) {
        for (const std::uint32_t i : selection_.of(s)) keep(receiver.returning_originals, i);
      }
      if (receiver.peer < 0) continue;
      const std::size_t needed =
          std::max(receiver.returning_ghosts.all.size() * bytes,
                   receiver.returning_ghosts.rotors.size() * 2 * kForceBytes<Vec3>);
      // A reserve, as for positions.
      const auto& peer = return_exchange_->peers()[static_cast<std::size_t>(receiver.peer)];
      capacities.push_back(needed <= peer.send_capacity ? needed : needed + needed / 4);
    }
    if (return_exchange_) return_exchange_->reserve(capacities);
    returning_is_listed_ = true;
  }

  const std::vector<std::uint32_t>& returning(const Returning& lists) const {
    return returns_rotors_ ? lists.rotors : lists.all;
  }

  template <class Force>
  void send_forces(std::span<Force> all, std::size_t kinds) {
    const std::size_t of_a_kind = all.size() / kinds;
    for (const auto& receiver : receivers_) {
      if (receiver.peer < 0) continue;
      std::byte* out = return_exchange_->outbox(receiver.peer).data();
      for (std::size_t kind = 0; kind < kinds; ++kind) {
        const Force* const force = all.data() + kind * of_a_kind;
        for (const std::uint32_t ghost : returning(receiver.returning_ghosts)) {
          const decltype(Force::x) numbers[] = {force[ghost].x, force[ghost].y, force[ghost].z};
          std::memcpy(out, numbers, kForceBytes<Force>);
          out += kForceBytes<Force>;
        }
      }
      return_exchange_->commit(
          receiver.peer, returning(receiver.returning_ghosts).size() * kinds * kForceBytes<Force>);
    }
  }

  /// Adds the returned forces: first of this rank's own images, then of other ranks in rank order.
  template <class Force>
  void add_returned(std::span<Force> all, std::size_t kinds) {
    const std::size_t of_a_kind = all.size() / kinds;
    for (const auto& receiver : receivers_) {
      if (receiver.peer >= 0) continue;
      for (std::size_t kind = 0; kind < kinds; ++kind) {
        Force* const force = all.data() + kind * of_a_kind;
        const auto& ghosts = returning(receiver.returning_ghosts);
        const auto& originals = returning(receiver.returning_originals);
        for (std::size_t k = 0; k < originals.size(); ++k) {
          const Force& returned = force[ghosts[k]];
          add_force(force[originals[k]], returned.x, returned.y, returned.z);
        }
      }
    }
    if (!return_exchange_) return;
    return_exchange_->take_in_order([&](int peer, std::span<const std::byte> message) {
      const Receiver& receiver = receiver_of(peer);
      const auto& originals = returning(receiver.returning_originals);
      const std::size_t expected = originals.size() * kinds * kForceBytes<Force>;
      if (message.size() != expected) {
        throw comm::Error(fmt::format(
            "{} forces: rank {} sent {} bytes to rank {}, which expected {} for {} particles",
            name_, receiver.rank, message.size(), rank_, expected, originals.size()));
      }
      const std::byte* in = message.data();
      for (std::size_t kind = 0; kind < kinds; ++kind) {
        Force* const force = all.data() + kind * of_a_kind;
        for (const std::uint32_t original : originals) {
          decltype(Force::x) numbers[3];
          std::memcpy(numbers, in, kForceBytes<Force>);
          add_force(force[original], numbers[0], numbers[1], numbers[2]);
          in += kForceBytes<Force>;
        }
      }
    });
    return_exchange_->finish();
  }

  /// Sends to each receiver its ghosts, and waits until this rank's own have arrived.
  void send_ghosts(const ParticleStore& particles, std::size_t items) {
    const bool only_some = particles.only_some_rotate();
    std::vector<std::size_t> capacities;
    for (const auto& receiver : receivers_) {
      if (receiver.peer < 0) continue;
      std::size_t needed = sends_to(receiver) ? selected(receiver) * items + 1 : 0;
      if (only_some && needed > 0) needed += kTurned * selected_rotors(particles, receiver) + 1;
      const auto& peer = exchange_->peers()[static_cast<std::size_t>(receiver.peer)];
      // A reserve avoids growing again and again as the count fluctuates.
      capacities.push_back(needed <= peer.send_capacity ? needed : needed + needed / 4);
    }
    exchange_->reserve(capacities);
    for (const auto& receiver : receivers_) {
      if (!sends_to(receiver)) continue;
      double* const begin = exchange_->outbox(receiver.peer).data();
      double* end = write(particles, receiver, kAtRebuild, begin);
      if (only_some) {
        for_each_selected(receiver, [&](std::uint32_t i) {
          if (particles.turns(i)) end = write_turn(particles.orientation[i], end);
        });
        *end++ = static_cast<double>(selected(receiver));
      }
      *end++ = static_cast<double>(selected(receiver, receiver.first_of_half_shell));
      exchange_->commit(receiver.peer, static_cast<std::size_t>(end - begin));
    }
    exchange_->start();
    while (exchange_->next()) {
    }
  }

  /// Writes the fields of a receiver's ghosts to `out`; returns the end of the written part.
  double* write(const ParticleStore& particles, const Receiver& receiver,
                std::span<const SentToGhosts> when, double* out) const {
    for_each_field_of_ghosts(particles.kind_of_all(), when, [&](const auto& field) {
      const auto* const originals = (particles.*field.array).data();
      for (std::size_t s = receiver.first; s < receiver.last; ++s) {
        const Vec3 shift = selection_.segments()[s].translation;
        for (const std::uint32_t i : selection_.of(s)) {
          for (const auto number : of_ghost(field, originals[i], shift)) {
            *out++ = static_cast<double>(number);
          }
        }
      }
    });
    return out;
  }

  void receive(ParticleStore& particles, const Receiver& receiver,
               std::span<const SentToGhosts> when) {
    const double* in = exchange_->inbox(receiver.peer).data();
    for_each_field_of_ghosts(particles.kind_of_all(), when, [&](const auto& field) {
      using Field = std::remove_cvref_t<decltype(field)>;
      auto* const elements = (particles.*field.array).data();
      const GhostPlaces place = places_;  // a copy, as writes could alias a member
      for (std::size_t k = 0; k < receiver.ghosts; ++k) {
        typename Field::Numbers numbers;
        for (auto& number : numbers) number = static_cast<typename Field::NumberType>(*in++);
        field.set(elements[place(receiver.first_ghost + k)], numbers);
      }
    });
  }

  /// Copies fields to the periodic images of this rank's own particles.
  void copy(ParticleStore& particles, std::span<const SentToGhosts> when) {
    for_each_field_of_ghosts(particles.kind_of_all(), when, [&](const auto& field) {
      auto* const elements = (particles.*field.array).data();
      const GhostPlaces place = places_;
      for (const auto& receiver : receivers_) {
        if (receiver.peer >= 0) continue;
        std::size_t k = receiver.first_ghost;
        for (std::size_t s = receiver.first; s < receiver.last; ++s) {
          const Vec3 shift = selection_.segments()[s].translation;
          for (const std::uint32_t i : selection_.of(s)) {
            field.set(elements[place(k++)], of_ghost(field, elements[i], shift));
          }
        }
      }
    });
  }

  /// Maps a ghost's number in order of arrival to its place in the store.
  struct GhostPlaces {
    std::size_t local_count = 0;
    std::span<const std::uint32_t> slots{};  ///< empty: stored in the order of arrival

    std::size_t operator()(std::size_t ghost) const {
      return local_count + (slots.empty() ? ghost : slots[ghost]);
    }
  };

  int rank_;
  std::string name_;
  HaloSelection selection_;
  std::vector<char> narrow_types_;  ///< see HaloOptions
  bool returns_half_;
  bool returning_is_listed_ = false;  ///< of the ghosts at their present places
  bool returns_rotors_ = false;       ///< whether the present forces are those of rotors only
  std::size_t returning_bytes_ = 0;   ///< of a ghost, the most that any term has returned
  GhostPlaces places_;
  bool images_copied_ = false;       ///< for the positions that are being sent
  std::vector<Receiver> receivers_;  ///< ascending; each other rank is also a sender to this rank
  std::optional<Exchange> exchange_;
  std::optional<comm::NeighborExchange<std::byte>> return_exchange_;  ///< forces, the other way
  std::optional<Exchange> selected_exchange_;  ///< vectors of `select_ghosts`
};

}  // namespace sterna::md

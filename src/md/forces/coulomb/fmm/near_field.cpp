#include "md/forces/coulomb/fmm/near_field.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <stdexcept>

namespace sterna::md {
namespace {

/// The values of a charge that may be returned: three components of the field, and the potential.
constexpr std::size_t most_returned = 4;

}  // namespace

template <class Real>
NearField<Real>::NearField(const comm::Context* context, const Lattice& lattice,
                           const FmmParameters& parameters, const TreePartition& partition,
                           const std::string& exchange_method)
    : partition_(partition),
      kernels_(select_fmm_kernels(parameters.instruction_set).kernels<Real>()),
      dipoles_(parameters.dipoles),
      overlapping_(parameters.overlap > 0.0),
      once_(!dipoles_),
      rank_(partition.rank()),
      grid_(partition.grid(partition.leaf_depth())),
      own_(partition.touched_leaves(rank_)),
      around_(own_.grown(1)) {
  leaf_ = {lattice.a * (1.0 / grid_[0]), lattice.b * (1.0 / grid_[1]),
           lattice.c * (1.0 / grid_[2])};
  const auto first_axis = static_cast<std::size_t>(partition.most_cut_axis());
  std::size_t next_step = 0;
  CellBox{{-1, -1, -1}, {2, 2, 2}}.for_each([&](const Cells& by) {
    const Vec3 at = leaf_.position({double(by[0]), double(by[1]), double(by[2])});
    const Cells in_turn{by[first_axis], by[(first_axis + 2) % 3], by[(first_axis + 1) % 3]};
    steps_[next_step++] = {
        by,
        {static_cast<Real>(at.x), static_cast<Real>(at.y), static_cast<Real>(at.z)},
        in_turn > Cells{0, 0, 0}};
  });
  const auto wanted_from = [&](int rank) {
    const CellBox touched = partition_.touched_leaves(rank);
    CellBox wanted = touched.grown(1);
    if (once_) wanted.lower[first_axis] = touched.lower[first_axis];
    return wanted;
  };
  transfers_ = CellTransfers::plan(
      rank_, partition.rank_count(), grid_, partition.periodic(),
      [&](int rank) { return partition_.touched_leaves(rank); }, wanted_from);
  arrived_ranges_.sort(around_.count());
  if (context == nullptr) return;
  std::vector<comm::NeighborPattern::Peer> peers;
  for (int rank = 0; rank < partition.rank_count(); ++rank) {
    if (rank == rank_) continue;
    // Messages have room for the counts at first; later growth is agreed upon in `reserve`.
    std::size_t sent = 0, received = 0;
    for_each_remote_block(transfers_.sends, rank, [&](const CellBlock& b) {
      sent += b.source.count() * sizeof(std::int32_t);
    });
    for_each_remote_block(transfers_.receives, rank, [&](const CellBlock& b) {
      received += b.source.count() * sizeof(std::int32_t);
    });
    if (sent + received > 0) peers.push_back({rank, sent, received});
  }
  const auto pattern = comm::NeighborPattern::from_peers(*context, peers);
  exchange_.emplace(*context, pattern, comm::NeighborOptions{exchange_method, "fmm charges"});
  if (once_) {
    returns_.emplace(*context, pattern.reversed(),
                     comm::NeighborOptions{exchange_method, "fmm near fields"});
  }
  arrived_.resize(peers.size());
}

template <class Real>
template <class Function>
void NearField<Real>::for_each_remote_block(std::span<const CellBlock> blocks, int rank,
                                            Function function) const {
  for (const CellBlock& block : blocks) {
    if (block.rank == rank) function(block);
  }
}

template <class Real>
template <class Write, class Read>
void NearField<Real>::exchange(Write write, Read read) {
  for (std::size_t p = 0; p < exchange_->peers().size(); ++p) {
    if (exchange_->peers()[p].send_capacity == 0) continue;
    const auto peer = static_cast<int>(p);
    std::byte* const begin = exchange_->outbox(peer).data();
    std::byte* out = begin;
    for_each_remote_block(transfers_.sends, exchange_->peers()[p].rank,
                          [&](const CellBlock& block) { out = write(block.source, out); });
    exchange_->commit(peer, static_cast<std::size_t>(out - begin));
  }
  exchange_->start();
  exchange_->take_in_order([&](int peer, std::span<const std::byte> in) { read(peer, in.data()); });
  exchange_->finish();
}

template <class Real>
std::byte* NearField<Real>::write_counts(const CellBox& block, std::byte* out) const {
  block.for_each([&](const Cells& cell) {
    const std::size_t i = own_.index(cell);
    const auto here = static_cast<std::int32_t>(begins_[i + 1] - begins_[i]);
    std::memcpy(out, &here, sizeof here);
    out += sizeof here;
  });
  return out;
}

template <class Real>
template <class Array>
std::byte* NearField<Real>::write_charges(const Array& array, const CellBox& block,
                                          std::byte* out) const {
  block.for_each([&](const Cells& cell) {
    const std::size_t i = own_.index(cell);
    const std::size_t bytes = (begins_[i + 1] - begins_[i]) * sizeof array[0];
    if (bytes > 0) std::memcpy(out, array.data() + begins_[i], bytes);
    out += bytes;
  });
  return out;
}

template <class Real>
const std::byte* NearField<Real>::read_counts(int peer, const std::byte* in, Counts& counts) const {
  for_each_remote_block(transfers_.receives,
                        exchange_->peers()[static_cast<std::size_t>(peer)].rank,
                        [&](const CellBlock& block) {
                          const std::size_t known = counts.size(), cells = block.source.count();
                          counts.resize(known + cells);
                          std::memcpy(counts.data() + known, in, cells * sizeof(std::int32_t));
                          in += cells * sizeof(std::int32_t);
                        });
  return in;
}

template <class Real>
void NearField<Real>::Ranges::sort(std::size_t leaf_count) {
  begins_.assign(leaf_count + 1, 0);
  for (const auto& [leaf, range] : found_) ++begins_[leaf + 1];
  std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
  sorted_.resize(found_.size());
  std::vector<std::size_t> next(begins_.begin(), begins_.end() - 1);
  for (const auto& [leaf, range] : found_) sorted_[next[leaf]++] = range;
}

template <class Real>
void NearField<Real>::place_own() {
  own_ranges_.clear();
  for (const CellBlock& block : transfers_.receives) {
    if (block.rank != rank_) continue;
    block.source.for_each([&](const Cells& cell) {
      const std::size_t i = own_.index(cell);
      const Cells at{cell[0] + block.shift[0], cell[1] + block.shift[1], cell[2] + block.shift[2]};
      if (begins_[i] < begins_[i + 1]) {
        own_ranges_.add(around_.index(at),
                        {begins_[i], begins_[i + 1], rank_, i, block.shift == Cells{0, 0, 0}});
      }
    });
  }
  own_ranges_.sort(around_.count());
}

template <class Real>
void NearField<Real>::place_arriving(std::span<const Counts> counts) {
  std::size_t place = begins_.back();
  std::size_t peer = 0, next = 0;
  std::fill(arrived_.begin(), arrived_.end(), 0);
  arrived_ranges_.clear();
  for (const CellBlock& block : transfers_.receives) {
    if (block.rank == rank_) continue;
    while (exchange_->peers()[peer].rank != block.rank) ++peer, next = 0;
    block.target().for_each([&](const Cells& at) {
      const auto here = static_cast<std::size_t>(counts[peer][next++]);
      if (here > 0) arrived_ranges_.add(around_.index(at), {place, place + here, block.rank});
      place += here;
      arrived_[peer] += here;
    });
  }
  arrived_ranges_.sort(around_.count());
  resize(place);
}

template <class Real>
void NearField<Real>::resize(std::size_t count) {
  for (auto* array : {&charges_.x, &charges_.y, &charges_.z, &charges_.charge}) {
    array->resize(count + most_lanes);
  }
  charges_.molecule.resize(count + most_lanes, -1);
  if (!dipoles_) return;
  for (auto* array : {&charges_.dipole_x, &charges_.dipole_y, &charges_.dipole_z}) {
    array->resize(count);
  }
}

template <class Real>
void NearField<Real>::reserve(std::span<const std::size_t> charges) {
  if (!exchange_) return;
  std::vector<std::size_t> capacities;
  for (const auto& p : exchange_->peers()) {
    std::size_t needed = 0;
    for_each_remote_block(transfers_.sends, p.rank, [&](const CellBlock& block) {
      if (overlapping_) needed += block.source.count() * sizeof(std::int32_t);
      block.source.for_each(
          [&](const Cells& cell) { needed += charges[own_.index(cell)] * bytes_per_charge(); });
    });
    // A quarter is added, so that fluctuating counts do not make it grow again and again.
    capacities.push_back(needed <= p.send_capacity ? needed : needed + needed / 4);
  }
  exchange_->reserve(capacities);
  if (!returns_) return;
  capacities.clear();
  for (const auto& p : exchange_->peers()) {
    capacities.push_back(most_returned * (p.receive_capacity / bytes_per_charge()));
  }
  returns_->reserve(capacities);
}

template <class Real>
void NearField<Real>::rebuild(const LeafParts& parts, const PointCharges& charges,
                              FmmTimes& times) {
  Stopwatch watch;
  begins_ = parts.begins();
  const std::size_t count = parts.count();
  resize(count);
  for (std::size_t p = 0; p < count; ++p) {
    const std::size_t charge = parts.charge(p);
    charges_.charge[p] = static_cast<Real>(parts.weight(p) * charges.charge(charge));
    charges_.molecule[p] = charges.molecule(charge);
  }
  place_own();
  watch.lap(times.sort);
  if (overlapping_) return;

  if (exchange_) {
    std::vector<Counts> counts(arrived_.size());
    exchange([&](const CellBox& block, std::byte* out) { return write_counts(block, out); },
             [&](int peer, const std::byte* in) {
               read_counts(peer, in, counts[static_cast<std::size_t>(peer)]);
             });
    place_arriving(counts);
  }
  watch.lap(times.sort);

  if (exchange_) {
    std::vector<std::size_t> here;
    for (std::size_t i = 0; i + 1 < begins_.size(); ++i)
      here.push_back(begins_[i + 1] - begins_[i]);
    reserve(here);
    std::size_t at = count;
    exchange([&](const CellBox& block,
                 std::byte* out) { return write_charges(charges_.charge, block, out); },
             [&](int p, const std::byte* in) {
               const std::size_t arrived = arrived_[static_cast<std::size_t>(p)];
               if (arrived > 0) {
                 std::memcpy(charges_.charge.data() + at, in, arrived * sizeof(Real));
               }
               at += arrived;
             });
  }
  watch.lap(times.communication);
}

template <class Real>
void NearField<Real>::start(const LeafParts& parts, const PointCharges& charges,
                            std::span<const Vec3> dipoles, FmmTimes& times) {
  Stopwatch watch;
  for (std::size_t leaf = 0; leaf + 1 < begins_.size(); ++leaf) {
    if (begins_[leaf] == begins_[leaf + 1]) continue;
    parts.offsets(leaf, charges, offsets_);
    for (std::size_t k = 0; k < offsets_.size(); ++k) {
      const std::size_t i = begins_[leaf] + k;
      charges_.x[i] = static_cast<Real>(offsets_[k].x);
      charges_.y[i] = static_cast<Real>(offsets_[k].y);
      charges_.z[i] = static_cast<Real>(offsets_[k].z);
    }
  }
  for (std::size_t i = 0; dipoles_ && i < parts.count(); ++i) {
    charges_.dipole_x[i] = static_cast<Real>(dipoles[i].x);
    charges_.dipole_y[i] = static_cast<Real>(dipoles[i].y);
    charges_.dipole_z[i] = static_cast<Real>(dipoles[i].z);
  }
  watch.lap(times.near_field);
  if (!exchange_) return;
  for (std::size_t p = 0; p < exchange_->peers().size(); ++p) {
    if (exchange_->peers()[p].send_capacity == 0) continue;
    const auto peer = static_cast<int>(p);
    std::byte* const begin = exchange_->outbox(peer).data();
    std::byte* out = begin;
    const auto for_each_block = [&](auto function) {
      for_each_remote_block(transfers_.sends, exchange_->peers()[p].rank, function);
    };
    const auto write = [&](const auto& array) {
      for_each_block(
          [&](const CellBlock& block) { out = write_charges(array, block.source, out); });
    };
    if (overlapping_) {
      std::size_t bytes = 0;
      for_each_block([&](const CellBlock& block) {
        bytes += block.source.count() * sizeof(std::int32_t);
        block.source.for_each([&](const Cells& cell) {
          const std::size_t i = own_.index(cell);
          bytes += (begins_[i + 1] - begins_[i]) * bytes_per_charge();
        });
      });
      if (bytes > exchange_->peers()[p].send_capacity) {
        throw std::runtime_error(
            "more charges came to the border of the multipole method's cells than there is room "
            "for: molecules moved too far since the cells were filled");
      }
      for_each_block([&](const CellBlock& block) { out = write_counts(block.source, out); });
      write(charges_.charge);
    }
    write(charges_.x), write(charges_.y), write(charges_.z);
    if (dipoles_) write(charges_.dipole_x), write(charges_.dipole_y), write(charges_.dipole_z);
    exchange_->commit(peer, static_cast<std::size_t>(out - begin));
  }
  exchange_->start();
  watch.lap(times.communication);
}

template <class Real>
void NearField<Real>::clear_results(Wanted wanted) {
  std::size_t count = begins_.back() + most_lanes;
  if (once_) count = charges_.charge.size();
  for (auto* array : {&charges_.field_x, &charges_.field_y, &charges_.field_z}) {
    array->assign(count, Real(0));
  }
  if (wanted.potentials || dipoles_) {
    charges_.potential.assign(count, Real(0));
  } else {
    // Most steps do not want potentials, so their memory is released.
    charges_.potential.release();
  }
  if (!dipoles_) return;
  for (auto* array :
       {&charges_.dipole_force_x, &charges_.dipole_force_y, &charges_.dipole_force_z}) {
    array->assign(count, Real(0));
  }
}

template <class Real>
bool NearField<Real>::computes_within(const Cells& leaf, int other) const {
  const Cells in_box = partition_.periodic() ? wrapped(leaf, grid_) : leaf;
  const bool lower_computes = (in_box[0] + in_box[1] + in_box[2]) % 2 == 0;
  return lower_computes == (rank_ < other);
}

template <class Real>
void NearField<Real>::compute(bool local, Wanted wanted, std::size_t begin, std::size_t end) {
  const Ranges& ranges = local ? own_ranges_ : arrived_ranges_;
  for (std::size_t target = begin; target < end; ++target) {
    if (begins_[target] == begins_[target + 1]) continue;
    const Cells cell = own_.cell(target);
    cells_.clear();
    for (std::size_t number = 0; number < steps_.size(); ++number) {
      const Step& step = steps_[number];
      // Two leaves meet twice, from either side and with opposite steps, so one direction is
      // skipped.
      if (once_ && number != to_itself && !step.up) continue;
      const Cells at{cell[0] + step.by[0], cell[1] + step.by[1], cell[2] + step.by[2]};
      for (const Range& range : ranges.of(around_.index(at))) {
        // Several images of a leaf may lie at the same position.
        if (once_ && number == to_itself &&
            (local ? range.source < target : !computes_within(cell, range.rank))) {
          continue;
        }
        const bool itself = range.in_place && range.source == target;
        // If leaves overlap, neighboring leaves have parts of the same molecules.
        const bool same_molecules = range.in_place && (itself || overlapping_);
        cells_.push_back({range.begin,
                          range.end,
                          {step.shift[0], step.shift[1], step.shift[2]},
                          same_molecules,
                          once_ && !itself});
      }
    }
    if (cells_.empty()) continue;
    VirialProducts* const virial = wanted.virial ? &virial_ : nullptr;
    if (dipoles_) {
      kernels_.near_dipoles(charges_, begins_[target], begins_[target + 1], cells_, virial);
    } else {
      kernels_.near_charges(charges_, begins_[target], begins_[target + 1], cells_, sources_,
                            wanted.potentials, virial);
    }
  }
}

template <class Real>
void NearField<Real>::receive_positions() {
  std::size_t at = begins_.back();
  std::vector<std::size_t> place;
  for (const std::size_t arrived : arrived_) place.push_back(at), at += arrived;
  while (const auto peer = exchange_->next()) {
    read_arrays(*peer, exchange_->inbox(*peer).data(), place[static_cast<std::size_t>(*peer)]);
  }
  exchange_->finish();
}

template <class Real>
void NearField<Real>::receive_all() {
  std::vector<Counts> counts(arrived_.size());
  std::vector<const std::byte*> rest(arrived_.size(), nullptr);
  while (const auto peer = exchange_->next()) {
    const auto p = static_cast<std::size_t>(*peer);
    rest[p] = read_counts(*peer, exchange_->inbox(*peer).data(), counts[p]);
  }
  place_arriving(counts);
  std::size_t at = begins_.back();
  for (std::size_t p = 0; p < arrived_.size(); ++p) {
    if (rest[p] != nullptr) read_arrays(static_cast<int>(p), rest[p], at);
    at += arrived_[p];
  }
  exchange_->finish();
}

template <class Real>
void NearField<Real>::read_arrays(int peer, const std::byte* in, std::size_t place) {
  const auto read = [&](auto& array) {
    const std::size_t bytes = arrived_[static_cast<std::size_t>(peer)] * sizeof array[0];
    if (bytes > 0) std::memcpy(array.data() + place, in, bytes);
    in += bytes;
  };
  if (overlapping_) read(charges_.charge);
  read(charges_.x), read(charges_.y), read(charges_.z);
  if (dipoles_) read(charges_.dipole_x), read(charges_.dipole_y), read(charges_.dipole_z);
}

template <class Real>
template <class Function>
void NearField<Real>::for_each_returned(Wanted wanted, Function function) {
  function(charges_.field_x), function(charges_.field_y), function(charges_.field_z);
  if (wanted.potentials) function(charges_.potential);
}

template <class Real>
void NearField<Real>::return_results(Wanted wanted) {
  std::size_t place = begins_.back();
  for (std::size_t p = 0; p < arrived_.size(); ++p) {
    const auto peer = static_cast<int>(p);
    if (returns_->peers()[p].send_capacity == 0) continue;
    Real* const begin = returns_->outbox(peer).data();
    Real* out = begin;
    for_each_returned(wanted, [&](const StaggeredArray<Real>& results) {
      out = std::copy_n(results.data() + place, arrived_[p], out);
    });
    returns_->commit(peer, static_cast<std::size_t>(out - begin));
    place += arrived_[p];
  }
  returns_->start();
}

template <class Real>
void NearField<Real>::compute_arrived(Wanted wanted, FmmTimes& times) {
  Stopwatch watch;
  if (exchange_) overlapping_ ? receive_all() : receive_positions();
  watch.lap(times.communication);
  virial_ = {};
  clear_results(wanted);
  compute(false, wanted, 0, own_.count());
  watch.lap(times.near_field);
  if (returns_) return_results(wanted);
  watch.lap(times.communication);
}

template <class Real>
void NearField<Real>::compute_local(Wanted wanted, int part, int parts, FmmTimes& times) {
  Stopwatch watch;
  const auto first = [&](int of) {
    return own_.count() * static_cast<std::size_t>(of) / static_cast<std::size_t>(parts);
  };
  compute(true, wanted, first(part), first(part + 1));
  watch.lap(times.near_field);
}

template <class Real>
void NearField<Real>::finish(Wanted wanted, FmmTimes& times) {
  if (!returns_) return;
  Stopwatch watch;
  returns_->take_in_order([&](int peer, std::span<const Real> in) {
    const Real* next = in.data();
    for_each_returned(wanted, [&](StaggeredArray<Real>& results) {
      for_each_remote_block(transfers_.sends,
                            returns_->peers()[static_cast<std::size_t>(peer)].rank,
                            [&](const CellBlock& block) {
                              block.source.for_each([&](const Cells& cell) {
                                const std::size_t leaf = own_.index(cell);
                                for (std::size_t i = begins_[leaf]; i < begins_[leaf + 1]; ++i) {
                                  results[i] += *next++;
                                }
                              });
                            });
    });
  });
  returns_->finish();
  watch.lap(times.communication);
}

template <class Real>
std::vector<comm::Verdict> NearField<Real>::verdicts() const {
  std::vector<comm::Verdict> verdicts;
  if (exchange_) verdicts.push_back(exchange_->verdict());
  if (returns_) verdicts.push_back(returns_->verdict());
  return verdicts;
}

template class NearField<float>;
template class NearField<double>;

}  // namespace sterna::md

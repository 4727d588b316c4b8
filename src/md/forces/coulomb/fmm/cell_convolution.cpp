// Idea:    on a regular grid the sums over all pairs of cells are a convolution, which is a product
//          for each wave; the images of a periodic box are included in the sums of a wave at no
//          further cost.
// Paper:   Elliott and Board, SIAM J. Sci. Comput. 17, 398 (1996), for shifts of expansions by
//          Fourier transforms; here over cells rather than over coefficients.
// Cost:    for each cell (order + 1)^2 coefficients times the sum of the cells along the edges, and
//          (order + 1)^4 / 2 products: at order 10 a tenth of 189 shifts by rotation. Four rounds
//          in which each rank sends to all others, in total all coefficients of all cells.
// Hazards: the sums need (2 order + 1)^2 numbers for each wave. If there are more ranks than groups
//          of coefficients, some have nothing to transform, so levels of smaller cells are used
//          below.
// Else:    shifts from cell to cell, if there are many ranks and each needs only its neighbors.

#include "md/forces/coulomb/fmm/cell_convolution.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace sterna::md {
namespace {

Cells padded(const Cells& cells, bool periodic) {
  if (periodic) return cells;
  return {2 * cells[0], 2 * cells[1], 2 * cells[2]};
}

double sign(int m) {
  return m % 2 == 0 ? 1.0 : -1.0;
}

/// Calls function(coefficient, cell, place of the cell) for `count` coefficients of all cells. It
/// goes through cache lines of cells, because in messages coefficients may be a power of two apart.
template <class Function>
void for_each_line(const std::vector<std::size_t>& places, std::size_t count, Function function) {
  constexpr std::size_t together = 16;
  for (std::size_t begin = 0; begin < places.size(); begin += together) {
    const std::size_t end = std::min(begin + together, places.size());
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t cell = begin; cell < end; ++cell) function(i, cell, places[cell]);
    }
  }
}

/// The logarithm of sqrt((l - m)! (l + m)!) / scale^l.
double log_norm(int l, int m, double scale) {
  return 0.5 * (std::lgamma(l - m + 1.0) + std::lgamma(l + m + 1.0)) - l * std::log(scale);
}

}  // namespace

template <class Real>
CellConvolution<Real>::CellConvolution(const Lattice& cell, const Cells& grid, bool periodic,
                                       int order, double unit, const FmmKernels<Real>& kernels,
                                       const comm::Context* context, std::vector<CellBox> boxes,
                                       const std::string& exchange_method)
    : cell_{cell.a * (1.0 / unit), cell.b * (1.0 / unit), cell.c * (1.0 / unit)},
      periodic_(periodic),
      order_(order),
      kernels_(kernels),
      lanes_(kernels.lanes),
      plan_(padded(grid, periodic)),
      rank_(context == nullptr ? 0 : static_cast<std::size_t>(context->rank())),
      boxes_(std::move(boxes)),
      scale_(std::exp(std::lgamma(2.0 * order + 1.0) / (2.0 * order))) {
  make_places();
  sums_ = std::move(packed_sums(ImageSums::Kind::plain)[0]);
  expansions_.resize(blocks_of(rank_).count() * block_size());
  for (const CellBox& box : boxes_) {
    auto& places = cells_.emplace_back();
    box.for_each([&](const Cells& at) {
      places.push_back(CellBox::grid(plan_.grid).index(wrapped(at, plan_.grid)) * lanes_);
    });
  }
  if (coefficients_of(rank_).count() > 0) {
    values_.resize(plan_.cells() * lanes_);
    waves_.resize(2 * blocks() * lanes_ * lanes_);
  }
  if (context != nullptr) make_exchanges(*context, exchange_method);
}

template <class Real>
typename CellConvolution<Real>::Range CellConvolution<Real>::blocks_of(std::size_t rank) const {
  return {blocks() * rank / boxes_.size(), blocks() * (rank + 1) / boxes_.size()};
}

template <class Real>
typename CellConvolution<Real>::Range CellConvolution<Real>::coefficients_of(
    std::size_t rank) const {
  const std::size_t groups = (places_.size() + lanes_ - 1) / lanes_;
  const auto first = [&](std::size_t of) {
    return std::min(groups * of / boxes_.size() * lanes_, places_.size());
  };
  return {first(rank), first(rank + 1)};
}

template <class Real>
void CellConvolution<Real>::make_places() {
  // Complex harmonics are normalized so that expansions about a sum of vectors are plain products:
  // L_lm = sum of (-1)^l' conj(M_l'm') I_(l+l')(m+m').
  places_.resize(harmonics_count(order_));
  const double cells = static_cast<double>(plan_.cells());
  for (int l = 0; l <= order_; ++l)
    for (int m = 0; m <= l; ++m) {
      const double norm = std::exp(log_norm(l, m, scale_));
      const double half = m == 0 ? 1.0 : std::numbers::sqrt2;
      const Place cosine{4 * wave_index(order_, l, m), l,
                         static_cast<Real>(sign(m + l) / (half * norm)),
                         static_cast<Real>(half * sign(m) / (norm * cells))};
      places_[cosine_index(l, m)] = cosine;
      if (m == 0) continue;
      places_[sine_index(l, m)] = cosine;
      places_[sine_index(l, m)].part += 2;
    }
}

template <class Real>
void CellConvolution<Real>::make_exchanges(const comm::Context& context,
                                           const std::string& exchange_method) {
  std::vector<comm::NeighborPattern::Peer> cells, waves;
  for (std::size_t rank = 0; rank < boxes_.size(); ++rank) {
    if (rank == rank_) continue;
    const auto number = static_cast<int>(rank);
    cells.push_back({number, coefficients_of(rank).count() * boxes_[rank_].count(),
                     coefficients_of(rank_).count() * boxes_[rank].count()});
    waves.push_back({number, wave_message(rank_, rank), wave_message(rank, rank_)});
  }
  const auto of_cells = comm::NeighborPattern::from_peers(context, cells);
  const auto of_waves = comm::NeighborPattern::from_peers(context, waves);
  const auto make = [&](auto& made, const comm::NeighborPattern& pattern, const char* name) {
    made.emplace(context, pattern, comm::NeighborOptions{exchange_method, name});
  };
  make(cells_out_, of_cells, "fmm top multipoles");
  make(waves_out_, of_waves, "fmm top waves");
  make(waves_back_, of_waves.reversed(), "fmm top waves back");
  make(cells_back_, of_cells.reversed(), "fmm top local expansions");
}

template <class Real>
std::vector<std::vector<Real>> CellConvolution<Real>::packed_sums(ImageSums::Kind kind) const {
  const Range own = blocks_of(rank_);
  std::vector packed(ImageSums::parts(kind), std::vector<Real>(own.count() * sums_size()));
  const ImageSums sums{2 * order_, cell_, plan_.grid, periodic_};
  std::vector<double> norms(wave_count(2 * order_));
  for (int l = 0; l <= 2 * order_; ++l)
    for (int m = 0; m <= l; ++m) {
      norms[wave_index(2 * order_, l, m)] =
          sign(m) * std::exp(log_norm(l, m, scale_)) / (m == 0 ? 1.0 : std::numbers::sqrt2);
    }
  const auto pack = [&](std::size_t wave, std::size_t part, int first,
                        std::span<const double> values) {
    const std::size_t begin = harmonics_count(first - 1);
    Real* to = packed[part].data() + (wave / lanes_ - own.begin) * sums_size() + wave % lanes_;
    for (int l = first; harmonics_count(l) <= begin + values.size(); ++l)
      for (int m = 0; m <= l; ++m) {
        const std::size_t at = wave_index(2 * order_, l, m);
        to[2 * at * lanes_] = static_cast<Real>(norms[at] * values[cosine_index(l, m) - begin]);
        if (m == 0) continue;
        to[(2 * at + 1) * lanes_] = static_cast<Real>(norms[at] * values[sine_index(l, m) - begin]);
      }
  };
  const std::size_t waves = plan_.waves().count();
  sums.make(kind, std::min(own.begin * lanes_, waves), std::min(own.end * lanes_, waves), pack);
  return packed;
}

template <class Real>
void CellConvolution<Real>::start(const CellExpansions<Real>& multipoles) {
  own_ = &multipoles;
  if (!cells_out_) return;
  const std::size_t cells = multipoles.box().count();
  for_each_peer([&](int peer, std::size_t rank) {
    const Range coefficients = coefficients_of(rank);
    Real* out = cells_out_->outbox(peer).data();
    for (std::size_t a = coefficients.begin; a < coefficients.end; ++a, out += cells) {
      std::copy_n(multipoles.data() + a * multipoles.stride(), cells, out);
    }
    cells_out_->commit(peer, coefficients.count() * cells);
  });
  cells_out_->start();
}

template <class Real>
void CellConvolution<Real>::gather_values(std::size_t first, std::size_t count) {
  std::fill(values_.begin(), values_.end(), Real(0));
  for (std::size_t rank = 0; rank < boxes_.size(); ++rank) {
    const Real* from = own_->data() + first * own_->stride();
    std::size_t stride = own_->stride();
    if (rank != rank_) {
      stride = boxes_[rank].count();
      from =
          cells_out_->inbox(peer_of(rank)).data() + (first - coefficients_of(rank_).begin) * stride;
    }
    for_each_line(cells_[rank], count, [&](std::size_t i, std::size_t cell, std::size_t place) {
      values_[place + i] += from[i * stride + cell];
    });
  }
}

template <class Real>
void CellConvolution<Real>::to_waves() {
  if (cells_out_) cells_out_->finish();
  std::vector<Real*> outboxes(boxes_.size());
  for_each_peer(
      [&](int peer, std::size_t rank) { outboxes[rank] = waves_out_->outbox(peer).data(); });
  const Range own = coefficients_of(rank_);
  for (std::size_t first = own.begin; first < own.end; first += lanes_) {
    const std::size_t count = std::min(lanes_, own.end - first);
    gather_values(first, count);
    kernels_.to_waves(plan_, values_.data(), waves_.data());
    for (std::size_t i = 0; i < count; ++i) {
      const Place& place = places_[first + i];
      // The multipole is multiplied by i^degree.
      const std::size_t turned = place.degree % 2 == 0 ? 0 : lanes_;
      const Real re_sign = (place.degree + 1) / 2 % 2 == 0 ? place.into : -place.into;
      const Real im_sign = place.degree / 2 % 2 == 0 ? place.into : -place.into;
      for_each_block(first + i, expansions_.data(), outboxes, [&](std::size_t block, Real* to) {
        const Real* from = waves_.data() + 2 * block * lanes_ * lanes_ + i;
        for (std::size_t k = 0; k < lanes_; ++k) {
          to[k] = re_sign * from[2 * k * lanes_ + turned];
          to[lanes_ + k] = im_sign * from[(2 * k + 1) * lanes_ - turned];
        }
      });
    }
  }
  if (!waves_out_) return;
  for_each_peer(
      [&](int peer, std::size_t rank) { waves_out_->commit(peer, wave_message(rank_, rank)); });
  waves_out_->start();
}

template <class Real>
void CellConvolution<Real>::multiply(Virial* virial) {
  if (waves_out_) {
    waves_out_->finish();
    for_each_peer([&](int peer, std::size_t rank) {
      const Real* from = waves_out_->inbox(peer).data();
      for_each_part_of(rank, expansions_.data(), [&](Real* to) {
        std::copy_n(from, 2 * lanes_, to);
        from += 2 * lanes_;
      });
    });
  }
  if (virial != nullptr) *virial = this->virial();
  std::vector<Real> of_block(block_size());
  for (std::size_t block = 0; block < blocks_of(rank_).count(); ++block) {
    Real* const expansions = expansions_.data() + block * block_size();
    std::fill(of_block.begin(), of_block.end(), Real(0));
    kernels_.convolve(order_, sums_.data() + block * sums_size(), expansions, of_block.data());
    std::copy(of_block.begin(), of_block.end(), expansions);
  }
  if (!waves_back_) return;
  for_each_peer([&](int peer, std::size_t rank) {
    Real* out = waves_back_->outbox(peer).data();
    for_each_part_of(rank, expansions_.data(), [&](const Real* from) {
      std::copy_n(from, 2 * lanes_, out);
      out += 2 * lanes_;
    });
    waves_back_->commit(peer, wave_message(rank, rank_));
  });
  waves_back_->start();
}

template <class Real>
void CellConvolution<Real>::from_waves(CellExpansions<Real>& locals) {
  std::vector<Real*> inboxes(boxes_.size()), outboxes(boxes_.size());
  if (waves_back_) {
    waves_back_->finish();
    for_each_peer([&](int peer, std::size_t rank) {
      inboxes[rank] = const_cast<Real*>(waves_back_->inbox(peer).data());
      outboxes[rank] = cells_back_->outbox(peer).data();
    });
  }
  const Range own = coefficients_of(rank_);
  for (std::size_t first = own.begin; first < own.end; first += lanes_) {
    const std::size_t count = std::min(lanes_, own.end - first);
    for (std::size_t i = 0; i < count; ++i) {
      const Place& place = places_[first + i];
      const std::size_t turned = place.degree % 2 == 0 ? 0 : lanes_;
      const Real re_sign = (place.degree + 1) / 2 % 2 == 0 ? place.out_of : -place.out_of;
      const Real im_sign = place.degree / 2 % 2 == 0 ? place.out_of : -place.out_of;
      for_each_block(first + i, expansions_.data(), inboxes,
                     [&](std::size_t block, const Real* from) {
                       Real* to = waves_.data() + 2 * block * lanes_ * lanes_ + i;
                       for (std::size_t k = 0; k < lanes_; ++k) {
                         to[2 * k * lanes_] = re_sign * from[turned + k];
                         to[(2 * k + 1) * lanes_] = im_sign * from[lanes_ - turned + k];
                       }
                     });
    }
    kernels_.from_waves(plan_, waves_.data(), values_.data());
    scatter_values(first, count, outboxes, locals);
  }
  if (!cells_back_) return;
  for_each_peer([&](int peer, std::size_t rank) {
    cells_back_->commit(peer, own.count() * boxes_[rank].count());
  });
  cells_back_->start();
}

template <class Real>
void CellConvolution<Real>::finish(CellExpansions<Real>& locals) {
  if (!cells_back_) return;
  cells_back_->finish();
  const std::size_t cells = locals.box().count();
  for_each_peer([&](int peer, std::size_t rank) {
    const Real* from = cells_back_->inbox(peer).data();
    const Range coefficients = coefficients_of(rank);
    for (std::size_t a = coefficients.begin; a < coefficients.end; ++a, from += cells) {
      Real* to = locals.data() + a * locals.stride();
      std::copy_n(from, cells, to);
    }
  });
}

template <class Real>
void CellConvolution<Real>::scatter_values(std::size_t first, std::size_t count,
                                           const std::vector<Real*>& outboxes,
                                           CellExpansions<Real>& locals) {
  for (std::size_t rank = 0; rank < boxes_.size(); ++rank) {
    if (rank == rank_) {
      Real* to = locals.data() + first * locals.stride();
      for_each_line(cells_[rank], count, [&](std::size_t i, std::size_t cell, std::size_t place) {
        to[i * locals.stride() + cell] = values_[place + i];
      });
    } else {
      const std::size_t stride = boxes_[rank].count();
      Real* to = outboxes[rank] + (first - coefficients_of(rank_).begin) * stride;
      for_each_line(cells_[rank], count, [&](std::size_t i, std::size_t cell, std::size_t place) {
        to[i * stride + cell] = values_[place + i];
      });
    }
  }
}

template <class Real>
void CellConvolution<Real>::forget() {
  for (auto* array : {&sums_, &expansions_, &values_, &waves_}) *array = std::vector<Real>();
}

template <class Real>
std::vector<comm::Verdict> CellConvolution<Real>::verdicts() const {
  std::vector<comm::Verdict> verdicts;
  for (const auto* exchange : {&cells_out_, &waves_out_, &waves_back_, &cells_back_}) {
    if (*exchange) verdicts.push_back((*exchange)->verdict());
  }
  return verdicts;
}

template <class Real>
typename CellConvolution<Real>::Virial CellConvolution<Real>::virial() {
  if (strained_sums_.empty()) strained_sums_ = packed_sums(ImageSums::Kind::strained);
  // The energy is a product of the waves of multipoles and local expansions, one of them conjugate,
  // for each real coefficient.
  const Range own = blocks_of(rank_);
  std::vector<double> weights(blocks() * lanes_, 0.0);
  plan_.waves().for_each(
      [&](const Cells& wave) { weights[plan_.waves().index(wave)] = plan_.weight(wave); });
  Virial virial{};
  std::vector<Real> locals(block_size());
  for (std::size_t strain = 0; strain < 6; ++strain) {
    double energy = 0.0;
    for (std::size_t block = 0; block < own.count(); ++block) {
      const Real* const multipoles = expansions_.data() + block * block_size();
      std::fill(locals.begin(), locals.end(), Real(0));
      kernels_.convolve(order_, strained_sums_[strain].data() + block * sums_size(), multipoles,
                        locals.data());
      for (const Place& place : places_) {
        // Waves of multipoles have been multiplied by i^degree; those of local expansions have not
        // yet.
        const double factor = static_cast<double>(place.out_of) / static_cast<double>(place.into) *
                              sign(place.degree);
        for (std::size_t part = place.part; part < place.part + 2; ++part) {
          for (std::size_t k = 0; k < lanes_; ++k) {
            energy += factor * weights[(own.begin + block) * lanes_ + k] *
                      static_cast<double>(multipoles[part * lanes_ + k]) *
                      static_cast<double>(locals[part * lanes_ + k]);
          }
        }
      }
    }
    virial[strain] = -0.5 * energy;
  }
  return virial;
}

template class CellConvolution<float>;
template class CellConvolution<double>;

}  // namespace sterna::md

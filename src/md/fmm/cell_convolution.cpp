// Idea:    on a regular grid the sums over all pairs of cells are a convolution, which is a product
//          wave by wave; all images of a periodic box are in the wave's sums at no further cost.
// Paper:   Elliott and Board, SIAM J. Sci. Comput. 17, 398 (1996), for shifts of expansions by
//          Fourier transforms; here over cells rather than over coefficients.
// Cost:    of each cell (order + 1)^2 coefficients times the sum of the cells along the edges, and
//          (order + 1)^4 / 2 products: at order 10 a tenth of 189 shifts by rotation.
// Hazards: every rank computes all of it, so it is for grids of some ten thousand cells; levels
//          of smaller cells go below. The sums take (2 order + 1)^2 numbers for each wave.
// Else:    shifts from cell to cell where ranks have only some of the cells.

#include "md/fmm/cell_convolution.hpp"

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

/// log of sqrt((l - m)! (l + m)!) / scale^l.
double log_norm(int l, int m, double scale) {
  return 0.5 * (std::lgamma(l - m + 1.0) + std::lgamma(l + m + 1.0)) - l * std::log(scale);
}

}  // namespace

template <class Real>
CellConvolution<Real>::CellConvolution(const Lattice& cell, const Cells& grid, bool periodic,
                                       int order, double unit, const FmmKernels<Real>& kernels)
    : cell_{cell.a * (1.0 / unit), cell.b * (1.0 / unit), cell.c * (1.0 / unit)},
      cells_(grid),
      periodic_(periodic),
      order_(order),
      kernels_(kernels),
      lanes_(kernels.lanes),
      plan_(padded(grid, periodic)),
      scale_(std::exp(std::lgamma(2.0 * order + 1.0) / (2.0 * order))),
      places_(harmonics_count(order)) {
  // With these norms of complex harmonics the coefficients of an expansion about a sum of vectors
  // are plain products: L_lm = sum of (-1)^l' conj(M_l'm') I_(l+l')(m+m').
  const double cells = static_cast<double>(plan_.cells());
  for (int l = 0; l <= order; ++l)
    for (int m = 0; m <= l; ++m) {
      const double norm = std::exp(log_norm(l, m, scale_));
      const double half = m == 0 ? 1.0 : std::numbers::sqrt2;
      const Place cosine{4 * wave_index(order, l, m), l,
                         static_cast<Real>(sign(m + l) / (half * norm)),
                         static_cast<Real>(half * sign(m) / (norm * cells))};
      places_[cosine_index(l, m)] = cosine;
      if (m == 0) continue;
      places_[sine_index(l, m)] = cosine;
      places_[sine_index(l, m)].part += 2;
    }
  sums_ = packed_sums({});
  multipoles_.resize(blocks() * block_size());
  locals_.resize(multipoles_.size());
  values_.resize(plan_.cells() * lanes_);
  waves_.resize(2 * blocks() * lanes_ * lanes_);
}

template <class Real>
std::vector<Real> CellConvolution<Real>::packed_sums(ImageSums::Strain strain) const {
  std::vector<Real> packed(blocks() * sums_size());
  const ImageSums sums{2 * order_, cell_, plan_.grid, periodic_};
  std::vector<double> norms(wave_count(2 * order_));
  for (int l = 0; l <= 2 * order_; ++l)
    for (int m = 0; m <= l; ++m) {
      norms[wave_index(2 * order_, l, m)] =
          sign(m) * std::exp(log_norm(l, m, scale_)) / (m == 0 ? 1.0 : std::numbers::sqrt2);
    }
  sums.make(strain, [&](std::size_t wave, int first, std::span<const double> values) {
    const std::size_t begin = harmonics_count(first - 1);
    Real* to = packed.data() + wave / lanes_ * sums_size() + wave % lanes_;
    for (int l = first; harmonics_count(l) <= begin + values.size(); ++l)
      for (int m = 0; m <= l; ++m) {
        const std::size_t at = wave_index(2 * order_, l, m);
        to[2 * at * lanes_] = static_cast<Real>(norms[at] * values[cosine_index(l, m) - begin]);
        if (m == 0) continue;
        to[(2 * at + 1) * lanes_] = static_cast<Real>(norms[at] * values[sine_index(l, m) - begin]);
      }
  });
  return packed;
}

template <class Real>
void CellConvolution<Real>::to_waves(const CellExpansions<Real>& multipoles) {
  const CellBox grid = CellBox::grid(plan_.grid);
  std::fill(values_.begin(), values_.end(), Real(0));
  for (std::size_t first = 0; first < places_.size(); first += lanes_) {
    const std::size_t count = std::min(lanes_, places_.size() - first);
    multipoles.box().for_each([&](const Cells& cell) {
      const Real* from = multipoles.at(cell) + first * multipoles.stride();
      Real* to = values_.data() + grid.index(cell) * lanes_;
      for (std::size_t i = 0; i < count; ++i) to[i] = from[i * multipoles.stride()];
    });
    kernels_.to_waves(plan_, values_.data(), waves_.data());
    for (std::size_t i = 0; i < count; ++i) {
      const Place& place = places_[first + i];
      // Times i^degree.
      const std::size_t turned = place.degree % 2 == 0 ? 0 : lanes_;
      const Real re_sign = (place.degree + 1) / 2 % 2 == 0 ? place.into : -place.into;
      const Real im_sign = place.degree / 2 % 2 == 0 ? place.into : -place.into;
      for (std::size_t block = 0; block < blocks(); ++block) {
        const Real* from = waves_.data() + 2 * block * lanes_ * lanes_ + i;
        Real* to = multipoles_.data() + block * block_size() + place.part * lanes_;
        for (std::size_t k = 0; k < lanes_; ++k) {
          to[k] = re_sign * from[2 * k * lanes_ + turned];
          to[lanes_ + k] = im_sign * from[(2 * k + 1) * lanes_ - turned];
        }
      }
    }
  }
}

template <class Real>
void CellConvolution<Real>::from_waves(CellExpansions<Real>& locals) {
  const CellBox grid = CellBox::grid(plan_.grid);
  for (std::size_t first = 0; first < places_.size(); first += lanes_) {
    const std::size_t count = std::min(lanes_, places_.size() - first);
    for (std::size_t i = 0; i < count; ++i) {
      const Place& place = places_[first + i];
      const std::size_t turned = place.degree % 2 == 0 ? 0 : lanes_;
      const Real re_sign = (place.degree + 1) / 2 % 2 == 0 ? place.out_of : -place.out_of;
      const Real im_sign = place.degree / 2 % 2 == 0 ? place.out_of : -place.out_of;
      for (std::size_t block = 0; block < blocks(); ++block) {
        Real* to = waves_.data() + 2 * block * lanes_ * lanes_ + i;
        const Real* from = locals_.data() + block * block_size() + place.part * lanes_;
        for (std::size_t k = 0; k < lanes_; ++k) {
          to[2 * k * lanes_] = re_sign * from[turned + k];
          to[(2 * k + 1) * lanes_] = im_sign * from[lanes_ - turned + k];
        }
      }
    }
    kernels_.from_waves(plan_, waves_.data(), values_.data());
    locals.box().for_each([&](const Cells& cell) {
      const Real* from = values_.data() + grid.index(cell) * lanes_;
      Real* to = locals.at(cell) + first * locals.stride();
      for (std::size_t i = 0; i < count; ++i) to[i * locals.stride()] += from[i];
    });
  }
}

template <class Real>
void CellConvolution<Real>::add(const CellExpansions<Real>& multipoles,
                                CellExpansions<Real>& locals) {
  to_waves(multipoles);
  std::fill(locals_.begin(), locals_.end(), Real(0));
  for (std::size_t block = 0; block < blocks(); ++block) {
    kernels_.convolve(order_, sums_.data() + block * sums_size(),
                      multipoles_.data() + block * block_size(),
                      locals_.data() + block * block_size());
  }
  from_waves(locals);
}

template <class Real>
std::array<double, 6> CellConvolution<Real>::virial() {
  if (!strained_sums_) {
    strained_sums_.emplace();
    for (int strain = 0; strain < 6; ++strain) {
      (*strained_sums_)[static_cast<std::size_t>(strain)] = packed_sums(strain);
    }
  }
  // Of a real coefficient both expansions' waves are multiplied, one of them conjugate.
  std::vector<double> weights(blocks() * lanes_, 0.0);
  plan_.waves().for_each(
      [&](const Cells& wave) { weights[plan_.waves().index(wave)] = plan_.weight(wave); });
  std::array<double, 6> virial{};
  std::vector<Real> locals(block_size());
  for (std::size_t strain = 0; strain < 6; ++strain) {
    double energy = 0.0;
    for (std::size_t block = 0; block < blocks(); ++block) {
      const Real* const multipoles = multipoles_.data() + block * block_size();
      std::fill(locals.begin(), locals.end(), Real(0));
      kernels_.convolve(order_, (*strained_sums_)[strain].data() + block * sums_size(), multipoles,
                        locals.data());
      for (const Place& place : places_) {
        // Waves of multipoles were multiplied with i^degree, those of locals are to be.
        const double factor = static_cast<double>(place.out_of) / static_cast<double>(place.into) *
                              sign(place.degree);
        for (std::size_t part = place.part; part < place.part + 2; ++part) {
          for (std::size_t k = 0; k < lanes_; ++k) {
            energy += factor * weights[block * lanes_ + k] *
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

#pragma once

#include <array>
#include <span>
#include <vector>

#include "md/fmm/point_charges.hpp"

namespace sterna::md {

/// From the multipole of a periodic box about its center to the local expansion, there, of all
/// images but the box itself and those up to `near[axis]` boxes away along each edge: a square
/// matrix over the coefficients, element (local a, multipole b) at b * count + a. Coefficients in
/// units of `unit`. Converges where the images left are well separated, for which near images must
/// reach about as far along short edges as along long ones.
///
/// The lattice sums of the irregular harmonics are Ewald sums: what converges slowly in space does
/// so fast over the reciprocal lattice (Challacombe, White, Head-Gordon, J. Chem. Phys. 107, 10131
/// (1997)). They are those of a lattice in a neutralizing background, inside a conductor. Of that,
/// what is not harmonic, 2 pi / (3 V) |r - s|^2 for the potential at r of a unit charge at s and
/// its background, is for the caller to add.
std::vector<double> make_lattice_operator(int order, const Lattice& lattice,
                                          const std::array<int, 3>& near, double unit);

/// From a multipole, of which there are copies at `sources`, to the local expansion about the
/// origin of their sum: a matrix as above, which is what as many shifts do one after the other.
std::vector<double> make_sum_operator(int order, std::span<const Vec3> sources, double unit);

/// The derivatives of the lattice operator when the lattice is strained while the multipole and
/// the unit stay, by the symmetric strains xx yy zz xy xz yz (half of xy moves x along y, half
/// moves y along x).
std::array<std::vector<double>, 6> make_strained_lattice_operators(int order,
                                                                   const Lattice& lattice,
                                                                   const std::array<int, 3>& near,
                                                                   double unit);

}  // namespace sterna::md

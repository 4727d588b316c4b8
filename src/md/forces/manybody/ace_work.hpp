#pragma once

#include <cstddef>
#include <cstdint>

#include "md/forces/manybody/bond_rows.hpp"
#include "md/simd/kernel_getters.hpp"

namespace sterna::md {

/// The radial functions of a neighbor with a spherical harmonic of this l, and the sums over
/// neighbors of their products.
struct AceLevel {
  std::uint32_t first_radial;  ///< of the neighbor's radial functions
  std::uint32_t radials;
};

/// What depends on the elements of a center and of its neighbor.
struct AcePair {
  const double* knots;  ///< see AceKnots
  double knots_per_length;
  std::int64_t last_knot;
  /// R_nl as sums of basis functions, `basis` coefficients each; null where their sums are made of
  /// the sums over neighbors.
  const double* radial;
  double nearest_begin;  ///< where the expansion is off, if there are nuclei
};

/// A sum A of one element, n, l and m: it is a sum of sums over neighbors.
struct AceFactor {
  std::uint32_t first_sum;  ///< the first of the sums over neighbors that it is made of
  std::uint32_t step;       ///< from one to the next
  std::uint32_t count;
  std::uint32_t first_coefficient;
  std::uint32_t node;
  std::uint32_t mirror;  ///< the node of -m; that of m itself for m = 0
  double sign;           ///< A of -m is this times the conjugate of A of m
};

/// A node that is the product of two nodes before it.
struct AceProduct {
  std::uint32_t a, b;
};

/// The products of one node with others that are in the densities, one after the other.
struct AceGroup {
  std::uint32_t a;
  std::uint32_t count;
};

/// What the center's element says.
struct AceCenter {
  const AceFactor* factors;
  std::size_t factor_count;
  const double* factor_coefficients;
  const AceProduct* products;  ///< their nodes follow those of the factors
  std::size_t product_count;
  std::uint32_t first_product;  ///< node of the first one
  std::uint32_t nodes;
  const AceGroup* groups;
  std::size_t group_count;
  const std::uint32_t* others;      ///< of each group
  const double* coefficients;       ///< `densities` for each of these
  const std::uint32_t* lone;        ///< the sums over neighbors that are functions of rank 1
  const double* lone_coefficients;  ///< `densities` each
  std::size_t lone_count;
  std::uint32_t densities;
};

/// What is known of an atom before its energy.
struct AceAtom {
  double core;
  bool has_nearest;
  double nearest;               ///< distance from where the expansion is off
  std::uint32_t nearest_other;  ///< element
  double by_core, by_nearest;   ///< derivatives of the energy
};

/// The data that the kernels of the atomic cluster expansion read and write.
struct AceWork {
  BondRows rows;

  std::uint32_t elements;
  const std::uint32_t* element;    ///< by type
  const double* usual_distance;    ///< by center and neighbor: a distance within the cutoff
  const AceCenter* centers;        ///< by element
  const AcePair* pairs;            ///< by center and neighbor
  std::uint32_t basis;             ///< basis functions of a pair; the core repulsion follows
  std::uint32_t stride;            ///< of the knots
  std::uint32_t radial_functions;  ///< rows of `AcePair::radial`
  std::uint32_t radials;           ///< of a neighbor
  const AceLevel* levels;          ///< by l
  std::uint32_t largest_l;
  std::uint32_t
      sums;  ///< numbers of a neighbor's element: for each m and l >= m one for each radial
             ///< function, if m > 0 the real and the imaginary part
  const double* legendre;        ///< a and a b of each step, by m, then l > m
  const double* legendre_start;  ///< by m
  std::uint32_t most_nodes, most_densities;
  bool has_nuclei;

  /// The energy of an atom of this element. Sets the derivatives by its densities in place of these,
  /// and those of `atom`.
  double (*embed)(const void* potential, std::uint32_t element, double* densities, AceAtom& atom);
  const void* potential;
};

/// The kernels for one instruction set: energy, virial and forces of the terms whose center is a
/// particle of the given cells.
struct AceKernels {
  const char* name;  ///< "avx512"
  std::size_t (*scratch_bytes)(const AceWork&);
  void (*compute)(AceWork&, const std::uint32_t* cells, std::size_t cell_count);
};

STERNA_KERNEL_GETTERS(AceKernels, ace_kernels);

}  // namespace sterna::md

#pragma once

#include "md/forces/bonded/terms/angle_angle.hpp"
#include "md/forces/bonded/terms/bend_bend_torsion.hpp"
#include "md/forces/bonded/terms/bend_torsion.hpp"
#include "md/forces/bonded/terms/bending_torsion.hpp"
#include "md/forces/bonded/terms/cmap.hpp"
#include "md/forces/bonded/terms/cosine_exponential_angle.hpp"
#include "md/forces/bonded/terms/cosine_exponential_torsion.hpp"
#include "md/forces/bonded/terms/cosine_polynomial_angle.hpp"
#include "md/forces/bonded/terms/cosine_squared_angle.hpp"
#include "md/forces/bonded/terms/coulomb_14.hpp"
#include "md/forces/bonded/terms/ended_lennard_jones.hpp"
#include "md/forces/bonded/terms/fene_bond.hpp"
#include "md/forces/bonded/terms/flat_bottom_bond.hpp"
#include "md/forces/bonded/terms/flat_bottom_torsion.hpp"
#include "md/forces/bonded/terms/gaussian_angle.hpp"
#include "md/forces/bonded/terms/gaussian_bond.hpp"
#include "md/forces/bonded/terms/gromos_bond.hpp"
#include "md/forces/bonded/terms/harmonic_angle.hpp"
#include "md/forces/bonded/terms/harmonic_bond.hpp"
#include "md/forces/bonded/terms/harmonic_improper.hpp"
#include "md/forces/bonded/terms/inversion.hpp"
#include "md/forces/bonded/terms/inversion_cosine.hpp"
#include "md/forces/bonded/terms/lennard_jones_14.hpp"
#include "md/forces/bonded/terms/linear_angle.hpp"
#include "md/forces/bonded/terms/morse_bond.hpp"
#include "md/forces/bonded/terms/nonlinear_bond.hpp"
#include "md/forces/bonded/terms/opls_torsion.hpp"
#include "md/forces/bonded/terms/periodic_improper.hpp"
#include "md/forces/bonded/terms/periodic_torsion.hpp"
#include "md/forces/bonded/terms/plane_distance.hpp"
#include "md/forces/bonded/terms/polynomial_angle.hpp"
#include "md/forces/bonded/terms/polynomial_bond.hpp"
#include "md/forces/bonded/terms/restricted_angle.hpp"
#include "md/forces/bonded/terms/restricted_torsion.hpp"
#include "md/forces/bonded/terms/ring_improper.hpp"
#include "md/forces/bonded/terms/ryckaert_bellemans.hpp"
#include "md/forces/bonded/terms/shifted_harmonic_bond.hpp"
#include "md/forces/bonded/terms/spherical_torsion.hpp"
#include "md/forces/bonded/terms/stretch_bend.hpp"
#include "md/forces/bonded/terms/stretch_outer.hpp"
#include "md/forces/bonded/terms/stretch_stretch.hpp"
#include "md/forces/bonded/terms/stretch_stretch_13.hpp"
#include "md/forces/bonded/terms/stretch_torsion.hpp"
#include "md/forces/bonded/terms/tabulated_angle.hpp"
#include "md/forces/bonded/terms/tabulated_bond.hpp"
#include "md/forces/bonded/terms/tabulated_torsion.hpp"
#include "md/forces/bonded/terms/unsigned_improper.hpp"
#include "md/forces/bonded/terms/urey_bradley.hpp"
#include "md/forces/bonded/terms/vector_angle.hpp"
#include "md/forces/bonded/terms/wilson_improper.hpp"

namespace sterna::md {
namespace {

template <class... Terms>
struct TermList {};

/// All bonded terms. A new term is a file of this folder and a row here: kernels, input, checks,
/// documentation and tests use this list.
using BondedTerms = TermList<  //
    HarmonicBond,              //
    MorseBond,                 //
    PolynomialBond,            //
    GromosBond,                //
    FeneBond,                  //
    FlatBottomBond,            //
    ShiftedHarmonicBond,       //
    NonlinearBond,             //
    GaussianBond,              //
    HarmonicAngle,             //
    CosineSquaredAngle,        //
    RestrictedAngle,           //
    PolynomialAngle,           //
    CosinePolynomialAngle,     //
    UreyBradley,               //
    StretchStretch,            //
    StretchBend,               //
    StretchOuter,              //
    LinearAngle,               //
    CosineExponentialAngle,    //
    GaussianAngle,             //
    PeriodicTorsion,           //
    OplsTorsion,               //
    RyckaertBellemans,         //
    RestrictedTorsion,         //
    BendingTorsion,            //
    CosineExponentialTorsion,  //
    FlatBottomTorsion,         //
    StretchTorsion,            //
    BendTorsion,               //
    BendBendTorsion,           //
    StretchStretch13,          //
    SphericalTorsion,          //
    HarmonicImproper,          //
    PeriodicImproper,          //
    UnsignedImproper,          //
    Inversion,                 //
    InversionCosine,           //
    WilsonImproper,            //
    PlaneDistance,             //
    RingImproper,              //
    AngleAngle,                //
    VectorAngle,               //
    Cmap,                      //
    LennardJones14,            //
    EndedLennardJones,         //
    Coulomb14,                 //
    TabulatedBond,             //
    TabulatedAngle,            //
    TabulatedTorsion>;

}  // namespace
}  // namespace sterna::md

#pragma once

#include "md/forces/bonded/terms/bending_torsion.hpp"
#include "md/forces/bonded/terms/cmap.hpp"
#include "md/forces/bonded/terms/cosine_polynomial_angle.hpp"
#include "md/forces/bonded/terms/cosine_squared_angle.hpp"
#include "md/forces/bonded/terms/coulomb_14.hpp"
#include "md/forces/bonded/terms/ended_lennard_jones.hpp"
#include "md/forces/bonded/terms/fene_bond.hpp"
#include "md/forces/bonded/terms/flat_bottom_bond.hpp"
#include "md/forces/bonded/terms/gromos_bond.hpp"
#include "md/forces/bonded/terms/harmonic_angle.hpp"
#include "md/forces/bonded/terms/harmonic_bond.hpp"
#include "md/forces/bonded/terms/harmonic_improper.hpp"
#include "md/forces/bonded/terms/lennard_jones_14.hpp"
#include "md/forces/bonded/terms/morse_bond.hpp"
#include "md/forces/bonded/terms/opls_torsion.hpp"
#include "md/forces/bonded/terms/periodic_improper.hpp"
#include "md/forces/bonded/terms/periodic_torsion.hpp"
#include "md/forces/bonded/terms/polynomial_angle.hpp"
#include "md/forces/bonded/terms/polynomial_bond.hpp"
#include "md/forces/bonded/terms/restricted_angle.hpp"
#include "md/forces/bonded/terms/restricted_torsion.hpp"
#include "md/forces/bonded/terms/ryckaert_bellemans.hpp"
#include "md/forces/bonded/terms/urey_bradley.hpp"

namespace sterna::md {
namespace {

template <class... Terms>
struct TermList {};

/// All bonded terms. A new one is a file of this folder and a row here: kernels, input, checks,
/// documentation and tests go through this list.
using BondedTerms = TermList<  //
    HarmonicBond,              //
    MorseBond,                 //
    PolynomialBond,            //
    GromosBond,                //
    FeneBond,                  //
    FlatBottomBond,            //
    HarmonicAngle,             //
    CosineSquaredAngle,        //
    RestrictedAngle,           //
    PolynomialAngle,           //
    CosinePolynomialAngle,     //
    UreyBradley,               //
    PeriodicTorsion,           //
    OplsTorsion,               //
    RyckaertBellemans,         //
    RestrictedTorsion,         //
    BendingTorsion,            //
    HarmonicImproper,          //
    PeriodicImproper,          //
    Cmap,                      //
    LennardJones14,            //
    EndedLennardJones,         //
    Coulomb14>;

}  // namespace
}  // namespace sterna::md

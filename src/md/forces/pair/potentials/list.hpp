#pragma once

#include "md/forces/pair/potentials/beck.hpp"
#include "md/forces/pair/potentials/born_mayer_huggins.hpp"
#include "md/forces/pair/potentials/buckingham.hpp"
#include "md/forces/pair/potentials/cosine_squared.hpp"
#include "md/forces/pair/potentials/gaussian.hpp"
#include "md/forces/pair/potentials/harmonic_repulsion.hpp"
#include "md/forces/pair/potentials/inverse_power.hpp"
#include "md/forces/pair/potentials/lennard_jones_12_6.hpp"
#include "md/forces/pair/potentials/lennard_jones_cubic.hpp"
#include "md/forces/pair/potentials/lennard_jones_expanded.hpp"
#include "md/forces/pair/potentials/lennard_jones_smoothed.hpp"
#include "md/forces/pair/potentials/mie.hpp"
#include "md/forces/pair/potentials/morse.hpp"
#include "md/forces/pair/potentials/soft.hpp"
#include "md/forces/pair/potentials/tabulated.hpp"
#include "md/forces/pair/potentials/uhlenbeck_ford.hpp"
#include "md/forces/pair/potentials/wang_frenkel.hpp"
#include "md/forces/pair/potentials/weeks_chandler_andersen.hpp"
#include "md/forces/pair/potentials/yukawa.hpp"
#include "md/forces/pair/potentials/ziegler_biersack_littmark.hpp"

namespace sterna::md {
namespace {

template <class... Potentials>
struct PotentialList {};

/// All pair potentials. A new one is a file in this folder and a row here, because kernels, input,
/// checks, documentation and conformance tests use this list.
using PairPotentials = PotentialList<  //
    LennardJones12_6,                  //
    LennardJonesExpanded,              //
    LennardJonesSmoothed,              //
    LennardJonesCubic,                 //
    Mie,                               //
    InversePower,                      //
    WangFrenkel,                       //
    Buckingham,                        //
    BornMayerHuggins,                  //
    Beck,                              //
    Morse,                             //
    Yukawa,                            //
    ZieglerBiersackLittmark,           //
    WeeksChandlerAndersen,             //
    CosineSquared,                     //
    Gaussian,                          //
    UhlenbeckFord,                     //
    Soft,                              //
    HarmonicRepulsion,                 //
    Tabulated>;

}  // namespace
}  // namespace sterna::md

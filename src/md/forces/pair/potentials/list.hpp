#pragma once

#include "md/forces/pair/potentials/born_mayer_huggins.hpp"
#include "md/forces/pair/potentials/buckingham.hpp"
#include "md/forces/pair/potentials/lennard_jones_12_6.hpp"
#include "md/forces/pair/potentials/mie.hpp"
#include "md/forces/pair/potentials/morse.hpp"
#include "md/forces/pair/potentials/soft.hpp"
#include "md/forces/pair/potentials/tabulated.hpp"
#include "md/forces/pair/potentials/weeks_chandler_andersen.hpp"
#include "md/forces/pair/potentials/yukawa.hpp"

namespace sterna::md {
namespace {

template <class... Potentials>
struct PotentialList {};

/// All pair potentials. A new one is a file of this folder and a row here: kernels, input, checks,
/// documentation and conformance tests go through this list.
using PairPotentials = PotentialList<  //
    LennardJones12_6,                  //
    Mie,                               //
    Buckingham,                        //
    BornMayerHuggins,                  //
    Morse,                             //
    Yukawa,                            //
    WeeksChandlerAndersen,             //
    Soft,                              //
    Tabulated>;

}  // namespace
}  // namespace sterna::md

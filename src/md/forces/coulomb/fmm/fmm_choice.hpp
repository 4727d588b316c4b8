#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "md/domain/decomposition.hpp"
#include "md/forces/coulomb/fmm/fmm_parameters.hpp"
#include "md/forces/coulomb/fmm/point_charges.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

// Chooses parameters of the multipole method for given charges, by measured errors and times.

/// Order and precision of FmmParameters::choose, with the order raised by check_parameters for
/// these charges. Double precision is used if rounding takes more than half of the accuracy
/// (ForceError::rounding). In this process only.
CheckedFmmParameters checked_fmm_parameters(const Lattice& lattice, bool periodic,
                                            const PointCharges& charges, double accuracy);
/// As the other function, on all ranks, each with its own charges. Collective. `other_forces`:
/// returns forces on this rank's charges that are added to those of the method, or nothing; errors
/// are compared with the sums. It is called when no solver is in memory. `keep_precision`: the
/// trial's precision is kept, and rounding is part of the error.
CheckedFmmParameters checked_fmm_parameters(
    const comm::Context& context, const Decomposition& decomposition, const FmmParameters& trial,
    const PointCharges& charges, double accuracy, const std::string& exchange_method = "auto",
    const std::function<std::vector<Vec3>()>& other_forces = {}, bool keep_precision = false);
/// The fastest of `trials` on all ranks, by the least time of several computations, after
/// `checked_fmm_parameters` has raised their orders. If none reaches the accuracy, the most
/// accurate. Collective.
CheckedFmmParameters fastest_fmm_parameters(const comm::Context& context,
                                            const Decomposition& decomposition,
                                            std::span<const FmmParameters> trials,
                                            const PointCharges& charges, double accuracy,
                                            const std::string& exchange_method,
                                            const std::function<std::vector<Vec3>()>& other_forces,
                                            bool keep_precision = false);

}  // namespace sterna::md

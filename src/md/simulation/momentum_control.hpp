#pragma once

#include <memory>
#include <vector>

#include "md/integrate/step_modifier.hpp"

namespace sterna::md {

/// Appends the step modifiers of [[limit]], [[drift_control]] and [alignment].
void make_motion_limits(const comm::Context& context, const Input& input,
                        const MoleculeTable& molecules,
                        std::vector<std::unique_ptr<StepModifier>>& modifiers);
void make_drift_controls(const comm::Context& context, const Input& input,
                         const MoleculeTable& molecules,
                         std::vector<std::unique_ptr<StepModifier>>& modifiers);
void make_alignment(const comm::Context& context, const Input& input,
                    const MoleculeTable& molecules,
                    std::vector<std::unique_ptr<StepModifier>>& modifiers);

}  // namespace sterna::md

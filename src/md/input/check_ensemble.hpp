#pragma once

#include <string>

#include "md/input/input.hpp"

namespace sterna::md {

/// Why a run samples no ensemble of equilibrium, as the end of a sentence; empty: it samples the
/// one of constant energy, of constant temperature, or of constant temperature and pressure.
std::string why_no_ensemble(const Input& input);

}  // namespace sterna::md

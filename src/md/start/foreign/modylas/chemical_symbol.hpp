#pragma once

#include <string_view>

namespace sterna::md::modylas {

/// The chemical symbol of the mass, in u; "X" where there is none near.
std::string_view symbol_of(double mass);

}  // namespace sterna::md::modylas

#pragma once

#include <string_view>

namespace sterna::md::modylas {

/// The symbol of the element with about this mass in u; "X" if there is none.
std::string_view symbol_of(double mass);

}  // namespace sterna::md::modylas

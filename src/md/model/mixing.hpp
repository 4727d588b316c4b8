#pragma once

#include "md/core/choice.hpp"

namespace sterna::md {

/// Rules for the parameters of unlike types.
enum class Mixing { lorentz_berthelot, geometric };
template <>
inline constexpr auto choice_table<Mixing> = std::to_array<Choice<Mixing>>(
    {{"lorentz_berthelot", Mixing::lorentz_berthelot}, {"geometric", Mixing::geometric}});

}  // namespace sterna::md

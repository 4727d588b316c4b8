#pragma once

#include "md/core/choice.hpp"

namespace sterna::md {

/// Rules for the parameters of unlike types, and of sites of unlike components.
enum class Mixing { lorentz_berthelot, geometric, waldman_hagler, kong, fender_halsey };
template <>
inline constexpr auto choice_table<Mixing> =
    std::to_array<Choice<Mixing>>({{"lorentz_berthelot", Mixing::lorentz_berthelot},
                                   {"geometric", Mixing::geometric},
                                   {"waldman_hagler", Mixing::waldman_hagler},
                                   {"kong", Mixing::kong},
                                   {"fender_halsey", Mixing::fender_halsey}});

}  // namespace sterna::md

#pragma once

namespace sterna {

inline constexpr const char* version = "0.2.0";

}  // namespace sterna

#pragma once

namespace sterna {

inline constexpr const char* version = "0.1.0";

}  // namespace sterna

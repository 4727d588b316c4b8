#pragma once

namespace sterna::md {

/// R in J/(mol K), exact (CODATA 2018).
inline constexpr double gas_constant = 8.31446261815324;

}  // namespace sterna::md

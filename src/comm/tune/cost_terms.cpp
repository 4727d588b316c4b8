#include "comm/tune/cost_terms.hpp"

#include <bit>

namespace sterna::comm {

double global_steps_among(int ranks) {
  return ranks <= 1 ? 0.0 : static_cast<double>(std::bit_width(static_cast<unsigned>(ranks - 1)));
}

}  // namespace sterna::comm

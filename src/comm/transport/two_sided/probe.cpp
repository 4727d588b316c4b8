#include "comm/transport/two_sided/probe.hpp"

namespace sterna::comm::two_sided {

std::string why_unavailable() {
  return {};
}

}  // namespace sterna::comm::two_sided

#include "md/forces/force_term.hpp"

#include "sterna/comm/methods.hpp"

namespace sterna::md {

// Defined here, so that who includes the interface does not compile what `Verdict` needs.
std::vector<comm::Verdict> ForceTerm::verdicts() const {
  return {};
}

}  // namespace sterna::md

#include "md/forces/force_term.hpp"

#include <nlohmann/json.hpp>

namespace sterna::md {

nlohmann::ordered_json ForceTerm::settings() const {
  return nullptr;
}

}  // namespace sterna::md

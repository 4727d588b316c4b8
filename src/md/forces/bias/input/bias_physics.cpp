#include "md/forces/bias/input/bias_physics.hpp"

#include "md/forces/bias/input/bias_sections.hpp"

namespace sterna::md {

PhysicsRow physics::bias() {
  return {
      .name = "bias",
      .sentence = "collective variables and biases on them",
      .sections = {section::variable, section::bias},
      .keys =
          [] {
            return std::vector<AddedKey>{{"output", "thermo_interval", variables_interval_key()}};
          },
      .check = check_biases,
      .check_in_box = check_biases_in_box,
      .text_files = {".colvar", ".hills"}};
}

}  // namespace sterna::md

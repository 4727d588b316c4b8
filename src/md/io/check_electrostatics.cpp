#include "md/io/check_electrostatics.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sterna::md {

void check_electrostatics(const Input& input, const IsGood& is_good, const Report& report) {
  const bool on = input.electrostatics.kind == "fmm";
  // A kind that is an error of its own may have been meant to be one.
  const bool perhaps =
      input.places.contains("electrostatics.kind") && !is_good("electrostatics.kind");
  bool charged = std::ranges::any_of(input.components, [](const Input::Component& component) {
    return std::ranges::any_of(component.sites,
                               [](const Input::Site& site) { return site.charge != 0.0; });
  });
  for (std::size_t n = 0; n < input.types.size(); ++n) {
    if (input.types[n].charge == 0.0) continue;
    charged = true;
    const std::string place = fmt::format("type[{}].charge", n);
    if (on || perhaps || !is_good(place)) continue;
    report(Severity::error, place,
           "\"charge\" in [[type]] needs a solver: a section [electrostatics] with kind = "
           "\"fmm\"");
  }
  if (!on || !is_good("electrostatics.kind")) return;
  if (!charged) {
    report(Severity::warning, "electrostatics.kind",
           "[electrostatics] has no effect: nothing has a charge");
  }
  if (is_good("interaction.electrostatics") &&
      input.interaction.electrostatics == "reaction_field") {
    report(Severity::error, "interaction.electrostatics",
           "a reaction field contradicts [electrostatics] with kind = \"fmm\": expected one of the "
           "two");
  }
}

}  // namespace sterna::md

#include "md/forces/bias/collective_variable.hpp"

namespace sterna::md {

double CenterVariable::evaluate(Groups groups, std::span<const double>, std::span<const double>,
                                const Box& box) {
  std::vector<Vec3> centers;
  for (const GroupMembers& group : groups) centers.push_back(group.place());
  gradients_.assign(groups.size(), Vec3{});
  strain_ = {};
  return of_centers(centers, box, gradients_, strain_);
}

void CenterVariable::add_forces(double factor, Groups groups, std::span<Vec3> forces) const {
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (const GroupMembers::Member& member : groups[g].here) {
      forces[member.index] += (factor * member.weight / groups[g].mass) * gradients_[g];
    }
  }
}

const Registry<VariableRow>& variable_table() {
  static const Registry<VariableRow> table("collective variable", std::vector<VariableRow>{
#define STERNA_VARIABLE(name) variable::name(),
#include "md/forces/bias/variable_list.inc"
#undef STERNA_VARIABLE
                                                                  });
  return table;
}

}  // namespace sterna::md

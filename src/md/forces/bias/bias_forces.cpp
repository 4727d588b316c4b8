#include "md/forces/bias/bias_forces.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <utility>

#include "sterna/comm/collective.hpp"

namespace sterna::md {
namespace {

constexpr double bias_state_format = 1.0;
/// A group that reaches farther from its center, in boxes, is not whole for certain.
constexpr double farthest_from_center = 0.45;

/// The numbers of a state, from the first to the last.
class BiasStateReader {
 public:
  explicit BiasStateReader(std::span<const double> state) : left_(state) {}
  double next() { return several(1)[0]; }
  std::span<const double> several(std::size_t count) {
    expect_that(count <= left_.size());
    const auto taken = left_.first(count);
    left_ = left_.subspan(count);
    return taken;
  }
  void expect(double value) { expect_that(next() == value); }
  static void expect_that(bool holds) {
    if (!holds) throw std::invalid_argument("the biases are of another input");
  }
  bool is_at_end() const { return left_.empty(); }

 private:
  std::span<const double> left_;
};

template <class Value>
std::vector<Value> joined_from_all_ranks(const comm::Context& context,
                                         std::span<const Value> mine) {
  const std::string bytes(reinterpret_cast<const char*>(mine.data()), mine.size_bytes());
  std::string joined;
  for (const std::string& part : comm::gather(context, 0, bytes)) joined += part;
  comm::broadcast(context, 0, joined);
  std::vector<Value> all(joined.size() / sizeof(Value));
  if (!all.empty()) std::memcpy(all.data(), joined.data(), joined.size());
  return all;
}

}  // namespace

BiasForces::BiasForces(const comm::Context& context, const Box& box,
                       std::vector<Variable> variables, std::vector<BiasOptions> biases,
                       std::vector<double> masses, const Options& options)
    : context_(context),
      box_(box),
      variables_(std::move(variables)),
      masses_(std::move(masses)),
      options_(options) {
  first_group_.push_back(0);
  for (const Variable& variable : variables_) {
    const VariableRow& row = variable_table().get(variable.options.kind);
    made_.push_back(row.make(variable.options));
    keeps_momentum_ = keeps_momentum_ && row.is_translation_invariant(variable.groups.size());
    groups_.resize(groups_.size() + variable.groups.size());
    first_group_.push_back(groups_.size());
  }
  ids_.resize(groups_.size());
  is_centered_.assign(made_.size(), 0);
  for (BiasOptions& of : biases) {
    for (BiasedVariable& variable : of.variables) {
      const CollectiveVariable& made = *made_[variable.index];
      variable.name = variables_[variable.index].options.name;
      variable.period = made.period(box);
      variable.least = made.least();
    }
    biases_.push_back(bias_table().get(of.kind).make(of));
    options_of_biases_.push_back(of);
  }
  values_.assign(made_.size(), 0.0);
  energies_.assign(biases_.size(), 0.0);
  work_.assign(biases_.size(), 0.0);
  if (options_.interval > 0) texts_.push_back({".colvar", head_of_values()});
  for (const auto& bias : biases_) {
    if (bias->has_hills()) texts_.push_back({".hills", bias->hills_head()});
  }
}

std::span<const GroupMembers> BiasForces::groups_of(std::size_t variable) const {
  return std::span(groups_).subspan(first_group_[variable],
                                    first_group_[variable + 1] - first_group_[variable]);
}

std::span<const double> BiasForces::sums_of(std::size_t variable) const {
  return std::span(sums_).subspan(first_sum_[variable],
                                  first_sum_[variable + 1] - first_sum_[variable]);
}

void BiasForces::rebuild(const ParticleStore& particles) {
  std::size_t g = 0;
  for (const Variable& variable : variables_) {
    for (const AtomGroup& of : variable.groups) {
      GroupMembers& group = groups_[g++];
      group.here.clear();
      for (std::size_t i = 0; i < particles.local_count(); ++i) {
        const std::int64_t type = particles.position[i].type;
        if (!of.contains(particles.id[i], type)) continue;
        group.here.push_back({i, particles.id[i], masses_[static_cast<std::size_t>(type)], 0});
      }
      // In the order of ids, so that sums do not depend on how particles are sorted.
      std::ranges::sort(group.here, {}, &GroupMembers::Member::id);
    }
  }
  if (!counted_) count_groups();
  number_members();
  if (!has_points_) place_points(particles);
  take_references();
}

/// Collective. What all ranks know of the groups, which stays for the whole run.
void BiasForces::count_groups() {
  std::vector<double> masses(groups_.size(), 0.0);
  comm::ReductionBatch batch(context_, "groups of variables", comm::ReductionOrder::fixed);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    groups_[g].count = static_cast<std::int64_t>(groups_[g].here.size());
    for (const GroupMembers::Member& member : groups_[g].here) masses[g] += member.weight;
    batch.sum(masses[g]).sum(groups_[g].count);
  }
  batch.run();
  // A resumed run keeps the bits of the sum, which depend on where atoms were at the start.
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (!has_points_) groups_[g].mass = masses[g];
  }
  for (std::size_t v = 0; v < variables_.size(); ++v) {
    const auto refuse = [&](const std::string& why) {
      throw std::runtime_error(
          fmt::format("[[variable]] \"{}\": {}", variables_[v].options.name, why));
    };
    for (std::size_t g = first_group_[v]; g < first_group_[v + 1]; ++g) {
      const std::string& name = variables_[v].groups[g - first_group_[v]].name();
      if (groups_[g].count == 0) refuse(fmt::format("the group \"{}\" has no atom", name));
      if (!(groups_[g].mass > 0.0)) {
        refuse(
            fmt::format("the atoms of the group \"{}\" have no mass, so it has no center", name));
      }
      if (!made_[v]->needs_numbers()) continue;
      std::vector<std::int64_t> mine;
      for (const GroupMembers::Member& member : groups_[g].here) mine.push_back(member.id);
      ids_[g] = joined_from_all_ranks<std::int64_t>(context_, mine);
      std::ranges::sort(ids_[g]);
    }
    const std::string problem = made_[v]->problem_of(groups_of(v));
    if (!problem.empty()) refuse(problem);
  }
  register_sums();
  counted_ = true;
}

void BiasForces::register_sums() {
  std::size_t at = 3 * groups_.size(), at_second = 0;
  for (std::size_t v = 0; v < made_.size(); ++v) {
    first_sum_.push_back(at);
    first_second_.push_back(at_second);
    at += made_[v]->sum_count(groups_of(v));
    at_second += made_[v]->second_sum_count(groups_of(v));
  }
  first_sum_.push_back(at);
  first_second_.push_back(at_second);
  sums_.assign(at, 0.0);
  second_.assign(at_second, 0.0);
  batch_ = std::make_unique<comm::ReductionBatch>(context_, "collective variables",
                                                  comm::ReductionOrder::fixed);
  batch_->sum(sums_.data(), sums_.size()).max(widest_);
  if (second_.empty()) return;
  second_batch_ = std::make_unique<comm::ReductionBatch>(context_, "collective variables (second)",
                                                         comm::ReductionOrder::fixed);
  second_batch_->sum(second_.data(), second_.size());
}

void BiasForces::number_members() {
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (ids_[g].empty()) continue;
    for (GroupMembers::Member& member : groups_[g].here) {
      member.number =
          static_cast<std::size_t>(std::ranges::lower_bound(ids_[g], member.id) - ids_[g].begin());
    }
  }
}

/// Collective. At a start each group's point is its atom of the lowest id.
void BiasForces::place_points(const ParticleStore& particles) {
  std::vector<std::int64_t> lowest(groups_.size(), std::numeric_limits<std::int64_t>::max());
  comm::ReductionBatch least(context_, "first atoms of groups");
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (!groups_[g].here.empty()) lowest[g] = groups_[g].here.front().id;
    least.min(lowest[g]);
  }
  least.run();
  comm::ReductionBatch sum(context_, "places of groups");
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    GroupMembers& group = groups_[g];
    group.point = group.center = Vec3{};
    if (!group.here.empty() && group.here.front().id == lowest[g]) {
      group.point = particles.position[group.here.front().index].vector();
    }
    sum.sum(group.point.x).sum(group.point.y).sum(group.point.z);
  }
  sum.run();
  // Twice, so that a group is seen from its center.
  for (int pass = 0; pass < 2; ++pass) {
    comm::ReductionBatch centers(context_, "centers of groups", comm::ReductionOrder::fixed);
    for (GroupMembers& group : groups_) {
      group.center = {};
      for (const GroupMembers::Member& member : group.here) {
        group.center += (member.weight / group.mass) *
                        box_.nearest_image(particles.position[member.index].vector() - group.point);
      }
      centers.sum(group.center.x).sum(group.center.y).sum(group.center.z);
    }
    centers.run();
    for (GroupMembers& group : groups_) {
      group.point += group.center;
      group.center = {};
    }
  }
  has_points_ = true;
  for (std::size_t v = 0; v < made_.size(); ++v) {
    if (!made_[v]->needs_reference() || !made_[v]->reference().empty() ||
        variables_[v].read_places) {
      continue;
    }
    const GroupMembers& group = groups_[first_group_[v]];
    std::vector<double> places(3 * static_cast<std::size_t>(group.count), 0.0);
    for (const GroupMembers::Member& member : group.here) {
      const Vec3 at = box_.nearest_image(particles.position[member.index].vector() - group.point);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        places[3 * member.number + axis] = at[static_cast<int>(axis)];
      }
    }
    comm::ReductionBatch(context_, "reference positions").sum(places.data(), places.size()).run();
    std::vector<Vec3> reference;
    for (std::size_t k = 0; k < places.size(); k += 3) {
      reference.push_back({places[k], places[k + 1], places[k + 2]});
    }
    made_[v]->set_reference(std::move(reference));
  }
}

/// Collective. Reads the reference files of variables that have no reference yet, and moves every
/// new reference to its center, with the variable's weights.
void BiasForces::take_references() {
  for (std::size_t v = 0; v < made_.size(); ++v) {
    if (!made_[v]->needs_reference() || is_centered_[v]) continue;
    const std::size_t g = first_group_[v];
    if (made_[v]->reference().empty()) {
      std::vector<Vec3> reference(ids_[g].size());
      std::vector<char> found(ids_[g].size(), 0);
      variables_[v].read_places(
          [&](std::span<const std::int64_t> ids, std::span<const Vec3> places) {
            for (std::size_t k = 0; k < ids.size(); ++k) {
              const auto at = std::ranges::lower_bound(ids_[g], ids[k]);
              if (at == ids_[g].end() || *at != ids[k]) continue;
              reference[static_cast<std::size_t>(at - ids_[g].begin())] = places[k];
              found[static_cast<std::size_t>(at - ids_[g].begin())] = 1;
            }
          });
      const auto lacking = std::ranges::find(found, 0);
      if (lacking != found.end()) {
        throw std::runtime_error(
            fmt::format("[[variable]] \"{}\": its reference file lacks the atom with the id {}",
                        variables_[v].options.name,
                        ids_[g][static_cast<std::size_t>(lacking - found.begin())]));
      }
      for (std::size_t k = reference.size(); k-- > 0;) {
        reference[k] = box_.nearest_image(reference[k] - reference[0]);
      }
      made_[v]->set_reference(std::move(reference));
    }
    std::vector<double> weights(ids_[g].size(), 1.0);
    if (variables_[v].options.mass_weighted) {
      std::ranges::fill(weights, 0.0);
      for (const GroupMembers::Member& member : groups_[g].here) {
        weights[member.number] = member.weight;
      }
      comm::ReductionBatch(context_, "weights of a fit").sum(weights.data(), weights.size()).run();
    }
    std::vector<Vec3> reference(made_[v]->reference().begin(), made_[v]->reference().end());
    Vec3 center;
    double sum = 0.0;
    for (std::size_t k = 0; k < reference.size(); ++k) {
      center += weights[k] * reference[k];
      sum += weights[k];
    }
    for (Vec3& place : reference) place -= (1.0 / sum) * center;
    made_[v]->set_reference(std::move(reference));
    is_centered_[v] = 1;
  }
}

void BiasForces::begin_step(const StepContext& now) {
  time_ = now.time;
  is_new_ = now.step != step_;
  if (!is_new_) return;
  if (step_ >= 0) {
    for (GroupMembers& group : groups_) {
      group.point = group.place();
      int crossings[3];
      group.point = box_.wrap(group.point, crossings);
      group.center = {};
    }
  }
  values_before_ = step_ >= 0 ? values_ : std::vector<double>();
  step_ = now.step;
  for (const auto& bias : biases_) bias->go_to(step_);
}

void BiasForces::start(const ParticleStore& particles) {
  std::ranges::fill(sums_, 0.0);
  widest_ = 0.0;
  const Shear shear = box_.shear();
  for (std::size_t v = 0; v < made_.size(); ++v) {
    const auto narrow =
        variable_table().get(variables_[v].options.kind).narrow_axes(variables_[v].options);
    for (std::size_t g = first_group_[v]; g < first_group_[v + 1]; ++g) {
      GroupMembers& group = groups_[g];
      group.from_point.clear();
      Vec3 sum;
      for (const GroupMembers::Member& member : group.here) {
        const Vec3 at = box_.nearest_image(particles.position[member.index].vector() - group.point);
        group.from_point.push_back(at);
        sum += member.weight * at;
        for (int axis = 0; axis < 3; ++axis) {
          if (!narrow[static_cast<std::size_t>(axis)]) continue;
          widest_ =
              std::max(widest_, std::abs(at[axis] - shear.offset(at, axis)) / box_.length[axis]);
        }
      }
      for (int axis = 0; axis < 3; ++axis) {
        sums_[3 * g + static_cast<std::size_t>(axis)] = sum[axis] / group.mass;
      }
    }
    const std::size_t begin = first_sum_[v];
    made_[v]->add_sums(groups_of(v), std::span(sums_).subspan(begin, first_sum_[v + 1] - begin));
  }
  batch_->start();
}

void BiasForces::require_whole_groups() const {
  if (widest_ <= farthest_from_center) return;
  throw std::runtime_error(fmt::format(
      "step {}: a group of a [[variable]] reaches {:.3g} boxes from its center, so it is not known "
      "which images of its atoms belong together; expected at most {}",
      step_, widest_, farthest_from_center));
}

std::vector<double> BiasForces::values_of(const Bias& bias, std::span<const double> values) const {
  std::vector<double> own;
  for (const BiasedVariable& variable : bias.variables()) own.push_back(values[variable.index]);
  return own;
}

void BiasForces::finish(ParticleStore& particles, EnergyAndVirial* sums) {
  batch_->finish();
  require_whole_groups();
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    groups_[g].center = {sums_[3 * g], sums_[3 * g + 1], sums_[3 * g + 2]};
  }
  const auto second_of = [&](std::size_t v) {
    return std::span(second_).subspan(first_second_[v], first_second_[v + 1] - first_second_[v]);
  };
  if (second_batch_) {
    std::ranges::fill(second_, 0.0);
    for (std::size_t v = 0; v < made_.size(); ++v) {
      if (second_of(v).empty()) continue;
      made_[v]->add_second_sums(groups_of(v), sums_of(v), box_, second_of(v));
    }
    second_batch_->run();
  }
  for (std::size_t v = 0; v < made_.size(); ++v) {
    values_[v] = made_[v]->evaluate(groups_of(v), sums_of(v), second_of(v), box_);
  }
  std::vector<double> slopes(made_.size(), 0.0);
  double energy = 0.0;
  for (std::size_t b = 0; b < biases_.size(); ++b) {
    const Bias& bias = *biases_[b];
    const std::vector<double> own = values_of(bias, values_);
    std::vector<double> own_slopes(own.size(), 0.0);
    energies_[b] = bias.energy(own, own_slopes);
    energy += energies_[b];
    for (std::size_t d = 0; d < own.size(); ++d) slopes[bias.variables()[d].index] += own_slopes[d];
    if (is_new_ && !values_before_.empty()) {
      work_[b] += 0.5 * (bias.change(values_of(bias, values_before_)) + bias.change(own));
    }
  }
  const std::span<Vec3> forces(particles.force.data(), particles.local_count());
  for (std::size_t v = 0; v < made_.size(); ++v) {
    if (slopes[v] != 0.0) made_[v]->add_forces(-slopes[v], groups_of(v), forces);
  }
  if (sums != nullptr && context_.rank() == 0) {
    sums->energy += energy;
    for (std::size_t v = 0; v < made_.size(); ++v) {
      if (slopes[v] == 0.0) continue;
      const StrainDerivatives strain = made_[v]->strain();
      for (std::size_t k = 0; k < 6; ++k) sums->virial[k] -= slopes[v] * strain[k];
    }
  }
  if (is_new_) finish_step();
  is_new_ = false;
}

/// What is done once for each step, after its forces.
void BiasForces::finish_step() {
  const bool has_row = options_.interval > 0 && step_ % options_.interval == 0;
  if (has_row && context_.rank() == 0) {
    std::string& lines = texts_.front().lines;
    lines += fmt::format("{:.12g}", time_);
    for (const double value : values_) lines += fmt::format(" {:.16g}", value);
    for (std::size_t b = 0; b < biases_.size(); ++b) {
      lines += fmt::format(" {:.16g}", energies_[b]);
      for (const auto& column : biases_[b]->columns())
        lines += fmt::format(" {:.16g}", column.second);
      if (biases_[b]->changes()) lines += fmt::format(" {:.16g}", work_[b]);
    }
    lines += "\n";
  }
  for (const auto& bias : biases_) {
    const std::size_t before = bias->hill_count();
    bias->take(step_, time_, values_of(*bias, values_));
    if (bias->hill_count() > before && context_.rank() == 0) {
      texts_.back().lines += bias->hills_text(before);
    }
  }
}

/// In the form of PLUMED's files: lengths in the internal unit, angles in radians.
std::string BiasForces::head_of_values() const {
  std::string text = "#! FIELDS time";
  for (const Variable& variable : variables_) text += " " + variable.options.name;
  std::string constants;
  for (const auto& bias : biases_) {
    text += fmt::format(" {}.bias", bias->name());
    for (const auto& column : bias->columns()) {
      text += fmt::format(" {}.{}", bias->name(), column.first);
    }
    if (bias->changes()) text += fmt::format(" {}.work", bias->name());
    for (const auto& [name, value] : bias->constants()) {
      constants += fmt::format("#! SET {}.{} {:.16g}\n", bias->name(), name, value);
    }
  }
  text += "\n";
  for (std::size_t v = 0; v < variables_.size(); ++v) {
    const VariableOptions& of = variables_[v].options;
    text += fmt::format("#! SET variable.{0} {1}\n#! SET variable.{0}.groups {2}\n", of.name,
                        of.kind, fmt::join(of.groups, ","));
    const double period = made_[v]->period(box_);
    if (period == 0.0) continue;
    const bool is_angle = made_[v]->least() == -std::numbers::pi;
    text += fmt::format("#! SET min_{0} {1}\n#! SET max_{0} {2}\n", of.name, is_angle ? "-pi" : "0",
                        is_angle ? "pi" : fmt::format("{:.16g}", period));
  }
  text += constants;
  for (const auto& bias : biases_) {
    text += fmt::format("#! SET {}.kind {}\n#! SET {}.variable {}\n", bias->name(), bias->kind(),
                        bias->name(), bias->variables()[0].name);
  }
  if (options_.thermal_energy) text += fmt::format("#! SET kT {:.16g}\n", *options_.thermal_energy);
  if (options_.standard_volume) {
    text += fmt::format("#! SET standard_volume {:.16g}\n", *options_.standard_volume);
  }
  return text;
}

std::vector<ForceTerm::Part> BiasForces::parts() const {
  std::vector<Part> parts;
  if (biases_.size() < 2) return parts;
  for (std::size_t b = 0; b < biases_.size(); ++b) {
    parts.push_back(
        {.name = biases_[b]->name(), .energy = context_.rank() == 0 ? energies_[b] : 0.0});
  }
  return parts;
}

double BiasForces::given_energy() const {
  double all = 0.0;
  for (const double work : work_) all += work;
  return context_.rank() == 0 ? all : 0.0;
}

namespace {

/// The parameters of a bias that states may set, by their names in the input.
struct BiasParameter {
  std::string_view key;
  double BiasOptions::*value;
};
constexpr BiasParameter bias_parameters[] = {{"center", &BiasOptions::center},
                                             {"stiffness", &BiasOptions::stiffness},
                                             {"force", &BiasOptions::force}};

std::string parameter_name(const BiasOptions& bias, const BiasParameter& parameter) {
  return fmt::format("{}.{}", bias.name, parameter.key);
}

/// Sets those that `values` has. Returns whether it has any.
bool take_parameters(BiasOptions& bias, const StateParameters& values) {
  bool any = false;
  for (const BiasParameter& parameter : bias_parameters) {
    const auto found = values.find(parameter_name(bias, parameter));
    if (found == values.end()) continue;
    bias.*parameter.value = found->second;
    any = true;
  }
  return any;
}

}  // namespace

StateParameters BiasForces::state_parameters() const {
  StateParameters present;
  for (std::size_t b = 0; b < biases_.size(); ++b) {
    const BiasOptions& bias = options_of_biases_[b];
    if (biases_[b]->changes() || biases_[b]->has_hills()) continue;
    const auto& keys = bias_table().get(bias.kind).keys;
    for (const BiasParameter& parameter : bias_parameters) {
      if (std::ranges::find(keys, parameter.key) == keys.end()) continue;
      present[parameter_name(bias, parameter)] = bias.*parameter.value;
    }
  }
  return present;
}

void BiasForces::set_state_parameters(const StateParameters& values) {
  for (std::size_t b = 0; b < biases_.size(); ++b) {
    BiasOptions& bias = options_of_biases_[b];
    if (!take_parameters(bias, values)) continue;
    biases_[b] = bias_table().get(bias.kind).make(bias);
  }
}

std::vector<double> BiasForces::energies_with(std::span<const StateParameters> sets) {
  std::vector<double> energies;
  for (const StateParameters& set : sets) {
    double all = 0.0;
    for (std::size_t b = 0; b < biases_.size(); ++b) {
      BiasOptions changed = options_of_biases_[b];
      std::vector<double> slopes(changed.variables.size(), 0.0);
      const bool differs = take_parameters(changed, set);
      const auto other = differs ? bias_table().get(changed.kind).make(changed) : nullptr;
      const Bias& bias = differs ? *other : *biases_[b];
      all += bias.energy(values_of(bias, values_), slopes);
    }
    energies.push_back(all);
  }
  return energies;
}

std::vector<double> BiasForces::state() const {
  std::vector<double> state{bias_state_format, static_cast<double>(step_),
                            static_cast<double>(groups_.size()), static_cast<double>(made_.size()),
                            static_cast<double>(biases_.size())};
  const auto add = [&](const Vec3& v) { state.insert(state.end(), {v.x, v.y, v.z}); };
  for (const GroupMembers& group : groups_) {
    state.push_back(static_cast<double>(group.count));
    state.push_back(group.mass);
    add(group.point);
  }
  for (std::size_t v = 0; v < made_.size(); ++v) {
    state.push_back(values_[v]);
    const std::span<const Vec3> reference = made_[v]->reference();
    state.push_back(static_cast<double>(reference.size()));
    for (const Vec3& place : reference) add(place);
  }
  for (std::size_t b = 0; b < biases_.size(); ++b) {
    const std::vector<double> own = biases_[b]->state();
    state.push_back(work_[b]);
    state.push_back(static_cast<double>(own.size()));
    state.insert(state.end(), own.begin(), own.end());
  }
  return state;
}

void BiasForces::restore(std::span<const double> state) {
  BiasStateReader reader(state);
  reader.expect(bias_state_format);
  step_ = static_cast<std::int64_t>(reader.next());
  reader.expect(static_cast<double>(groups_.size()));
  reader.expect(static_cast<double>(made_.size()));
  reader.expect(static_cast<double>(biases_.size()));
  const auto vector = [&] {
    const auto three = reader.several(3);
    return Vec3{three[0], three[1], three[2]};
  };
  for (GroupMembers& group : groups_) {
    group.count = static_cast<std::int64_t>(reader.next());
    group.mass = reader.next();
    group.point = vector();
    group.center = {};
  }
  for (std::size_t v = 0; v < made_.size(); ++v) {
    values_[v] = reader.next();
    const double count = reader.next();
    if (made_[v]->needs_reference()) {
      reader.expect_that(count == static_cast<double>(groups_[first_group_[v]].count));
    } else {
      reader.expect_that(count == 0.0);
    }
    std::vector<Vec3> reference(static_cast<std::size_t>(count));
    for (Vec3& place : reference) place = vector();
    if (made_[v]->needs_reference()) made_[v]->set_reference(std::move(reference));
    is_centered_[v] = 1;
  }
  for (std::size_t b = 0; b < biases_.size(); ++b) {
    work_[b] = reader.next();
    const double count = reader.next();
    reader.expect_that(count >= 0.0 && count < 1e15);
    biases_[b]->restore(reader.several(static_cast<std::size_t>(count)));
    biases_[b]->go_to(step_);
  }
  reader.expect_that(reader.is_at_end());
  has_points_ = true;
}

}  // namespace sterna::md

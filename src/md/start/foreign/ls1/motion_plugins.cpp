#include "md/start/foreign/ls1/motion_plugins.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "md/core/display_text.hpp"
#include "md/integrate/alignment_section.hpp"
#include "md/integrate/drift_control_section.hpp"
#include "md/integrate/limit_section.hpp"

namespace sterna::md::ls1 {
namespace {

/// Records for each key of a section the element that gives it.
class Section {
 public:
  Section(std::string place, const XmlElement& element, const Decides& decides)
      : place_(std::move(place)), decides_(decides) {
    decides_(place_, element);
  }
  void decide(std::string_view key, const XmlElement& element) const {
    decides_(fmt::format("{}.{}", place_, key), element);
  }

 private:
  std::string place_;
  const Decides& decides_;
};

/// A region of the box, without bounds that coincide with the box.
struct Region {
  std::optional<Vec3> lower, upper;
};

Region region_within(const Vec3& lower, const Vec3& upper, const Input& input) {
  Region region;
  const Vec3 box = input.start.box.value_or(upper);
  bool from = false, to = false;
  for (int axis = 0; axis < 3; ++axis) {
    from = from || lower[axis] > 0.0;
    to = to || upper[axis] < box[axis];
  }
  // A region excludes its bounds, so bounds at the faces of the box are moved outward.
  constexpr double beyond = 1.0;
  Vec3 low = lower, high = upper;
  for (int axis = 0; axis < 3; ++axis) {
    if (!(lower[axis] > 0.0)) low[axis] = -beyond;
    if (!(upper[axis] < box[axis])) high[axis] = box[axis] + beyond;
  }
  if (from) region.lower = low;
  if (to) region.upper = high;
  return region;
}

std::optional<std::int64_t> steps(const XmlElement& plugin, std::string_view path,
                                  std::int64_t least, std::int64_t otherwise, XmlValues& values) {
  const XmlElement* element = plugin.find(path);
  return element != nullptr ? values.integer(*element, least, most_steps) : otherwise;
}

std::optional<double> number(const XmlElement& plugin, std::string_view path, double otherwise,
                             XmlValues& values) {
  const XmlElement* element = plugin.find(path);
  return element != nullptr ? values.number(*element) : otherwise;
}

class MaxCheckReader {
 public:
  MaxCheckReader(const MoleculeTypes& types, XmlValues& values, const Decides& decides,
                 Input& input)
      : types_(types), values_(values), decides_(decides), input_(input) {}

  void read(const XmlElement& plugin) {
    const auto start = steps(plugin, "control/start", 0, 0, values_);
    const auto frequency = steps(plugin, "control/frequency", 1, 1, values_);
    const auto stop = steps(plugin, "control/stop", 0, 10000, values_);
    if (const XmlElement* old = plugin.find("yrange")) {
      values_.warning(*old, "ls1 ignores <yrange>; it takes <ymin> and <ymax> of <range>");
      old->pass_over();
    }
    bool inclusive = true;
    if (const XmlElement* element = plugin.find("range/inclusive")) {
      inclusive = values_.boolean(*element).value_or(true);
    }
    const XmlElement* targets = values_.require(plugin, "targets");
    if (!start || !frequency || !stop || !read_range(plugin) || targets == nullptr) return;
    if (targets->all("target").empty()) values_.error(*targets, "<targets> has no <target>");
    // Stop 0 means never in ls1; as a step of Sterna's it would mean the end of the run.
    if (*stop == 0 || *stop < *start) {
      values_.warning(plugin, fmt::format("MaxCheck stops at step {}, before it starts: it has no "
                                          "effect, nor has it in ls1",
                                          *stop));
      plugin.pass_over();
      return;
    }
    for (const XmlElement* one : targets->all("target")) {
      LimitSection limit;
      limit.interval = *frequency;
      limit.start_step = *start;
      limit.stop_step = *stop;
      limit.outside = !inclusive;
      target(*one, limit);
    }
  }

 private:
  bool read_range(const XmlElement& plugin) {
    if (!input_.start.box) return false;  // reported elsewhere
    lower_ = {};
    upper_ = *input_.start.box;
    for (int axis = 0; axis < 3; ++axis) {
      const char name = "xyz"[axis];
      const auto low = number(plugin, fmt::format("range/{}min", name), lower_[axis], values_);
      const auto high = number(plugin, fmt::format("range/{}max", name), upper_[axis], values_);
      if (!low || !high) return false;
      lower_[axis] = *low;
      upper_[axis] = *high;
    }
    return true;
  }

  void target(const XmlElement& element, LimitSection limit) {
    const Input::Component* const found = component_of(element);
    if (found == nullptr || !has_method(element)) {
      element.pass_over();
      return;
    }
    limit.component = types_.components.size() > 1 ? found->name : "";
    limit.overlaps_only = element.attribute("method") == "2";
    const Region region = region_within(lower_, upper_, input_);
    limit.lower = region.lower;
    limit.upper = region.upper;
    const Section section(fmt::format("limit[{}]", input_.tables<LimitSection>().size()), element,
                          decides_);
    if (!read_limits(element, *found, section, limit)) {
      if (!values_.ok()) return;
      values_.warning(element, "this target of MaxCheck has no limit and so no effect");
      return;
    }
    for (const char* key : {"interval", "start_step", "stop_step"}) section.decide(key, element);
    if (limit.overlaps_only) section.decide("overlaps_only", element);
    if (!limit.component.empty()) section.decide("component", element);
    if (limit.lower) section.decide("lower", element);
    if (limit.upper) section.decide("upper", element);
    if (limit.outside && (limit.lower || limit.upper)) section.decide("outside", element);
    if (limit.outside && !limit.lower && !limit.upper) {
      values_.warning(element, "nothing is outside of the box: this target has no effect");
      return;
    }
    input_.tables<LimitSection>().push_back(std::move(limit));
  }

  /// The component of a target; null, with a warning, if there is none.
  const Input::Component* component_of(const XmlElement& element) {
    const std::string component(element.attribute("cid"));
    const auto found = std::ranges::find_if(types_.components, [&, n = 0](const auto&) mutable {
      return std::to_string(++n) == component;
    });
    if (found != types_.components.end()) return &*found;
    values_.warning(element, fmt::format("there is no component {}: this target of MaxCheck has "
                                         "no effect",
                                         component.empty() ? "without a cid" : component));
    return nullptr;
  }

  /// Whether Sterna has the method of a target.
  bool has_method(const XmlElement& element) {
    const std::string_view method = element.attribute("method");
    if (method == "3") {
      values_.error(element,
                    "method 3 of MaxCheck deletes molecules; Sterna keeps their number. Method 1 "
                    "limits their forces and velocities");
      return false;
    }
    if (method == "1" || method == "2") return true;
    values_.warning(element,
                    "without method 1, 2 or 3 a target of ls1's MaxCheck has no effect, nor has "
                    "it here");
    return false;
  }

  /// Returns whether there is any limit.
  bool read_limits(const XmlElement& element, const Input::Component& component,
                   const Section& section, LimitSection& limit) {
    bool limits = false;
    const auto value = [&](std::string_view name, std::string_view key,
                           std::optional<double>& target) {
      const XmlElement* child = element.find(name);
      const auto given = child != nullptr ? values_.number(*child) : std::nullopt;
      if (!given || *given < 0.0) return;
      target = *given;
      section.decide(key, *child);
      limits = true;
    };
    value("Fmax", "force", limit.force);
    value("vmax", "velocity", limit.velocity);
    if (types_.all_atoms()) {
      element.pass_over({"Mmax", "Lmax"});  // atoms have no torque
      return limits;
    }
    value("Mmax", "torque", limit.torque);
    value("Lmax", "angular_momentum", limit.angular_momentum);
    const bool turns = component.inertia && dot(*component.inertia, *component.inertia) > 0.0;
    if (turns && limit.force && !(limit.torque && limit.angular_momentum)) {
      values_.warning(element,
                      "without <Mmax> and <Lmax> nothing limits how fast molecules turn that "
                      "overlap at the start; ls1 then rescales by limits of its own, which "
                      "Sterna does not have");
    }
    return limits;
  }

  const MoleculeTypes& types_;
  XmlValues& values_;
  const Decides& decides_;
  Input& input_;
  Vec3 lower_, upper_;
};

/// The place along y where the range of DriftCtrl ends: a number, or the end of the box.
std::optional<double> end_of_drift_range(const XmlElement& plugin, XmlValues& values,
                                         const Input& input) {
  const XmlElement* end = values.require(plugin, "range/yr");
  if (end == nullptr) return std::nullopt;
  if (end->text == "box" && input.start.box) return input.start.box->y;
  return values.number(*end);
}

std::optional<Vec3> wanted_drift(const XmlElement& plugin, XmlValues& values) {
  Vec3 drift;
  bool good = true;
  for (int axis = 0; axis < 3; ++axis) {
    const auto v = number(plugin, fmt::format("target/drift/v{}", "xyz"[axis]), 0.0, values);
    good = good && v;
    drift[axis] = v.value_or(0.0);
  }
  return good ? std::optional(drift) : std::nullopt;
}

/// The number of the component that DriftCtrl acts on; 0: all molecules.
std::optional<std::int64_t> drifting_component(const XmlElement& plugin, XmlValues& values,
                                               const MoleculeTypes& types) {
  const XmlElement* element = plugin.find("target/cid");
  if (element == nullptr) return 1;
  return values.integer(*element, 0, static_cast<std::int64_t>(types.components.size()));
}

/// Whether DriftCtrl acts on the velocities along all axes, as Sterna's drift control does.
bool controls_all_directions(const XmlElement& plugin, XmlValues& values) {
  const XmlElement* directions = plugin.find("target/directions");
  if (directions == nullptr) return true;
  const bool has_all = std::ranges::all_of(std::string_view("xyz"), [&](char axis) {
    return directions->text.find(axis) != std::string::npos;
  });
  if (has_all) return true;
  values.error(*directions, fmt::format("<directions> is {}: Sterna's drift control acts on "
                                        "all three; expected xyz",
                                        quote(directions->text)));
  return false;
}

/// The number of slabs of this width along y; nothing, with an error, if it is not usable.
std::optional<int> slabs_of_drift_range(const XmlElement& plugin, double from, double to,
                                        double width, XmlValues& values) {
  const double bins = std::floor((to - from) / width);
  constexpr double most_bins = 10000.0;
  if (width > 0.0 && bins >= 1.0 && bins <= most_bins) return static_cast<int>(bins);
  values.error(plugin, fmt::format("the range of DriftCtrl from {:g} to {:g} and its binwidth "
                                   "{:g} make no number of bins from 1 to 10000",
                                   from, to, width));
  return std::nullopt;
}

/// Adds a section, and records that its keys come from this element.
void add(const DriftControlSection& control, const XmlElement& plugin, const Decides& decides,
         Input& input) {
  const Section section(
      fmt::format("drift_control[{}]", input.tables<DriftControlSection>().size()), plugin,
      decides);
  for (const char* key : {"velocity", "slabs", "interval", "sample_interval"}) {
    section.decide(key, plugin);
  }
  if (!control.component.empty()) section.decide("component", plugin);
  if (control.lower) section.decide("lower", plugin);
  if (control.upper) section.decide("upper", plugin);
  if (control.start_step > 0) section.decide("start_step", plugin);
  if (control.stop_step > 0) section.decide("stop_step", plugin);
  input.tables<DriftControlSection>().push_back(control);
}

}  // namespace

void read_max_check(const XmlElement& plugin, const MoleculeTypes& types, XmlValues& values,
                    const Decides& decides, Input& input) {
  MaxCheckReader(types, values, decides, input).read(plugin);
}

void read_drift_control(const XmlElement& plugin, const MoleculeTypes& types, XmlValues& values,
                        const Decides& decides, Input& input) {
  const auto sample = steps(plugin, "control/freq/sample", 1, 10, values);
  const auto interval = steps(plugin, "control/freq/control", 1, 100, values);
  const auto start = steps(plugin, "control/start", 0, 0, values);
  const auto stop = steps(plugin, "control/stop", 0, most_steps, values);
  if (const XmlElement* writing = plugin.find("control/freq/write")) {
    values.warning(*writing, "<write>: Sterna does not write the drift");
  }
  const auto from = number(plugin, "range/yl", 0.0, values);
  const auto to = end_of_drift_range(plugin, values, input);
  const auto width = number(plugin, "range/subdivision/binwidth", 10.0, values);
  const auto drift = wanted_drift(plugin, values);
  const auto target = drifting_component(plugin, values, types);
  if (!controls_all_directions(plugin, values)) return;
  if (!sample || !interval || !start || !stop || !from || !to || !width || !drift || !target ||
      !input.start.box) {
    return;
  }
  if (*stop == 0 || *stop < *start) {
    values.warning(plugin, fmt::format("DriftCtrl stops at step {}, before it starts: it has no "
                                       "effect, nor has it in ls1",
                                       *stop));
    return;
  }
  const auto slabs = slabs_of_drift_range(plugin, *from, *to, *width, values);
  if (!slabs) return;
  Vec3 lower, upper = *input.start.box;
  lower.y = *from;
  upper.y = *to;
  const Region region = region_within(lower, upper, input);
  DriftControlSection control;
  control.velocity = *drift;
  control.slabs = *slabs;
  control.interval = *interval;
  // ls1 corrects with the samples that it has. With no sample before the first correction it would
  // add the drift.
  control.sample_interval = std::min(*sample, *interval);
  control.lower = region.lower;
  control.upper = region.upper;
  control.start_step = *start;
  if (*stop < most_steps) control.stop_step = *stop;
  if (*target != 0 && types.components.size() > 1) {
    control.component = types.components[static_cast<std::size_t>(*target - 1)].name;
  }
  add(control, plugin, decides, input);
}

void read_alignment(const XmlElement& plugin, XmlValues& values, const Decides& decides,
                    Input& input) {
  std::vector<Axis> axes;
  for (const Choice<Axis>& axis : choice_table<Axis>) {
    const XmlElement* element = plugin.find(axis.name);
    if (element == nullptr || values.boolean(*element).value_or(true)) axes.push_back(axis.value);
  }
  const auto interval = steps(plugin, "interval", 1, 25, values);
  const auto part = number(plugin, "correctionFactor", 1.0, values);
  if (!interval || !part) return;
  if (*part < 0.0 || *part > 1.0) {
    values.error(plugin, fmt::format("<correctionFactor> is {:g}; expected 0 to 1", *part));
    return;
  }
  if (*part == 0.0 || axes.empty()) {
    values.warning(plugin, "this COMaligner moves nothing");
    return;
  }
  if (input.section<AlignmentSection>().interval > 0) {
    values.error(plugin, "a second COMaligner: Sterna has one [alignment]");
    return;
  }
  input.section<AlignmentSection>().interval = *interval;
  input.section<AlignmentSection>().axes = std::move(axes);
  input.section<AlignmentSection>().part = *part;
  const Section section("alignment", plugin, decides);
  for (const char* key : {"interval", "axes", "part"}) section.decide(key, plugin);
}

}  // namespace sterna::md::ls1

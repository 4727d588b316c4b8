#include "md/start/foreign/ls1/wall_plugins.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numbers>
#include <string>

#include "md/core/display_text.hpp"
#include "md/forces/external/input/wall_section.hpp"

namespace sterna::md::ls1 {
namespace {

/// Appends a wall, and records that its keys come from this element.
void add(const WallSection& wall, std::initializer_list<const char*> keys,
         const XmlElement& element, const Decides& decides, Input& input) {
  const std::string place = fmt::format("wall[{}]", input.tables<WallSection>().size());
  decides(place, element);
  for (const char* key : {"potential", "axis", "position", "side"}) {
    decides(fmt::format("{}.{}", place, key), element);
  }
  for (const char* key : keys) decides(fmt::format("{}.{}", place, key), element);
  if (!wall.component.empty()) decides(place + ".component", element);
  input.tables<WallSection>().push_back(wall);
}

class WallPotentialReader {
 public:
  WallPotentialReader(const MoleculeTypes& types, XmlValues& values, const Decides& decides,
                      Input& input)
      : types_(types), values_(values), decides_(decides), input_(input) {}

  void read(const XmlElement& plugin) {
    const auto number = [&](std::string_view name) {
      const XmlElement* element = values_.require(plugin, name);
      return element != nullptr ? values_.number(*element) : std::nullopt;
    };
    const auto density = number("density"), sigma = number("sigma"), epsilon = number("epsilon");
    const auto offset = number("yoff"), cutoff = number("ycut");
    if (!density || !sigma || !epsilon || !offset || !cutoff) return;
    density_ = *density;
    sigma_ = *sigma;
    epsilon_ = *epsilon;
    offset_ = *offset;
    wall_.axis = Axis::y;
    wall_.cutoff = *cutoff;
    if (const XmlElement* width = plugin.find("width")) {
      half_width_ = 0.5 * values_.number(*width).value_or(0.0);
    }
    if (!read_kind(plugin)) return;
    if (plugin.all("component").empty()) {
      values_.warning(plugin,
                      "without <component> ls1's wall has xi = eta = 0 and no force, so that there "
                      "is none here");
      plugin.pass_over();
      return;
    }
    for (const XmlElement* one : plugin.all("component")) component(*one);
  }

 private:
  bool read_kind(const XmlElement& plugin) {
    const XmlElement* potential = plugin.find("potential");
    plugin.find("delta");  // known here, used by the potential 104 only
    wall_.potential = WallSection::Potential::lj_9_3;
    if (potential != nullptr && potential->text == "104") {
      const XmlElement* spacing = values_.require(plugin, "delta");
      const auto delta = spacing != nullptr ? values_.positive(*spacing) : std::nullopt;
      if (!delta) return false;
      wall_.potential = WallSection::Potential::lj_10_4_3;
      wall_.layer_spacing = *delta;
    } else if (potential == nullptr || potential->text != "93") {
      values_.warning(potential != nullptr ? *potential : plugin,
                      "ls1 knows the potentials 93 and 104 of a wall and takes 93 for any other");
    }
    return true;
  }

  void component(const XmlElement& element) {
    const std::string id(element.attribute("id"));
    const auto found = std::ranges::find_if(
        types_.components, [&, n = 0](const auto&) mutable { return std::to_string(++n) == id; });
    if (found == types_.components.end()) {
      values_.error(element, fmt::format("there is no component with the id {}", quote(id)));
      return;
    }
    const auto factor = [&](std::string_view name) {
      const XmlElement* child = element.find(name);
      return child != nullptr ? values_.number(*child) : 0.0;
    };
    const auto xi = factor("xi"), eta = factor("eta");
    const auto site = std::ranges::find(found->sites, SiteKind::lennard_jones, &Input::Site::kind);
    if (!xi || !eta) return;
    // ls1 uses the parameters of the first site for all sites.
    const double sigma = site != found->sites.end() ? 0.5 * *eta * (sigma_ + site->sigma) : 0.0;
    const double epsilon =
        site != found->sites.end() ? *xi * std::sqrt(epsilon_ * site->epsilon) : 0.0;
    if (!(sigma > 0.0) || epsilon == 0.0) {
      values_.warning(element,
                      "this component does not feel the wall: its xi, eta or "
                      "Lennard-Jones parameters are 0");
      return;
    }
    wall_.component = types_.components.size() > 1 ? found->name : "";
    wall_.sigma = sigma;
    if (wall_.potential == WallSection::Potential::lj_9_3) {
      wall_.epsilon = 2.0 / 3.0 * std::numbers::pi * density_ * epsilon * sigma * sigma * sigma;
    } else {
      wall_.epsilon = density_ * epsilon * sigma * sigma * wall_.layer_spacing;
    }
    bool reaches = false;
    if (half_width_ > 0.0) {
      reaches = place(WallSection::Side::above, offset_ + half_width_, element);
      reaches = place(WallSection::Side::below, offset_ - half_width_, element) || reaches;
    } else {
      reaches = place(WallSection::Side::both, offset_, element);
    }
    if (reaches) return;
    values_.warning(element,
                    "this wall is farther from the box than its cutoff: it has no effect, "
                    "nor has it in ls1");
  }

  /// Adds a wall with this surface. Returns false if its cutoff does not reach into the box.
  bool place(WallSection::Side side, double position, const XmlElement& element) {
    if (!input_.start.box) return true;  // reported elsewhere
    const double edge = input_.start.box->y;
    const bool reaches_up =
        side != WallSection::Side::below && position < edge && position + wall_.cutoff > 0.0;
    const bool reaches_down =
        side != WallSection::Side::above && position > 0.0 && position - wall_.cutoff < edge;
    if (!reaches_up && !reaches_down) return false;
    wall_.side = side;
    wall_.position = position;
    if (wall_.potential == WallSection::Potential::lj_9_3) {
      add(wall_, {"epsilon", "sigma", "cutoff"}, element, decides_, input_);
    } else {
      add(wall_, {"epsilon", "sigma", "cutoff", "layer_spacing"}, element, decides_, input_);
    }
    return true;
  }

  const MoleculeTypes& types_;
  XmlValues& values_;
  const Decides& decides_;
  Input& input_;
  WallSection wall_;
  double density_ = 0.0, sigma_ = 0.0, epsilon_ = 0.0, offset_ = 0.0, half_width_ = 0.0;
};

/// Whether Sterna has a Mirror of this kind.
bool has_mirror(const XmlElement& plugin, std::string_view kind, XmlValues& values) {
  if (kind == "1" || kind == "2") return true;
  if (kind == "3" || kind == "4" || kind == "5" || kind == "6") {
    values.error(plugin, fmt::format("Mirror of type {} takes molecules out of the run or lets "
                                     "some through at random; Sterna keeps their number and has "
                                     "the types 1 and 2",
                                     kind));
  } else {
    values.warning(plugin, "without a type ls1's Mirror has no effect, nor has it here");
  }
  return false;
}

/// Reads where a Mirror is. Returns false, with an error, if that is no fixed place.
bool read_mirror_place(const XmlElement& plugin, XmlValues& values, WallSection& wall) {
  const XmlElement* reference = plugin.find("position/refID");
  if (reference != nullptr && reference->text != "0") {
    values.error(*reference,
                 "a Mirror whose place follows an interface: Sterna's walls have fixed places");
    return false;
  }
  if (const XmlElement* old = plugin.find("yPos")) {
    values.warning(*old, "ls1 ignores <yPos>; it takes <position><coord>");
  }
  if (const XmlElement* coordinate = plugin.find("position/coord")) {
    const auto given = values.number(*coordinate);
    if (!given) return false;
    wall.position = *given;
  }
  return true;
}

/// Whether a Mirror turns back molecules that move up.
bool faces_down(const XmlElement& plugin, XmlValues& values) {
  bool right = false;
  if (const XmlElement* direction = plugin.find("direction")) right = direction->text == "1";
  const std::string_view dir = plugin.attribute("dir");
  if (dir == "|-o" || dir == "o-|") return dir == "o-|";
  if (!dir.empty()) {
    values.warning(plugin, fmt::format("ls1 does not know dir = {} of a Mirror and ignores it; it "
                                       "knows \"|-o\" and \"o-|\"",
                                       quote(dir)));
  }
  return right;
}

}  // namespace

void read_wall_potential(const XmlElement& plugin, const MoleculeTypes& types, XmlValues& values,
                         const Decides& decides, Input& input) {
  WallPotentialReader(types, values, decides, input).read(plugin);
}

void read_mirror(const XmlElement& plugin, const MoleculeTypes& types, XmlValues& values,
                 const Decides& decides, Input& input) {
  const std::string_view kind = plugin.attribute("type");
  if (!has_mirror(plugin, kind, values)) {
    plugin.pass_over();
    return;
  }
  plugin.pass_over({"pluginID"});
  WallSection wall;
  wall.axis = Axis::y;
  if (!read_mirror_place(plugin, values, wall)) return;
  const bool down = faces_down(plugin, values);
  wall.side = down ? WallSection::Side::below : WallSection::Side::above;
  if (input.start.box) {
    const double depth = down ? input.start.box->y - wall.position : wall.position;
    if (depth < 0.0 || (kind == "2" && depth == 0.0)) {
      values.warning(plugin, "nothing is behind this Mirror: it has no effect, nor has it in ls1");
      plugin.pass_over();
      return;
    }
  }
  if (const XmlElement* element = plugin.find("cid")) {
    const auto number =
        values.integer(*element, 0, static_cast<std::int64_t>(types.components.size()));
    if (!number) return;
    if (*number > 0 && types.components.size() > 1) {
      wall.component = types.components[static_cast<std::size_t>(*number - 1)].name;
    }
  }
  if (kind == "1") {
    wall.potential = WallSection::Potential::reflecting;
    add(wall, {}, plugin, decides, input);
    return;
  }
  wall.potential = WallSection::Potential::harmonic;
  wall.stiffness = 100.0;
  if (const XmlElement* constant = plugin.find("forceConstant")) {
    const auto given = values.positive(*constant);
    if (!given) return;
    wall.stiffness = *given;
  }
  add(wall, {"stiffness"}, plugin, decides, input);
}

}  // namespace sterna::md::ls1

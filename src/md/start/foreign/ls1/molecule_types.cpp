#include "md/start/foreign/ls1/molecule_types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>

#include "md/core/display_text.hpp"

namespace sterna::md::ls1 {
namespace {

constexpr std::int64_t most_components = 256;

class MoleculeTypeReader {
 public:
  MoleculeTypeReader(XmlValues& values, MoleculeTypes& types) : values_(values), types_(types) {}

  void read(const XmlElement& components) {
    std::map<std::int64_t, const XmlElement*> by_id;
    for (const XmlElement* element : components.all("moleculetype")) {
      const auto id = id_of(*element, static_cast<std::int64_t>(by_id.size()) + 1);
      if (!id) continue;
      if (!by_id.emplace(*id, element).second) {
        values_.error(*element, fmt::format("there is already a <moleculetype> of id {}", *id));
      }
    }
    if (by_id.empty()) {
      values_.error(components, "<components> holds no <moleculetype>");
      return;
    }
    std::int64_t expected = 1;
    for (const auto& [id, element] : by_id) {
      if (id != expected) {
        values_.error(*element, fmt::format("<moleculetype> has id {}; expected {}: ids count from "
                                            "1 without gaps",
                                            id, expected));
      }
      expected = id + 1;
      read_type(*element);
    }
    if (const XmlElement* mixing = components.find("mixing")) read_mixing(*mixing);
  }

 private:
  std::optional<std::int64_t> id_of(const XmlElement& element, std::int64_t otherwise) {
    const std::string_view text = element.attribute("id");
    if (text.empty()) return otherwise;
    XmlElement holder = element;
    holder.name = "moleculetype id";
    holder.text = text;
    return values_.integer(holder, 1, most_components);
  }

  void read_type(const XmlElement& element) {
    Input::Component component;
    component.name = element.attribute("name");
    const auto taken = [&](const std::string& name) {
      return std::ranges::find(types_.components, name, &Input::Component::name) !=
             types_.components.end();
    };
    if (component.name.empty() || taken(component.name)) {
      component.name = fmt::format("component{}", types_.components.size() + 1);
    }
    std::optional<bool> shifted;
    bool stockmayer = false;
    for (const XmlElement* site : element.all("site")) {
      if (site->attribute("type") == "Stockmayer") {
        stockmayer = true;
        site->pass_over();  // ls1 ignores it
        continue;
      }
      read_site(*site, component, shifted);
    }
    if (component.sites.empty() && values_.ok()) {
      values_.error(element, "<moleculetype> has no site");
    }
    if (!(mass_of(component) > 0.0) && values_.ok()) {
      values_.error(element, "the sites of this <moleculetype> have no mass");
    }
    read_inertia(element, component, stockmayer);
    types_.components.push_back(std::move(component));
    types_.shifted.push_back(shifted.value_or(false));
    types_.elements.push_back(&element);
  }

  void read_site(const XmlElement& element, Input::Component& component,
                 std::optional<bool>& shifted) {
    const auto kind = values_.choice(
        element, "type", {"LJ126", "Charge", "Dipole", "Quadrupole", "Stockmayer", "Tersoff"});
    element.pass_over({"id", "name"});
    if (!kind) return;
    Input::Site site;
    if (const XmlElement* coordinates = element.find("coords")) {
      site.position = values_.vector(*coordinates).value_or(Vec3{});
    }
    const auto positive_or_zero = [&](std::string_view name, double& value) {
      const XmlElement* child = values_.require(element, name);
      const auto read = child != nullptr ? values_.number(*child) : std::nullopt;
      if (read && *read < 0.0) {
        values_.error(*child, fmt::format("<{}> is {}; expected no negative number", name,
                                          quote(child->text)));
      }
      value = read.value_or(0.0);
    };
    switch (*kind) {
      case 0:
        site.kind = SiteKind::lennard_jones;
        positive_or_zero("mass", site.mass);
        positive_or_zero("epsilon", site.epsilon);
        if (const XmlElement* sigma = values_.require(element, "sigma")) {
          site.sigma = values_.positive(*sigma).value_or(1.0);
        }
        read_shift(element, shifted);
        break;
      case 1:
        site.kind = SiteKind::charge;
        if (element.find("mass") != nullptr) positive_or_zero("mass", site.mass);
        if (const XmlElement* charge = values_.require(element, "charge")) {
          site.charge = values_.number(*charge).value_or(0.0);
        }
        break;
      case 2:
        site.kind = SiteKind::dipole;
        no_mass(element);
        read_moment(element, "dipolemoment", site);
        break;
      case 3:
        site.kind = SiteKind::quadrupole;
        no_mass(element);
        read_moment(element, "quadrupolemoment", site);
        break;
      default:
        values_.error(element,
                      "ls1 no longer has Tersoff sites; Sterna's own input has Tersoff "
                      "potentials");
        return;
    }
    component.sites.push_back(std::move(site));
  }

  /// `shifted`: whether the earlier sites of this `<moleculetype>` are; nothing: there are none.
  void read_shift(const XmlElement& element, std::optional<bool>& shifted) {
    const XmlElement* shift = element.find("shifted");
    const bool is_shifted = shift != nullptr && values_.boolean(*shift).value_or(false);
    if (shifted && *shifted != is_shifted) {
      values_.error(shift != nullptr ? *shift : element,
                    "<shifted> differs from that of another site of this "
                    "<moleculetype>; Sterna shifts all its sites or none");
    }
    shifted = is_shifted;
  }

  /// Warns of the mass of a dipole or quadrupole, because ls1 adds up masses of Lennard-Jones sites
  /// and charges only.
  void no_mass(const XmlElement& element) {
    const XmlElement* mass = element.find("mass");
    if (mass == nullptr || values_.number(*mass).value_or(0.0) == 0.0) return;
    values_.warning(*mass, "the mass of a dipole or quadrupole counts for nothing, as in ls1");
  }

  /// Reads an axis, given by components or by angles in degrees; `<abs>` replaces its length.
  void read_moment(const XmlElement& element, std::string_view name, Input::Site& site) {
    const XmlElement* moment = values_.require(element, name);
    if (moment == nullptr) return;
    Vec3 axis;
    if (const XmlElement* theta = moment->find("theta")) {
      const XmlElement* phi = values_.require(*moment, "phi");  // ls1 uses both angles or none
      constexpr double degree = std::numbers::pi / 180.0;
      const double t = degree * values_.number(*theta).value_or(0.0);
      const double p = phi != nullptr ? degree * values_.number(*phi).value_or(0.0) : 0.0;
      axis = {std::sin(t) * std::cos(p), std::sin(t) * std::sin(p), std::cos(t)};
    } else {
      constexpr std::string_view names[3] = {"x", "y", "z"};
      for (int k = 0; k < 3; ++k) {
        const XmlElement* part = values_.require(*moment, names[k]);
        if (part == nullptr) return;
        axis[k] = values_.number(*part).value_or(0.0);
      }
    }
    const double length = std::sqrt(dot(axis, axis));
    if (!(length > 0.0) || !std::isfinite(length)) {
      values_.error(*moment, fmt::format("the direction of <{}> is 0", name));
      return;
    }
    site.axis = axis * (1.0 / length);
    const XmlElement* absolute = moment->find("abs");
    site.moment = absolute != nullptr ? values_.number(*absolute).value_or(0.0) : length;
  }

  void read_inertia(const XmlElement& element, Input::Component& component, bool stockmayer) {
    Vec3 inertia;
    for (const Input::Site& site : component.sites) {
      const Vec3& r = site.position;
      inertia +=
          site.mass * Vec3{r.y * r.y + r.z * r.z, r.x * r.x + r.z * r.z, r.x * r.x + r.y * r.y};
    }
    const auto rotations = [](const Vec3& moments) {
      return (moments.x > 0.0) + (moments.y > 0.0) + (moments.z > 0.0);
    };
    const int counted_by_ls1 = stockmayer ? 2 : rotations(inertia);
    if (stockmayer) inertia = {1.0, 1.0, 0.0};
    if (const XmlElement* given = element.find("momentsofinertia")) {
      given->attribute("rotaxes");  // ignored by ls1, whose axes are those of the body
      constexpr std::string_view names[3] = {"Ixx", "Iyy", "Izz"};
      for (int k = 0; k < 3; ++k) {
        const XmlElement* moment = given->find(names[k]);
        if (moment == nullptr) continue;
        const auto value = values_.number(*moment);
        if (value && *value < 0.0) {
          values_.error(*moment, fmt::format("<{}> is {}; expected no negative number", names[k],
                                             quote(moment->text)));
        }
        inertia[k] = value.value_or(0.0);
      }
      if (rotations(inertia) != counted_by_ls1) {
        values_.warning(*given,
                        fmt::format("ls1 counts {} rotations of this molecule in the temperature, "
                                    "by the masses of its sites; Sterna counts {}, by these "
                                    "moments",
                                    counted_by_ls1, rotations(inertia)));
      }
    }
    component.inertia = inertia;
  }

  void read_mixing(const XmlElement& mixing) {
    const auto count = static_cast<std::int64_t>(types_.components.size());
    for (const XmlElement* rule : mixing.all("rule")) {
      if (!values_.choice(*rule, "type", {"LB"})) continue;
      const auto id = [&](std::string_view name) {
        XmlElement holder = *rule;
        holder.name = fmt::format("rule {}", name);
        holder.text = rule->attribute(name);
        return values_.integer(holder, 1, count);
      };
      const auto first = id("cid1"), second = id("cid2");
      const XmlElement* eta = rule->find("eta");
      const XmlElement* xi = rule->find("xi");
      MoleculeTypes::Mixing entry;
      if (eta != nullptr) entry.eta = values_.positive(*eta).value_or(1.0);
      if (xi != nullptr) entry.xi = values_.number(*xi).value_or(1.0);
      if (!first || !second) continue;
      if (*first == *second) {
        values_.error(*rule, "<rule> is about one component; expected two different ones");
        continue;
      }
      entry.first = static_cast<std::size_t>(std::min(*first, *second) - 1);
      entry.second = static_cast<std::size_t>(std::max(*first, *second) - 1);
      types_.mixing.push_back(entry);
    }
  }

  XmlValues& values_;
  MoleculeTypes& types_;
};

}  // namespace

bool MoleculeTypes::all_atoms() const {
  return std::ranges::all_of(components, [](const Input::Component& component) {
    return component.sites.size() == 1 && component.sites[0].kind == SiteKind::lennard_jones &&
           component.sites[0].position == Vec3{};
  });
}

MoleculeTypes read_molecule_types(const XmlElement& components, XmlValues& values) {
  MoleculeTypes types;
  MoleculeTypeReader(values, types).read(components);
  return types;
}

double mass_of(const Input::Component& component) {
  double mass = 0.0;
  for (const Input::Site& site : component.sites) mass += site.mass;
  return mass;
}

}  // namespace sterna::md::ls1

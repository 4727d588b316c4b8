#include "md/input/model_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <vector>

#include "md/core/json.hpp"
#include "md/core/unit_constants.hpp"
#include "md/input/physics_row.hpp"
#include "md/input/published_components.hpp"
#include "md/model/body_frame.hpp"
#include "md/model/library/published_model.hpp"

namespace sterna::md {
namespace {

using PublishedKind = PublishedSite::Kind;

Json site_json(const PublishedSite& site) {
  Json json{{"kind", choice_name(site.kind)},
            {"position", {site.position.x, site.position.y, site.position.z}}};
  if (site.mass > 0.0) json["mass"] = site.mass;
  if (site.kind == PublishedKind::lennard_jones) {
    json["epsilon"] = site.epsilon;
    json["sigma"] = site.sigma;
  } else if (site.kind == PublishedKind::charge) {
    json["charge"] = site.charge;
  } else {
    json["axis"] = {site.axis.x, site.axis.y, site.axis.z};
    json["moment"] = site.moment;
  }
  return json;
}

/// The dipole moment of charges and point dipoles, in debye.
double dipole_of(const PublishedModel& model) {
  Vec3 dipole;
  for (const PublishedSite& site : model.sites) {
    dipole += site.charge * site.position;
    if (site.kind == PublishedKind::dipole) dipole += site.moment * site.axis;
  }
  return std::sqrt(dot(dipole, dipole)) / unit::debye;
}

/// The numbers of sites: "3 lennard_jones, 1 dipole".
std::string site_counts(const PublishedModel& model) {
  std::string text;
  for (const PublishedKind kind : {PublishedKind::lennard_jones, PublishedKind::charge,
                                   PublishedKind::dipole, PublishedKind::quadrupole}) {
    const auto count = std::ranges::count(model.sites, kind, &PublishedSite::kind);
    if (count == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, choice_name(kind));
  }
  return text;
}

std::string number(double value, int digits) {
  return fmt::format("{:.{}g}", value, digits);
}

/// A line for each site, in the units of most publications.
std::string sites_table(const PublishedModel& model) {
  std::string table =
      "| site | position in \u00c5 | mass in u | sigma in \u00c5 | epsilon/k in K | charge in e | "
      "moment |\n|---|---|---|---|---|---|---|\n";
  for (const PublishedSite& site : model.sites) {
    const auto place = [](double x) { return number(x / unit::angstrom + 0.0, 6); };
    std::string moment;
    if (site.kind == PublishedKind::dipole) moment = number(site.moment / unit::debye, 6) + " D";
    if (site.kind == PublishedKind::quadrupole) {
      moment = number(site.moment / (unit::debye * unit::angstrom), 6) + " D\u00c5";
    }
    const bool lennard_jones = site.kind == PublishedKind::lennard_jones;
    table += fmt::format("| {} | {}, {}, {} | {} | {} | {} | {} | {} |\n", choice_name(site.kind),
                         place(site.position.x), place(site.position.y), place(site.position.z),
                         site.mass > 0.0 ? number(site.mass, 6) : "",
                         lennard_jones ? number(site.sigma / unit::angstrom, 6) : "",
                         lennard_jones ? number(site.epsilon / unit::kelvin, 6) : "",
                         site.kind == PublishedKind::charge ? number(site.charge, 6) : "", moment);
  }
  return table;
}

constexpr std::string_view models_introduction = R"(# Published models

<!-- Generated from src/md/model/library; the test test_model_list keeps it so. -->

Rigid molecules whose parameters were published, by name:

```toml
[[component]]
name = "water"
model = "spce"
```

`sterna models` lists them. A run prints the citation of each model that it uses and writes it to
NAME.bib in the output directory; please cite them. A model stands for the sites below and nothing
else: cutoff, long-range corrections and the treatment of electrostatics are those of the input, and
results can differ from the publication's where those do. Sites of unlike kind mix by
Lorentz-Berthelot; models that were made with another rule are not in the library.

)";

}  // namespace

std::string model_list() {
  std::string text;
  std::string_view substance;
  for (const PublishedModel& model : published_models()) {
    if (model.substance != substance) text += fmt::format("{}\n", substance = model.substance);
    text += fmt::format("  {:<22} {}\n  {:<22} {}\n", model.name, model.description, "",
                        model.citation.text());
  }
  return text;
}

std::string model_list_markdown() {
  std::string page(models_introduction);
  page += "| name | substance | sites | mass in u | dipole in D |\n|---|---|---|---|---|\n";
  for (const PublishedModel& model : published_models()) {
    const double dipole = dipole_of(model);
    page += fmt::format("| [`{0}`](#{0}) | {1} | {2} | {3:.3f} | {4} |\n", model.name,
                        model.substance, site_counts(model), model.mass(),
                        dipole > 1e-9 ? fmt::format("{:.3f}", dipole) : "");
  }
  for (const PublishedModel& model : published_models()) {
    page += fmt::format("\n## {}\n\n{}: {}.\n\n{}\n{}.\n", model.name, model.substance,
                        model.description, sites_table(model), model.citation.text());
  }
  return page;
}

std::string model_list_json() {
  Json list = Json::array();
  for (const PublishedModel& model : published_models()) {
    Json sites = Json::array();
    double sigma = 0.0, epsilon = 0.0;
    std::vector<PointMass> masses;
    for (const PublishedSite& site : model.sites) masses.push_back({site.position, site.mass});
    const BodyFrame frame = body_frame(masses);
    for (const PublishedSite& site : model.sites) {
      sites.push_back(site_json(site));
      const Vec3 place = frame.from_points(site.position);
      sites.back()["body_position"] = {place.x, place.y, place.z};
      sigma = std::max(sigma, site.sigma);
      epsilon = std::max(epsilon, site.epsilon);
    }
    list.push_back(
        {{"name", model.name},
         {"substance", model.substance},
         {"description", model.description},
         {"mass", model.mass()},
         {"critical_temperature", model.critical_temperature},
         {"critical_density", model.critical_density},
         {"largest_sigma", sigma},
         {"largest_epsilon", epsilon / unit::kelvin},
         {"single_lennard_jones",
          model.sites.size() == 1 && model.sites[0].kind == PublishedKind::lennard_jones},
         {"citation", model.citation.text()},
         {"bibtex", model.citation.bibtex()},
         {"sites", sites}});
  }
  return json_text(list, 1) + "\n";
}

std::string citation_lines(const Input& input) {
  std::string text;
  for (const PublishedModel* model : used_models(input)) {
    text += fmt::format("model {}: {}\n", model->name, model->citation.text());
  }
  for (const PhysicsRow& physics : physics_rows()) {
    if (physics.citations == nullptr) continue;
    for (const std::string_view citation : physics.citations(input)) {
      text += fmt::format("potential: {}\n", citation);
    }
  }
  return text;
}

std::string bibliography(const Input& input) {
  std::string text;
  std::set<std::string_view> keys;
  for (const PublishedModel* model : used_models(input)) {
    if (!keys.insert(model->citation.key).second) continue;
    text += (text.empty() ? "" : "\n") + model->citation.bibtex();
  }
  // An input has either components or atoms of Tersoff's potential, so no entry occurs twice.
  for (const PhysicsRow& physics : physics_rows()) {
    if (physics.bibliography != nullptr) text += physics.bibliography(input);
  }
  return text;
}

}  // namespace sterna::md

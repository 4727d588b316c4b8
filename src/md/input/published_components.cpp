#include "md/input/published_components.hpp"

#include <algorithm>

namespace sterna::md {
namespace {

std::string kind_name(PublishedSite::Kind kind) {
  switch (kind) {
    case PublishedSite::Kind::lennard_jones:
      return "lennard_jones";
    case PublishedSite::Kind::charge:
      return "charge";
    case PublishedSite::Kind::dipole:
      return "dipole";
    case PublishedSite::Kind::quadrupole:
      break;
  }
  return "quadrupole";
}

}  // namespace

void take_published_sites(Input& input) {
  for (Input::Component& component : input.components) {
    const PublishedModel* model = find_published_model(component.model);
    if (model == nullptr) continue;
    component.sites.clear();
    for (const PublishedSite& site : model->sites) {
      component.sites.push_back({.kind = kind_name(site.kind),
                                 .position = site.position,
                                 .mass = site.mass,
                                 .epsilon = site.epsilon,
                                 .sigma = site.sigma,
                                 .charge = site.charge,
                                 .axis = site.axis,
                                 .moment = site.moment});
    }
  }
}

std::vector<const PublishedModel*> used_models(const Input& input) {
  std::vector<const PublishedModel*> models;
  for (const Input::Component& component : input.components) {
    const PublishedModel* model = find_published_model(component.model);
    if (model != nullptr && std::ranges::find(models, model) == models.end()) {
      models.push_back(model);
    }
  }
  return models;
}

}  // namespace sterna::md

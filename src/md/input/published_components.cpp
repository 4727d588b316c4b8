#include "md/input/published_components.hpp"

#include <algorithm>

namespace sterna::md {
void take_published_sites(Input& input) {
  for (Input::Component& component : input.components) {
    const PublishedModel* model = find_published_model(component.model);
    if (model == nullptr) continue;
    component.sites.clear();
    for (const PublishedSite& site : model->sites) {
      component.sites.push_back({.kind = site.kind,
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

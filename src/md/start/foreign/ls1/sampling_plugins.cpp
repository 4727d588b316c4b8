#include "md/start/foreign/ls1/sampling_plugins.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "md/observe/profile.hpp"

namespace sterna::md::ls1 {
namespace {

constexpr std::int64_t sample_interval = 10;
constexpr double most_bins = 10000.0;

void left_out(const XmlElement& element, std::string_view name, XmlValues& values) {
  values.warning(element,
                 fmt::format("{}: Sterna does not take this measurement from an ls1 input; "
                             "the run is the same without it",
                             name));
}

void add_profile(const XmlElement& element, std::string_view name, Axis axis, int bins,
                 XmlValues& values, const Decides& decides, Input& input) {
  input.section<ProfileOptions>() = {
      .interval = sample_interval, .axis = axis, .bins = bins, .centered = false};
  decides("profile", element);
  for (const char* key : {"interval", "axis", "bins", "centered"}) {
    decides(fmt::format("profile.{}", key), element);
  }
  values.warning(element,
                 fmt::format("{}: Sterna writes densities and the temperature in {} layers "
                             "across {}, averaged over the run; the rest is left out",
                             name, bins, name_of(axis)));
}

bool has_profile(const Input& input) {
  return input.section<ProfileOptions>().interval > 0;
}

/// Whether the region of a sampling is the whole box.
bool is_whole_box(const XmlElement& region, const Input& input) {
  for (int axis = 0; axis < 3; ++axis) {
    const XmlElement* lower = region.find(fmt::format("coords/lc{}", "xyz"[axis]));
    const XmlElement* upper = region.find(fmt::format("coords/uc{}", "xyz"[axis]));
    if (lower == nullptr || upper == nullptr || !input.start.box) return false;
    XmlValues quiet;
    const auto low = quiet.number(*lower);
    if (!low || *low > 0.0) return false;
    if (upper->text == "box") continue;
    const auto high = quiet.number(*upper);
    if (!high || *high < (*input.start.box)[axis]) return false;
  }
  return true;
}

/// Layers across y; 0 where they are not what Sterna has.
int layers(const XmlElement& sampling, const Input& input) {
  const XmlElement* subdivision = sampling.find("subdivision");
  if (sampling.attribute("type") != "profiles" || subdivision == nullptr) return 0;
  XmlValues quiet;
  double bins = 0.0;
  if (subdivision->attribute("type") == "width") {
    const XmlElement* width = subdivision->find("width");
    const auto value = width != nullptr ? quiet.positive(*width) : std::nullopt;
    if (value) bins = std::round(input.start.box->y / *value);
  } else if (const XmlElement* number = subdivision->find("number")) {
    bins = static_cast<double>(
        quiet.integer(*number, 1, static_cast<std::int64_t>(most_bins)).value_or(0));
  }
  return bins >= 1.0 && bins <= most_bins ? static_cast<int>(bins) : 0;
}

}  // namespace

void read_region_sampling(const XmlElement& plugin, XmlValues& values, const Decides& decides,
                          Input& input) {
  for (const XmlElement* region : plugin.all("region")) {
    for (const XmlElement* sampling : region->all("sampling")) {
      const int bins = is_whole_box(*region, input) ? layers(*sampling, input) : 0;
      if (bins == 0 || has_profile(input)) {
        left_out(*sampling, "RegionSampling", values);
      } else {
        add_profile(*sampling, "RegionSampling", Axis::y, bins, values, decides, input);
      }
    }
  }
}

void read_spatial_profile(const XmlElement& plugin, XmlValues& values, const Decides& decides,
                          Input& input) {
  const XmlElement* mode = plugin.find("mode");
  int axis = -1, bins = 0, divided = 0;
  XmlValues quiet;
  for (int k = 0; k < 3; ++k) {
    const XmlElement* count = plugin.find(std::string(1, "xyz"[k]));
    if (count == nullptr) continue;
    const auto number = quiet.integer(*count, 1, static_cast<std::int64_t>(most_bins));
    if (!number || *number == 1) continue;
    ++divided;
    axis = k;
    bins = static_cast<int>(*number);
  }
  const bool layered = mode != nullptr && mode->text == "cartesian" && divided == 1;
  if (!layered || has_profile(input)) {
    left_out(plugin, "SpatialProfile", values);
  } else {
    add_profile(plugin, "SpatialProfile", static_cast<Axis>(axis), bins, values, decides, input);
  }
}

}  // namespace sterna::md::ls1

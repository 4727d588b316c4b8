#include "md/start/foreign/ls1/sampling_plugins.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "md/observe/dielectric.hpp"
#include "md/observe/orientation_order.hpp"
#include "md/observe/pressure_tensor.hpp"
#include "md/observe/profile.hpp"
#include "md/observe/radial_distribution.hpp"

namespace sterna::md::ls1 {
namespace {

constexpr std::int64_t sample_interval = 10;
constexpr double most_bins = 10000.0;

template <class Options>
bool has(const Input& input) {
  return input.section<Options>().interval > 0;
}

/// A number of steps in the plugin, or `otherwise` if it is missing.
std::int64_t steps_or(const XmlElement& plugin, std::string_view path, std::int64_t least,
                      std::int64_t otherwise, XmlValues& values) {
  const XmlElement* element = plugin.find(path);
  if (element == nullptr) return otherwise;
  return values.integer(*element, least, most_steps).value_or(otherwise);
}

/// Records that a plugin becomes an observer's section with this interval; the rest of the plugin
/// is ignored.
void take_over(const XmlElement& plugin, std::string_view section,
               std::initializer_list<const char*> keys, std::string message, XmlValues& values,
               const Decides& decides) {
  decides(section, plugin);
  for (const char* key : keys) decides(fmt::format("{}.{}", section, key), plugin);
  values.warning(plugin, std::move(message));
  plugin.pass_over();
}

void add_profile(const XmlElement& element, std::string_view name, std::int64_t interval, Axis axis,
                 int bins, XmlValues& values, const Decides& decides, Input& input) {
  input.section<ProfileOptions>() = {
      .interval = interval, .axis = axis, .bins = bins, .centered = false};
  decides("profile", element);
  for (const char* key : {"interval", "axis", "bins", "centered"}) {
    decides(fmt::format("profile.{}", key), element);
  }
  values.warning(element,
                 fmt::format("{}: Sterna writes densities and the temperature in {} layers "
                             "across {}, averaged over the run; the rest is left out",
                             name, bins, name_of(axis)));
  element.pass_over();
}

/// Whether a sampling region is the whole box.
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

/// The number of layers across y; 0 if Sterna has no such sampling.
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

bool observes(const Input& input) {
  return has<RdfOptions>(input) || has<ProfileOptions>(input) ||
         has<PressureTensorOptions>(input) || has<OrientationOrderOptions>(input) ||
         has<DielectricOptions>(input);
}

void leave_out_measurement(const XmlElement& element, std::string_view name, XmlValues& values) {
  values.warning(element,
                 fmt::format("{}: Sterna does not take this measurement from an ls1 input; "
                             "the run is the same without it",
                             name));
  element.pass_over();
}

void begin_sampling(const XmlElement& element, std::string_view name, std::int64_t after,
                    XmlValues& values, const Decides& decides, Input& input) {
  std::int64_t& begin = input.output.equilibration;
  const bool is_first = begin < 0 && !observes(input);
  const std::int64_t later = std::max(begin, after);
  // One sample more or less, at step 0, is not worth a warning.
  const std::int64_t own = std::max<std::int64_t>(after, 0);
  const std::int64_t so_far = std::max<std::int64_t>(begin, 0);
  if (!is_first && own < so_far) {
    values.warning(
        element,
        fmt::format("ls1's samples of {} begin {}; all of Sterna's observers "
                    "begin after the same step, which is {} here",
                    name, own > 0 ? fmt::format("after step {}", own) : "at once", so_far));
  } else if (!is_first && own > so_far) {
    values.warning(element, fmt::format("the samples of {} begin after step {}, and so do those of "
                                        "all of Sterna's observers here",
                                        name, own));
  }
  if (later < 0 || later == begin) return;
  begin = later;
  decides("output.equilibration", element);
}

void read_rdf(const XmlElement& plugin, std::optional<std::int64_t> equilibration,
              XmlValues& values, const Decides& decides, Input& input) {
  if (has<RdfOptions>(input)) {
    leave_out_measurement(plugin, "RDF", values);
    return;
  }
  plugin.pass_over({"writefrequency", "outputprefix"});
  const XmlElement* width = values.require(plugin, "intervallength");
  const XmlElement* bins = values.require(plugin, "bins");
  if (const XmlElement* angular = plugin.find("angularbins")) {
    if (values.integer(*angular, 1, 1'000'000).value_or(1) > 1) {
      values.warning(*angular, "<angularbins>: Sterna does not write the angular distribution");
    }
  }
  if (width == nullptr || bins == nullptr) return;
  const auto length = values.positive(*width);
  const auto count = values.integer(*bins, 1, 1'000'000);
  if (!length || !count) return;
  constexpr std::int64_t default_equilibration = 20000;
  if (!equilibration) {
    values.warning(plugin,
                   fmt::format("without <equilibration> ls1 samples the RDF after step {}, and so "
                               "does Sterna here",
                               default_equilibration));
  }
  begin_sampling(plugin, "RDF", equilibration.value_or(default_equilibration), values, decides,
                 input);
  const XmlElement* interval = plugin.find("samplingfrequency");
  auto& rdf = input.section<RdfOptions>();
  rdf.interval = interval != nullptr ? values.integer(*interval, 1, most_steps).value_or(1) : 1;
  rdf.bins = static_cast<int>(*count);
  rdf.maximum = *length * static_cast<double>(*count);
  decides("rdf", plugin);
  decides("rdf.interval", interval != nullptr ? *interval : plugin);
  decides("rdf.bins", *bins);
  decides("rdf.maximum", *width);
}

void read_region_sampling(const XmlElement& plugin, XmlValues& values, const Decides& decides,
                          Input& input) {
  for (const XmlElement* region : plugin.all("region")) {
    for (const XmlElement* sampling : region->all("sampling")) {
      const int bins = is_whole_box(*region, input) ? layers(*sampling, input) : 0;
      if (bins == 0 || has<ProfileOptions>(input)) {
        leave_out_measurement(*sampling, "RegionSampling", values);
        continue;
      }
      const std::int64_t start = steps_or(*sampling, "control/start", 0, 0, values);
      begin_sampling(*sampling, "RegionSampling", start, values, decides, input);
      add_profile(*sampling, "RegionSampling", sample_interval, Axis::y, bins, values, decides,
                  input);
    }
    region->pass_over();
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
  if (!layered || has<ProfileOptions>(input)) {
    leave_out_measurement(plugin, "SpatialProfile", values);
    return;
  }
  // ls1 samples from this step on, Sterna from the step after `start`.
  const std::int64_t start = steps_or(plugin, "timesteps/init", 0, 0, values) - 1;
  begin_sampling(plugin, "SpatialProfile", start, values, decides, input);
  const std::int64_t interval = steps_or(plugin, "timesteps/recording", 1, sample_interval, values);
  add_profile(plugin, "SpatialProfile", interval, static_cast<Axis>(axis), bins, values, decides,
              input);
}

void read_gamma_writer(const XmlElement& plugin, XmlValues& values, const Decides& decides,
                       Input& input) {
  if (has<PressureTensorOptions>(input)) {
    leave_out_measurement(plugin, "GammaWriter", values);
    return;
  }
  const XmlElement* interfaces = plugin.find("numInterfaces");
  if (interfaces != nullptr && values.integer(*interfaces, 1, 1'000'000).value_or(2) != 2) {
    values.warning(*interfaces,
                   "<numInterfaces>: Sterna's surface tension is that of a slab with two surfaces");
  }
  if (const XmlElement* range = plugin.find("range")) {
    values.warning(*range, "<range>: Sterna's surface tension is that of the whole box");
  }
  begin_sampling(plugin, "GammaWriter", -1, values, decides, input);
  input.section<PressureTensorOptions>() = {.interval = sample_interval,
                                            .surface_normal = SurfaceNormal::y};
  take_over(plugin, "pressure_tensor", {"interval", "surface_normal"},
            "GammaWriter: Sterna writes the pressure tensor and the tension of the surfaces across "
            "y, averaged over the run; those of each component are left out",
            values, decides);
}

void read_orientations(const XmlElement& plugin, const MoleculeTypes& types, XmlValues& values,
                       const Decides& decides, Input& input) {
  if (types.all_atoms() || has<OrientationOrderOptions>(input)) {
    leave_out_measurement(plugin, "ODF", values);
    return;
  }
  const std::int64_t start = steps_or(plugin, "initstatistics", 0, -1, values);
  begin_sampling(plugin, "ODF", start, values, decides, input);
  auto& options = input.section<OrientationOrderOptions>();
  options.interval = steps_or(plugin, "recordingtimesteps", 1, sample_interval, values);
  take_over(plugin, "orientation_order", {"interval"},
            "ODF: Sterna writes the mean orientation of each component towards z (Legendre "
            "polynomials P1 and P2), not the distribution of the angles between neighbors",
            values, decides);
}

void read_permittivity(const XmlElement& plugin, const MoleculeTypes& types, XmlValues& values,
                       const Decides& decides, Input& input) {
  if (types.all_atoms() || has<DielectricOptions>(input)) {
    leave_out_measurement(plugin, "Permittivity", values);
    return;
  }
  const std::int64_t start = steps_or(plugin, "initstatistics", 0, -1, values);
  begin_sampling(plugin, "Permittivity", start, values, decides, input);
  auto& options = input.section<DielectricOptions>();
  options.interval = steps_or(plugin, "recordingtimesteps", 1, sample_interval, values);
  take_over(plugin, "dielectric", {"interval"},
            "Permittivity: Sterna writes the permittivity in the reaction field of the input, from "
            "the dipoles and charges of all molecules; running averages are left out",
            values, decides);
}

}  // namespace sterna::md::ls1

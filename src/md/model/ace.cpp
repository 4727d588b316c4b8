#include "md/model/ace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace sterna::md {

int nuclear_charge(const std::string& element) {
  static constexpr std::string_view symbols =
      "H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se "
      "Br Kr Rb Sr Y Zr Nb Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb "
      "Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi Po At Rn Fr Ra Ac Th Pa U Np Pu Am Cm "
      "Bk Cf Es Fm Md No Lr ";
  int charge = 0;
  for (std::string_view rest = symbols; !rest.empty();) {
    const std::size_t end = rest.find(' ');
    ++charge;
    if (rest.substr(0, end) == element) return charge;
    rest.remove_prefix(end + 1);
  }
  return 0;
}

LegendreStep legendre_step(int l, int m) {
  if (l == m + 1) return {std::sqrt(2.0 * l + 1.0), 0.0};
  const double square = l * l, below = (l - 1) * (l - 1), of_m = m * m;
  return {std::sqrt((4.0 * square - 1.0) / (square - of_m)),
          -std::sqrt((below - of_m) / (4.0 * below - 1.0))};
}

double legendre_start(int m) {
  double value = 1.0;
  for (int l = 1; l <= m; ++l) value *= -std::sqrt(1.0 + 0.5 / l);
  return value;
}

namespace {

/// A value and its derivative.
struct Jet {
  double value, slope;
};
Jet operator*(const Jet& a, const Jet& b) {
  return {a.value * b.value, a.slope * b.value + a.value * b.slope};
}

/// Falls from 1 at `end` - `width` to 0 at `end`.
Jet fall(double x, double end, double width) {
  if (x <= end - width) return {1.0, 0.0};
  if (x >= end) return {0.0, 0.0};
  const double u = 1.0 - 2.0 * (1.0 + (x - end) / width), square = u * u;
  return {0.5 + 3.75 * u * (0.25 - square / 6.0 + square * square / 20.0),
          -7.5 / width * (0.25 - 0.5 * square + 0.25 * square * square)};
}

Jet cosine_fall(double x, double width) {
  const double phase = std::numbers::pi / width;
  return {0.5 * (1.0 + std::cos(phase * x)), -0.5 * phase * std::sin(phase * x)};
}

/// Chebyshev polynomials of the first kind from 0 to `last`, as functions of r.
std::vector<Jet> chebyshev(std::size_t last, const Jet& x) {
  std::vector<Jet> t{{1.0, 0.0}, x};
  std::vector<double> second{1.0, 2.0 * x.value};
  for (std::size_t n = 2; n <= last; ++n) {
    const double value = 2.0 * x.value * t[n - 1].value - t[n - 2].value;
    t.push_back({value, static_cast<double>(n) * second[n - 1] * x.slope});
    second.push_back(2.0 * x.value * second[n - 1] - second[n - 2]);
  }
  return t;
}

/// g_0 is an envelope, and the others are Chebyshev polynomials of exp(-lambda r / cutoff) times it.
std::vector<Jet> exponential_basis(const AceBond& bond, std::size_t count, double r) {
  const double y = std::exp(-bond.scale * r / bond.cutoff), end = std::exp(-bond.scale);
  const Jet x{1.0 - 2.0 * ((y - end) / (1.0 - end)),
              2.0 * (bond.scale / bond.cutoff) * (y / (1.0 - end))};
  const std::vector<Jet> t = chebyshev(count, x);
  Jet envelope = cosine_fall(r, bond.cutoff);
  const double begin = bond.cutoff - bond.cutoff_width;
  if (r > begin) envelope = envelope * cosine_fall(r - begin, bond.cutoff_width);
  std::vector<Jet> g{envelope};
  for (std::size_t n = 1; n < count; ++n) {
    g.push_back(Jet{0.5 - 0.5 * t[n].value, -0.5 * t[n].slope} * envelope);
  }
  return g;
}

/// (1 - T_n(x)) / 2, which is 0 where x is 1.
std::vector<Jet> falling_basis(std::size_t count, const Jet& x) {
  const std::vector<Jet> t = chebyshev(count, x);
  std::vector<Jet> g;
  for (std::size_t n = 1; n <= count; ++n) {
    g.push_back({0.5 - 0.5 * t[n].value, -0.5 * t[n].slope});
  }
  return g;
}

std::vector<Jet> power_basis(const AceBond& bond, std::size_t count, double r) {
  const double rest = 1.0 - r / bond.cutoff, slope = std::pow(rest, bond.scale - 1.0);
  const double y = slope * rest;
  return falling_basis(count, {2.0 * (1.0 - y) - 1.0, 2.0 * bond.scale / bond.cutoff * slope});
}

/// E. Kocer, J. K. Mason and H. Erturk, J. Chem. Phys. 150, 154102 (2019).
std::vector<Jet> bessel_basis(const AceBond& bond, std::size_t count, double r) {
  const auto sinc = [](double scale, double x) -> Jet {
    const double u = scale * x;
    if (u == 0.0) return {1.0, 0.0};
    return {std::sin(u) / u, scale * (std::cos(u) * u - std::sin(u)) / (u * u)};
  };
  const double unit = std::numbers::pi / bond.cutoff;
  std::vector<Jet> g;
  double before = 1.0;
  for (std::size_t k = 0; k < count; ++k) {
    const double n = static_cast<double>(k), a = n + 1.0, b = n + 2.0;
    const double norm = (k % 2 == 0 ? 1.0 : -1.0) * std::numbers::sqrt2 * std::numbers::pi /
                        std::pow(bond.cutoff, 1.5) * a * b / std::sqrt(a * a + b * b);
    const Jet first = sinc(a * unit, r), second = sinc(b * unit, r);
    Jet value{norm * (first.value + second.value), norm * (first.slope + second.slope)};
    if (k > 0) {
      const double e = n * n * b * b / (4.0 * std::pow(a, 4) + 1.0), d = 1.0 - e / before;
      const double share = std::sqrt(e / before), scale = 1.0 / std::sqrt(d);
      value = {scale * (value.value + share * g.back().value),
               scale * (value.slope + share * g.back().slope)};
      before = d;
    }
    g.push_back(value);
  }
  return g;
}

/// The basis functions g_k at r.
std::vector<Jet> basis_at(const AceBond& bond, std::size_t count, double r) {
  // Beside the repulsion of nuclei the expansion has no inner end of its own.
  const bool ends = bond.inner_cutoff != AceInnerCutoff::zbl;
  const bool beyond = r >= bond.cutoff || (ends && r <= bond.inner_begin - bond.inner_width);
  if (beyond) return std::vector<Jet>(count, Jet{0.0, 0.0});
  std::vector<Jet> g;
  switch (bond.basis) {
    case AceRadialBasis::chebyshev_exponential:
      g = exponential_basis(bond, count, r);
      break;
    case AceRadialBasis::chebyshev_power:
      g = power_basis(bond, count, r);
      break;
    case AceRadialBasis::chebyshev_linear:
      // As in pacemaker, these do not end at the cutoff.
      g = falling_basis(count, {1.0 - r / bond.cutoff, -1.0 / bond.cutoff});
      break;
    case AceRadialBasis::bessel:
      g = bessel_basis(bond, count, r);
      break;
  }
  if (bond.inner_cutoff == AceInnerCutoff::distance) {
    const Jet off = fall(r, bond.inner_begin, bond.inner_width);
    for (Jet& one : g) one = one * Jet{1.0 - off.value, -off.slope};
  }
  return g;
}

/// A core repulsion that falls as a Gaussian.
Jet core_repulsion(const AceBond& bond, double r) {
  const double strength = std::fabs(bond.core_strength), decay = std::fabs(bond.core_decay);
  const double exponent = decay * r * r;
  Jet core{0.0, 0.0};
  if (exponent < 50.0) {
    const double y = strength * std::exp(-exponent);
    core = Jet{y / r, -y * (2.0 * exponent + 1.0) / (r * r)} * cosine_fall(r, bond.cutoff);
  }
  if (bond.inner_cutoff == AceInnerCutoff::distance)
    core = core * fall(r, bond.inner_begin, bond.inner_width);
  return core;
}

/// Half the repulsion of nuclei by Ziegler, Biersack and Littmark, shifted so that it ends smoothly.
Jet repulsion_of_nuclei(const AceBond& bond, int charge, int other_charge, double r) {
  if (r >= bond.cutoff) return {0.0, 0.0};
  constexpr double per_charges = 14.399645351950543;  // e^2 / (4 pi epsilon_0), eV angstrom
  const double length = 0.46850 / (std::pow(charge, 0.23) + std::pow(other_charge, 0.23));
  struct Bent {
    double value, slope, bend;
  };
  const auto screened = [&](double x) -> Bent {
    constexpr double factor[] = {0.18175, 0.50986, 0.28022, 0.02817};
    constexpr double decay[] = {-3.19980, -0.94229, -0.40290, -0.20162};
    double phi = 0.0, first = 0.0, second = 0.0;
    for (int k = 0; k < 4; ++k) {
      const double term = factor[k] * std::exp(decay[k] * x / length);
      phi += term;
      first += term * decay[k] / length;
      second += term * decay[k] / length * decay[k] / length;
    }
    return {phi / x, first / x - phi / (x * x),
            second / x - 2.0 * first / (x * x) + 2.0 * phi / (x * x * x)};
  };
  const Bent here = screened(r), end = screened(bond.cutoff);
  const double width = bond.cutoff_width, begin = bond.cutoff - width;
  const double a = (-3.0 * end.slope + width * end.bend) / (width * width);
  const double b = (2.0 * end.slope - width * end.bend) / (width * width * width);
  const double constant = -end.value + 0.5 * width * end.slope - width * width * end.bend / 12.0;
  const double beyond = std::max(0.0, r - begin);
  const Jet shift{a / 3.0 * std::pow(beyond, 3) + b / 4.0 * std::pow(beyond, 4) + constant,
                  a * beyond * beyond + b * std::pow(beyond, 3)};
  const double strength = bond.core_strength * per_charges / 2.0 * charge * other_charge;
  return Jet{strength * (here.value + shift.value), strength * (here.slope + shift.slope)} *
         fall(r, bond.cutoff, width);
}

AceKnots knots_of(const AceTables& tables, std::size_t center, std::size_t neighbor,
                  std::size_t count) {
  const AceBond& bond = tables.bonds[center * tables.elements.size() + neighbor];
  AceKnots knots;
  knots.last = static_cast<int>(bond.cutoff / tables.spacing);
  knots.per_length = knots.last / bond.cutoff;
  knots.stride = (count + 1 + 7) / 8 * 8;
  knots.values.assign(2 * knots.stride * (static_cast<std::size_t>(knots.last) + 2), 0.0);
  const bool nuclei = bond.inner_cutoff == AceInnerCutoff::zbl;
  const int charge = nuclear_charge(tables.elements[center].name);
  const int other_charge = nuclear_charge(tables.elements[neighbor].name);
  const double step = 1.0 / knots.per_length;
  for (int n = 1; n <= knots.last; ++n) {
    const double r = step * n;
    std::vector<Jet> at = basis_at(bond, count, r);
    at.push_back(nuclei ? repulsion_of_nuclei(bond, charge, other_charge, r)
                        : core_repulsion(bond, r));
    double* const out = knots.values.data() + 2 * knots.stride * static_cast<std::size_t>(n);
    for (std::size_t k = 0; k < at.size(); ++k) {
      out[k] = at[k].value;
      out[knots.stride + k] = at[k].slope * step;
    }
  }
  return knots;
}

/// Basis functions and core repulsion at a distance in angstrom.
std::vector<double> between_knots(const AceKnots& knots, std::size_t count, double r) {
  const double x = r * knots.per_length;
  const int knot = std::clamp(static_cast<int>(x), 1, knots.last);
  const double t = x - knot;
  const double* const here =
      knots.values.data() + 2 * knots.stride * static_cast<std::size_t>(knot);
  std::vector<double> values;
  for (std::size_t k = 0; k < count; ++k) {
    const double f = here[k], slope = here[knots.stride + k];
    const double next = here[2 * knots.stride + k], next_slope = here[3 * knots.stride + k];
    const double c2 = 3.0 * (next - f) - next_slope - 2.0 * slope;
    const double c3 = -2.0 * (next - f) + next_slope + slope;
    values.push_back(f + t * (slope + t * (c2 + t * c3)));
  }
  return values;
}

/// The power of a density, with a straight line in place of the root's steep begin.
Jet power_of(double density, double exponent) {
  constexpr double w = 1e6;
  const double line = std::pow(1.0 / w, exponent - 1.0), x = std::fabs(density);
  if (x <= 1e-10) return {line * density, line};
  const double cube = std::pow(w * x, 3), g = cube > 30.0 ? 0.0 : std::exp(-cube);
  const double power = std::pow(x, exponent), by_x = -3.0 * w * w * w * x * x * g;
  return {std::copysign((1.0 - g) * power + line * g * x, density),
          exponent * std::pow(x, exponent - 1.0) * (1.0 - g) - power * by_x + line * by_x * x +
              line * g};
}

/// The power of a density, shifted and scaled near 0 so that its slope there is 1.
Jet shifted_power_of(double density, double exponent) {
  if (std::fabs(exponent - 1.0) < 1e-10) return {density, 1.0};
  const double x = std::fabs(density), fading = std::exp(-x), n = 1.0 / exponent;
  const double right = std::pow(n, n / (1.0 - n)) * fading;
  const double down = std::pow(n, 1.0 / (1.0 - n)) * fading;
  return {std::copysign(std::pow(right + x, exponent) - down, density),
          down + exponent * (1.0 - right) * std::pow(right + x, exponent - 1.0)};
}

void require_of_ace(bool holds, const std::string& what) {
  if (!holds) throw std::invalid_argument(what);
}

void check_ace_bond(const AceBond& bond, const std::string& of, double spacing) {
  const auto positive = [&](double value, std::string_view name) {
    require_of_ace(value > 0.0,
                   fmt::format("{} of {} is {}; expected more than 0", name, of, value));
  };
  positive(bond.cutoff, "rcut");
  require_of_ace(
      bond.cutoff / spacing >= 10.0 && bond.cutoff / spacing <= 1e6,
      fmt::format("rcut of {} is {}; expected 10 to 1000000 times deltaSplineBins, which is {}", of,
                  bond.cutoff, spacing));
  require_of_ace(bond.cutoff_width >= 0.0,
                 fmt::format("dcut of {} is {}; expected at least 0", of, bond.cutoff_width));
  require_of_ace(bond.inner_width >= 0.0,
                 fmt::format("dcut_in of {} is {}; expected at least 0", of, bond.inner_width));
  require_of_ace(bond.largest_l <= AcePotential::largest_l,
                 fmt::format("lmax of {} is {}; expected at most {}", of, bond.largest_l,
                             AcePotential::largest_l));
  if (bond.basis == AceRadialBasis::chebyshev_exponential) {
    require_of_ace(
        bond.scale != 0.0,
        fmt::format("radparameters of {} is 0; expected another number with ChebExpCos", of));
  }
  if (bond.inner_cutoff == AceInnerCutoff::zbl) {
    // Without a width the energy would have a step.
    positive(bond.inner_width, "dcut_in (with inner_cutoff_type: zbl)");
    positive(bond.cutoff_width, "dcut (with inner_cutoff_type: zbl)");
  } else {
    const double begin = bond.inner_begin - bond.inner_width;
    require_of_ace(
        begin < bond.cutoff,
        fmt::format("rcut_in - dcut_in of {} is {}, so that nothing remains of its radial "
                    "functions; expected less than rcut, which is {}",
                    of, begin, bond.cutoff));
  }
}

void check_ace_element(const AceElement& element) {
  require_of_ace(element.core_limit_width >= 0.0,
                 fmt::format("drho_core_cutoff of {} is {}; expected at least 0", element.name,
                             element.core_limit_width));
  for (const auto& [factor, exponent] : element.embedding) {
    // Other powers of this form are not a number.
    require_of_ace(
        !element.shifted_scaled || exponent > 0.0,
        fmt::format("an exponent in FS_parameters of {} is {}; expected more than 0 with "
                    "npoti: FinnisSinclairShiftedScaled",
                    element.name, exponent));
  }
}

void check_ace_tables(const AceTables& tables) {
  require_of_ace(tables.spacing > 0.0,
                 fmt::format("deltaSplineBins is {}; expected more than 0", tables.spacing));
  const std::size_t count = tables.elements.size();
  const AceInnerCutoff inner_cutoff = tables.bonds.front().inner_cutoff;
  for (std::size_t a = 0; a < count; ++a) {
    const std::string& name = tables.elements[a].name;
    check_ace_element(tables.elements[a]);
    for (std::size_t b = 0; b < count; ++b) {
      const AceBond& bond = tables.bonds[a * count + b];
      const std::string of = fmt::format("the bond {}-{}", name, tables.elements[b].name);
      check_ace_bond(bond, of, tables.spacing);
      require_of_ace(bond.inner_cutoff == inner_cutoff,
                     fmt::format("inner_cutoff_type of {} is not that of the first bond; expected "
                                 "one type for all",
                                 of));
    }
    require_of_ace(
        inner_cutoff != AceInnerCutoff::zbl || nuclear_charge(name) > 0,
        fmt::format("{} is no chemical element; inner_cutoff_type: zbl needs one", name));
  }
}

/// Leaves out the elements that no type has, and the functions of neighbors that there cannot be.
void keep_elements_of_types(AceTables& tables, std::vector<std::size_t>& of_type) {
  std::vector<std::size_t> kept = of_type;
  std::ranges::sort(kept);
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  const std::size_t count = tables.elements.size();
  std::vector<int> place(count, -1);
  for (std::size_t n = 0; n < kept.size(); ++n) place[kept[n]] = static_cast<int>(n);
  const auto place_of = [&](int element) { return place[static_cast<std::size_t>(element)]; };
  AceTables of_types{.spacing = tables.spacing};
  for (const std::size_t a : kept) {
    AceElement& element = of_types.elements.emplace_back(std::move(tables.elements[a]));
    std::erase_if(element.functions, [&](const AceFunction& function) {
      return std::ranges::any_of(function.elements, [&](int other) { return place_of(other) < 0; });
    });
    for (AceFunction& function : element.functions) {
      for (int& other : function.elements) other = place_of(other);
    }
    for (const std::size_t b : kept)
      of_types.bonds.push_back(std::move(tables.bonds[a * count + b]));
  }
  for (std::size_t& element : of_type) element = static_cast<std::size_t>(place[element]);
  tables = std::move(of_types);
}

}  // namespace

AcePotential::AcePotential(AceTables tables, std::vector<std::size_t> of_type, double length,
                           double energy)
    : tables_(std::move(tables)), of_type_(std::move(of_type)), length_(length), energy_(energy) {
  check_ace_tables(tables_);
  keep_elements_of_types(tables_, of_type_);
  for (const AceBond& bond : tables_.bonds) {
    basis_functions_ = std::max(basis_functions_, static_cast<std::size_t>(bond.basis_functions));
  }
  std::vector<AceKnots> knots;
  for (std::size_t a = 0; a < element_count(); ++a) {
    for (std::size_t b = 0; b < element_count(); ++b)
      knots.push_back(knots_of(tables_, a, b, basis_functions_));
  }
  knots_ = std::make_shared<const std::vector<AceKnots>>(std::move(knots));
  for (int a = 0; a < type_count(); ++a) {
    for (int b = 0; b < type_count(); ++b) cutoff_ = std::max(cutoff_, cutoff(a, b));
  }
}

bool AcePotential::has_nuclei() const {
  return bond(0, 0).inner_cutoff == AceInnerCutoff::zbl;
}

double AcePotential::embed(std::size_t element, std::span<double> densities, const Sums& sums,
                           Slopes& slopes) const {
  const AceElement& of = tables_.elements[element];
  double expansion = 0.0;
  for (std::size_t p = 0; p < densities.size(); ++p) {
    const auto [factor, exponent] = of.embedding[p];
    const Jet power = of.shifted_scaled ? shifted_power_of(densities[p], exponent)
                                        : power_of(densities[p], exponent);
    expansion += factor * power.value;
    densities[p] = factor * power.slope;
  }
  double energy = of.lone_energy;
  double share = 1.0;
  if (has_nuclei()) {
    Jet inside{1.0, 0.0};
    if (sums.has_nearest) {
      inside = fall(sums.nearest_width - sums.nearest, sums.nearest_width, sums.nearest_width);
    }
    share = inside.value;
    energy += expansion * share + sums.core * (1.0 - share);
    slopes = {1.0 - share, -(expansion - sums.core) * inside.slope};
  } else {
    // At the limit the expansion is off, also where both are 0.
    const Jet inside = sums.core >= of.core_limit
                           ? Jet{0.0, 0.0}
                           : fall(sums.core, of.core_limit, of.core_limit_width);
    share = inside.value;
    energy += expansion * share + sums.core;
    slopes = {expansion * inside.slope + 1.0, 0.0};
  }
  for (double& slope : densities) slope *= share;
  return energy;
}

namespace {

/// Normalized spherical harmonics of a direction, times the square root of 4 pi, by l^2 + l + m.
std::vector<std::complex<double>> spherical_harmonics(int largest_l, const Vec3& n) {
  std::vector<std::complex<double>> y(static_cast<std::size_t>((largest_l + 1) * (largest_l + 1)));
  const auto at = [&](int l, int m) -> std::complex<double>& {
    return y[static_cast<std::size_t>(l * (l + 1) + m)];
  };
  std::complex<double> phase = 1.0;
  for (int m = 0; m <= largest_l; ++m, phase *= std::complex<double>(n.x, n.y)) {
    double before = 0.0, here = legendre_start(m);
    for (int l = m; l <= largest_l; ++l) {
      if (l > m) {
        const LegendreStep step = legendre_step(l, m);
        const double next = step.a * (n.z * here + step.b * before);
        before = here;
        here = next;
      }
      at(l, m) = here * phase;
      at(l, -m) = (m % 2 == 0 ? 1.0 : -1.0) * std::conj(at(l, m));
    }
  }
  return y;
}

}  // namespace

/// The sums over neighbors of an atom: of basis functions by element and number, and of radial
/// functions times harmonics by element, n, l and m.
struct AcePotential::SumsOverNeighbors {
  explicit SumsOverNeighbors(const AcePotential& potential) {
    for (const AceBond& bond : potential.tables_.bonds) {
      functions = std::max(functions, bond.functions);
      levels = std::max(levels, bond.largest_l + 1);
    }
    basis = static_cast<int>(potential.basis_functions_);
    const auto elements = potential.element_count();
    lone.resize(elements * potential.basis_functions_);
    all.resize(elements * static_cast<std::size_t>(functions * levels * levels));
    is_there.resize(elements);
  }
  double& at(int element, int k) { return lone[static_cast<std::size_t>(element * basis + k)]; }
  std::complex<double>& at(int element, int n, int l, int m) {
    return all[static_cast<std::size_t>((element * functions + n) * levels * levels + l * (l + 1) +
                                        m)];
  }
  std::complex<double> factor(const AceFunction& function, std::size_t set, std::size_t t) {
    if (function.rank() == 1) return at(function.elements[t], function.n[t]);
    return at(function.elements[t], function.n[t], function.l[t],
              function.m[set * function.rank() + t]);
  }

  int functions = 0, levels = 1, basis = 0;
  std::vector<double> lone;
  std::vector<std::complex<double>> all;
  std::vector<char> is_there;  ///< by element, whether a neighbor has it
  Sums known;
};

AcePotential::SumsOverNeighbors AcePotential::sum_over(int center,
                                                       std::span<const Neighbor> neighbors) const {
  const std::size_t of = element(center);
  SumsOverNeighbors sums(*this);
  for (const Neighbor& neighbor : neighbors) {
    const std::size_t other = element(neighbor.type);
    const AceBond& pair = bond(of, other);
    const double r = length(neighbor.vector) / length_;
    if (r >= pair.cutoff) continue;
    sums.is_there[other] = 1;
    const std::vector<double> g = between_knots(knots(of, other), basis_functions_ + 1, r);
    sums.known.core += g.back();
    const double beyond = r - (pair.inner_begin - pair.inner_width);
    if (!sums.known.has_nearest || beyond < sums.known.nearest) {
      sums.known = {sums.known.core, true, beyond, pair.inner_width};
    }
    const auto e = static_cast<int>(other);
    for (int k = 0; k < sums.basis; ++k) sums.at(e, k) += g[static_cast<std::size_t>(k)];
    const auto y = spherical_harmonics(pair.largest_l, neighbor.vector * (1.0 / (r * length_)));
    const double* coefficient = pair.coefficients.data();
    for (int n = 0; n < pair.functions; ++n) {
      for (int l = 0; l <= pair.largest_l; ++l) {
        double radial = 0.0;
        for (int k = 0; k < pair.basis_functions; ++k)
          radial += *coefficient++ * g[static_cast<std::size_t>(k)];
        for (int m = -l; m <= l; ++m)
          sums.at(e, n, l, m) += radial * y[static_cast<std::size_t>(l * (l + 1) + m)];
      }
    }
  }
  return sums;
}

double AcePotential::energy(int center, std::span<const Neighbor> neighbors) const {
  const AceElement& own = tables_.elements[element(center)];
  SumsOverNeighbors sums = sum_over(center, neighbors);
  std::vector<double> densities(own.embedding.size(), 0.0);
  for (const AceFunction& function : own.functions) {
    if (!std::ranges::all_of(function.elements, [&](int other) {
          return sums.is_there[static_cast<std::size_t>(other)] != 0;
        }))
      continue;
    const std::size_t rank = function.rank();
    for (std::size_t set = 0; set * rank < function.m.size(); ++set) {
      std::complex<double> product = 1.0;
      for (std::size_t t = 0; t < rank && product != 0.0; ++t)
        product *= sums.factor(function, set, t);
      for (std::size_t p = 0; p < densities.size(); ++p)
        densities[p] += function.coefficients[set * densities.size() + p] * product.real();
    }
  }
  Slopes slopes{};
  return energy_ * embed(element(center), densities, sums.known, slopes);
}

AcePotential::Dimer AcePotential::strongest_dimer() const {
  // No two atoms are bound more strongly than those of carbon monoxide, by 11.2 eV.
  const double deepest = 12.0 * energy_;
  std::vector<int> type_of(element_count());
  for (int type = 0; type < type_count(); ++type) type_of[element(type)] = type;
  Dimer strongest{cutoff_, 0.0};
  for (std::size_t first = 0; first < element_count(); ++first) {
    for (std::size_t second = 0; second <= first; ++second) {
      const int a = type_of[first], b = type_of[second];
      const double end = std::max(cutoff(a, b), cutoff(b, a));
      const double apart = energy(a, {}) + energy(b, {});
      constexpr int steps = 48;
      const auto depth = [&](int k) {
        const double r = end * k / steps;
        const Neighbor of_a{{0.0, 0.0, r}, b}, of_b{{0.0, 0.0, -r}, a};
        return apart - energy(a, {&of_a, 1}) - energy(b, {&of_b, 1});
      };
      // Data for a fit have no atoms nearer than this, where the energy may have any value. So an
      // energy that still falls at the begin of the scan is no minimum.
      constexpr int begin = steps / 5;
      double length = end, largest = 0.0;
      double before = depth(begin), here = depth(begin + 1);
      for (int k = begin + 1; k < steps; ++k) {
        const double next = depth(k + 1);
        if (here > before && here > next && here > largest)
          largest = here, length = end * k / steps;
        before = here;
        here = next;
      }
      strongest.length = std::min(strongest.length, length);
      strongest.energy = std::max(strongest.energy, std::min(largest, deepest));
    }
  }
  return strongest;
}

}  // namespace sterna::md

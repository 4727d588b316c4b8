#include "md/forces/pair/charge_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "md/simd/instruction_set.hpp"

namespace sterna::md {

CutoffCharges CutoffCharges::reaction_field(double cutoff, double inside, double outside) {
  // (outside - inside) / (2 outside + inside), in a form that also allows an infinite permittivity.
  const double contrast = (1.0 - inside / outside) / (2.0 + inside / outside);
  const double curvature = contrast / (cutoff * cutoff * cutoff);
  return {cutoff, curvature, 1.0 / cutoff + curvature * cutoff * cutoff, {}};
}

CutoffCharges CutoffCharges::damped(double cutoff, double damping, bool shifts_force) {
  const double slope_at_0 = 2.0 * damping / std::sqrt(std::numbers::pi);
  const auto gauss = [damping](double r) { return std::exp(-damping * damping * r * r); };
  const double at_end = std::erfc(damping * cutoff) / cutoff;
  const double force = shifts_force ? (at_end + slope_at_0 * gauss(cutoff)) / cutoff : 0.0;
  const double constant = at_end + force * cutoff;
  const auto formula = [=](double r) -> ChargeCurve::Value {
    return {std::erfc(damping * r) + (force * r - constant) * r,
            2.0 * force * r - slope_at_0 * gauss(r) - constant,
            2.0 * (force + slope_at_0 * damping * damping * r * gauss(r))};
  };
  CutoffCharges made{cutoff, 0.0, constant + slope_at_0, {}};
  made.curve = std::make_shared<const ChargeCurve>(formula, cutoff, cutoff);
  return made;
}

CutoffCharges CutoffCharges::screened(double cutoff, double kappa) {
  const auto formula = [=](double r) -> ChargeCurve::Value {
    const double u = std::exp(-kappa * r);
    return {u, -kappa * u, kappa * kappa * u};
  };
  CutoffCharges made{cutoff, 0.0, 0.0, {}};
  made.curve = std::make_shared<const ChargeCurve>(formula, cutoff, cutoff);
  made.answers_excluded = false;
  return made;
}

CutoffCharges CutoffCharges::force_shifted(double cutoff) {
  const auto formula = [=](double r) -> ChargeCurve::Value {
    const double x = r / cutoff;
    return {(1.0 - x) * (1.0 - x), 2.0 * (x - 1.0) / cutoff, 2.0 / (cutoff * cutoff)};
  };
  CutoffCharges made{cutoff, 0.0, 0.0, {}};
  made.curve = std::make_shared<const ChargeCurve>(formula, cutoff, cutoff);
  made.answers_excluded = false;
  return made;
}

CutoffCharges CutoffCharges::cubic_force_switched(double cutoff, double start) {
  // Beyond the start, -u' = 1/r^2 + a x^2 + b x^3 with x = r - start.
  const double width = cutoff - start, inverse3 = 1.0 / (cutoff * cutoff * cutoff);
  const double a = (2.0 * start - 5.0 * cutoff) * inverse3 / (width * width);
  const double b = (4.0 * cutoff - 2.0 * start) * inverse3 / (width * width * width);
  const double constant = 1.0 / cutoff - width * width * width * (a / 3.0 + 0.25 * b * width);
  const auto formula = [=](double r) -> ChargeCurve::Value {
    const double x = std::max(0.0, r - start);
    const double less = constant + x * x * x * (a / 3.0 + 0.25 * b * x);
    const double slope = x * x * (a + b * x), bend = x * (2.0 * a + 3.0 * b * x);
    return {1.0 - r * less, -less - r * slope, -2.0 * slope - r * bend};
  };
  CutoffCharges made{cutoff, 0.0, 0.0, {}};
  made.curve = std::make_shared<const ChargeCurve>(formula, start, cutoff);
  made.answers_excluded = false;
  return made;
}

CutoffCharges::Value CutoffCharges::value(double r) const {
  if (curve == nullptr) {
    return {1.0 / r + curvature * r * r - shift, 1.0 / (r * r * r) - 2.0 * curvature};
  }
  const ChargeCurve::Value product = curve->at(r);
  return {product.value / r, (product.value - r * product.slope) / (r * r * r)};
}

CutoffCharges::Value CutoffCharges::lacking_of_excluded(double r) const {
  if (!answers_excluded) return value(r);
  return {1.0 / r, 1.0 / (r * r * r)};
}

ChargePairs::ChargePairs(CutoffCharges charges, std::string_view kernels)
    : charges_(std::move(charges)),
      kernels_(select_kernels(
          available_kernels<ChargeKernels>(STERNA_KERNEL_FAMILY(charge_kernels)), kernels)) {
  for (const double charge : charges_.of_types) types_with_charges_.push_back(charge != 0.0);
  if (charges_.curve == nullptr) return;
  const auto polynomials = charges_.curve->polynomials();
  curve_single_.assign(polynomials.begin(), polynomials.end());
}

void ChargePairs::set_topology(const Topology& topology, double factor) {
  topology_ = &topology;
  factor_ = factor;
  std::ranges::fill(types_with_charges_, 0);
  for (const Topology::Molecule& molecule : topology.molecules()) {
    for (const Topology::Atom& atom : molecule.atoms) {
      if (atom.charge != 0.0) types_with_charges_[static_cast<std::size_t>(atom.type)] = 1;
    }
  }
}

bool ChargePairs::has_charges(int type) const {
  return types_with_charges_[static_cast<std::size_t>(type)] != 0;
}

void ChargePairs::rebuild(const ParticleStore& particles, Precision precision) {
  const std::size_t total = particles.total_count();
  const auto charge_at = [&](std::size_t place) {
    if (topology_ != nullptr) return factor_ * topology_->atom_of(particles.id[place]).charge;
    return charges_.of_types[static_cast<std::size_t>(particles.position[place].type)];
  };
  double squares = 0.0;
  const auto place = [&](auto& charges) {
    charges.resize(total + 1);
    for (std::size_t k = 0; k < total; ++k) {
      const double charge = charge_at(k);
      charges[k] = static_cast<std::remove_reference_t<decltype(charges[k])>>(charge);
      if (k < particles.local_count()) squares += charge * charge;
    }
    charges[total] = 0;  // charge of the dummy particle
  };
  precision == Precision::mixed ? place(charge_single_) : place(charge_);
  self_energy_ = -0.5 * charges_.shift * squares;
}

void ChargePairs::compute(PairWork& work, std::span<const std::uint32_t> cells, Precision precision,
                          bool with_sums) const {
  const double cutoff_squared = charges_.cutoff * charges_.cutoff;
  ChargeWork charges{{charge_.data(), cutoff_squared, charges_.curvature, charges_.shift, {}},
                     {charge_single_.data(),
                      static_cast<float>(cutoff_squared),
                      static_cast<float>(charges_.curvature),
                      static_cast<float>(charges_.shift),
                      {}}};
  const bool is_curve = charges_.curve != nullptr;
  if (is_curve) {
    const ChargeCurve& curve = *charges_.curve;
    const double near = curve.near_intervals() / curve.bend();
    const double far =
        curve.bend() < curve.cutoff()
            ? (curve.intervals() - curve.near_intervals()) / (curve.cutoff() - curve.bend())
            : near;
    const auto set = [&]<class Real>(ChargeCurveTable<Real>& table, const Real* polynomials) {
      table = {polynomials,
               static_cast<Real>(curve.bend()),
               static_cast<Real>(near),
               static_cast<Real>(far),
               static_cast<Real>(curve.near_intervals()),
               static_cast<Real>(curve.intervals() - 1),
               charges_.answers_excluded};
    };
    set(charges.in_double.curve, curve.polynomials().data());
    set(charges.in_single.curve, curve_single_.data());
  }
  const auto& compute = precision == Precision::mixed ? kernels_.mixed : kernels_.in_double;
  compute[is_curve ? 1 : 0][with_sums ? 1 : 0](work, charges, cells.data(), cells.size());
}

}  // namespace sterna::md

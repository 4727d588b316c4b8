#include "md/forces/pair/charge_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "md/simd/instruction_set.hpp"

namespace sterna::md {

CutoffCharges CutoffCharges::reaction_field(double cutoff, double inside, double outside) {
  // (outside - inside) / (2 outside + inside), in a form that also allows an infinite permittivity.
  const double contrast = (1.0 - inside / outside) / (2.0 + inside / outside);
  const double curvature = contrast / (cutoff * cutoff * cutoff);
  return {cutoff, curvature, 1.0 / cutoff + curvature * cutoff * cutoff, {}};
}

ChargePairs::ChargePairs(CutoffCharges charges, std::string_view kernels)
    : charges_(std::move(charges)),
      kernels_(select_kernels(
          available_kernels<ChargeKernels>(STERNA_KERNEL_FAMILY(charge_kernels)), kernels)) {
  for (const double charge : charges_.of_types) types_with_charges_.push_back(charge != 0.0);
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
    charges[total] = 0;  // the charge of the dummy particle
  };
  precision == Precision::mixed ? place(charge_single_) : place(charge_);
  self_energy_ = -0.5 * charges_.shift * squares;
}

void ChargePairs::compute(PairWork& work, std::span<const std::uint32_t> cells, Precision precision,
                          bool with_sums) const {
  const double cutoff_squared = charges_.cutoff * charges_.cutoff;
  const ChargeWork charges{
      {charge_.data(), cutoff_squared, charges_.curvature, charges_.shift},
      {charge_single_.data(), static_cast<float>(cutoff_squared),
       static_cast<float>(charges_.curvature), static_cast<float>(charges_.shift)}};
  const auto& compute = precision == Precision::mixed ? kernels_.mixed : kernels_.in_double;
  compute[with_sums ? 1 : 0](work, charges, cells.data(), cells.size());
}

}  // namespace sterna::md

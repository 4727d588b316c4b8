#include "md/forces/pair/pair_forces.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

#include "md/neighbors/pair_kernels.hpp"
#include "md/simd/instruction_set.hpp"

namespace sterna::md {

namespace {

using Clock = std::chrono::steady_clock;

/// A scaled table for the kernels, with readable numbers behind it.
std::vector<double> scaled(std::span<const double> values, double factor) {
  std::vector<double> result;
  for (const double value : values) result.push_back(factor * value);
  result.resize(result.size() + behind_tables);
  return result;
}

std::vector<float> to_single(std::span<const double> values) {
  return {values.begin(), values.end()};
}

const PotentialKernels& select_potential_kernels(std::string_view name) {
  return select_kernels(
      available_kernels<PotentialKernels>(STERNA_KERNEL_FAMILY(potential_kernels)), name);
}

/// The row of the fast path in the table.
const PairPotentialRow& lennard_jones_row() {
  return *find_pair_potential("lennard_jones");
}

/// Returns the parameters of pairs on the fast path. All other pairs get an energy of 0.
LennardJones lennard_jones_of(const std::vector<PairFunction>& pairs, const std::vector<char>& fast,
                              int type_count, const PairFunction::Ending& ending) {
  std::vector<LennardJones::PairParameters> parameters;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    parameters.push_back({fast[k] != 0 ? pairs[k].parameters()[0] : 0.0,
                          fast[k] != 0 ? pairs[k].parameters()[1] : 1.0});
  }
  return LennardJones(parameters, type_count, ending.cutoff, ending.truncation,
                      ending.switch_start);
}

}  // namespace

PairForces::LennardJonesTables::LennardJonesTables(const LennardJones& potential)
    : truncation(potential.truncation()),
      cutoff(potential.cutoff()),
      switch_start(potential.switch_start()),
      twelve_c12(scaled(potential.c12(), 12.0)),
      six_c6(scaled(potential.c6(), 6.0)),
      energy_shift(scaled(potential.energy_shift(), 1.0)),
      force_shift(scaled(potential.force_shift(), 1.0)),
      twelve_c12_single(to_single(twelve_c12)),
      six_c6_single(to_single(six_c6)),
      energy_shift_single(to_single(energy_shift)),
      force_shift_single(to_single(force_shift)) {}

PairForces::PairForces(const LennardJones& potential, Precision precision, std::string_view kernels)
    : kernels_(select_pair_kernels(kernels)),
      potential_kernels_(select_potential_kernels(kernels)),
      precision_(precision),
      type_count_(potential.type_count()),
      range_(potential.cutoff()),
      lennard_jones_(potential),
      name_(lennard_jones_row().name),
      parts_{{lennard_jones_row().name, 0.0, 0.0}} {
  const std::size_t pairs =
      static_cast<std::size_t>(type_count_) * static_cast<std::size_t>(type_count_);
  for (std::size_t k = 0; k < pairs; ++k) {
    acts_.push_back(lennard_jones_->twelve_c12[k] != 0.0 || lennard_jones_->six_c6[k] != 0.0);
  }
}

PairForces::PairForces(const std::vector<PairFunction>& pairs, int type_count,
                       const PairFunction::Ending& ending, Precision precision,
                       std::string_view kernels,
                       const std::vector<std::vector<PairFunction>>& added)
    : kernels_(select_pair_kernels(kernels)),
      potential_kernels_(select_potential_kernels(kernels)),
      precision_(precision),
      type_count_(type_count),
      range_(std::ranges::max(pairs, {}, &PairFunction::cutoff).cutoff()) {
  const auto can_meet = [](const PairFunction& pair) { return pair.potential().finite_at_zero; };
  bool meet = std::ranges::any_of(pairs, can_meet);
  for (const PairFunction& pair : pairs) acts_.push_back(!pair.is_nothing());
  for (const std::vector<PairFunction>& layer : added) {
    for (std::size_t k = 0; k < layer.size(); ++k) {
      if (layer[k].is_nothing()) continue;
      acts_[k] = 1;
      range_ = std::max(range_, layer[k].cutoff());
      meet = meet || can_meet(layer[k]);
    }
  }
  // The fast path multiplies other pairs by 0, so their energy must be a number at any distance. If
  // two particles can be at one point, Lennard-Jones pairs therefore take the general path, too.
  // (So do pairs with a cutoff of their own, and truncations that the fast path does not have.)
  const bool fast = LennardJones::ends_by(ending.truncation) && !meet;
  std::vector<char> is_fast(pairs.size(), 0);
  for (std::size_t k = 0; fast && k < pairs.size(); ++k) {
    if (&pairs[k].potential() != &lennard_jones_row()) continue;
    const PairFunction as_the_run(lennard_jones_row(), pairs[k].parameters(), 0.0, ending);
    is_fast[k] = pairs[k].end() == as_the_run.end();
  }
  if (std::ranges::count(is_fast, 1) > 0) {
    parts_.push_back({lennard_jones_row().name, 0.0, 0.0});
    lennard_jones_.emplace(lennard_jones_of(pairs, is_fast, type_count, ending));
  }
  add_all_general(pairs, is_fast);
  for (const std::vector<PairFunction>& layer : added) {
    std::vector<char> is_nothing;
    for (const PairFunction& pair : layer) is_nothing.push_back(pair.is_nothing());
    add_all_general(layer, is_nothing);
  }
  name_ = parts_.size() == 1 ? std::string(parts_[0].name) : std::string("pairs");
}

void PairForces::add_all_general(const std::vector<PairFunction>& pairs,
                                 const std::vector<char>& is_left_out) {
  const auto& table = pair_potential_table();
  for (std::size_t number = 0; number < table.size(); ++number) {
    // Pairs that are not switched are computed together with pairs that are.
    std::vector<Truncation> ways;
    bool used = false;
    const auto is_here = [&](std::size_t k) {
      return &pairs[k].potential() == &table[number] && is_left_out[k] == 0;
    };
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      if (!is_here(k)) continue;
      used = true;
      const Truncation way = pairs[k].end().truncation;
      if (is_switched(way) && std::ranges::find(ways, way) == ways.end()) ways.push_back(way);
    }
    if (!used) continue;
    if (ways.empty()) ways.push_back(Truncation::truncated);
    for (const Truncation way : ways) {
      std::vector<char> computes(pairs.size(), 0);
      for (std::size_t k = 0; k < pairs.size(); ++k) {
        const Truncation own = pairs[k].end().truncation;
        computes[k] = is_here(k) && (own == way || (!is_switched(own) && way == ways.front()));
      }
      add_general(number, way, pairs, computes);
    }
  }
}

void PairForces::add_charges(CutoffCharges charges) {
  charges_.emplace(std::move(charges), kernels());
  range_ = std::max(range_, charges_->cutoff());
  parts_.push_back({"electrostatics", 0.0, 0.0});
  name_ = "pairs";
}

void PairForces::set_topology(const Topology& topology, double factor) {
  if (charges_) charges_->set_topology(topology, factor);
}

namespace {

/// Where the polynomials of tabulated curves begin in one array, which has each curve once.
class PlacesOfCurves {
 public:
  explicit PlacesOfCurves(std::vector<double>& polynomials) : polynomials_(polynomials) {}

  double of(const TabulatedCurve& curve) {
    const auto known = std::ranges::find(curves_, &curve);
    if (known != curves_.end()) return begins_[static_cast<std::size_t>(known - curves_.begin())];
    curves_.push_back(&curve);
    begins_.push_back(static_cast<double>(polynomials_.size()));
    polynomials_.insert(polynomials_.end(), curve.polynomials().begin(), curve.polynomials().end());
    return begins_.back();
  }

 private:
  std::vector<double>& polynomials_;
  std::vector<const TabulatedCurve*> curves_;
  std::vector<double> begins_;
};

}  // namespace

void PairForces::add_general(std::size_t number, Truncation truncation,
                             const std::vector<PairFunction>& pairs,
                             const std::vector<char>& computes) {
  const PairPotentialRow& row = pair_potential_table()[number];
  const auto known = std::ranges::find(parts_, row.name, &Part::name);
  General general;
  general.number = number;
  general.truncation = truncation;
  general.part = static_cast<std::size_t>(known - parts_.begin());
  if (known == parts_.end()) parts_.push_back({row.name, 0.0, 0.0});
  general.has_pairs.assign(static_cast<std::size_t>(type_count_), 0);
  General::Columns& columns = general.columns;
  const auto count = static_cast<std::size_t>(row.coefficient_count);
  columns.coefficients.resize(count * pairs.size());
  columns.end_terms.resize(PairEnd{}.terms.size() * pairs.size());
  // Pairs with another potential are computed with substitute parameters, and are not counted.
  const auto first = std::ranges::find_if(computes, [](char one) { return one != 0; });
  const PairFunction& substitute = pairs[static_cast<std::size_t>(first - computes.begin())];
  columns.safe_squared = substitute.cutoff() * substitute.cutoff();
  columns.least_squared = 1e-12 * columns.safe_squared;
  PlacesOfCurves places(columns.curves);
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const PairFunction& pair = computes[k] != 0 ? pairs[k] : substitute;
    const PairEnd& end = pair.end();
    std::vector<double> coefficients(pair.coefficients().begin(), pair.coefficients().end());
    if (const TabulatedCurve* curve = pair.curve()) coefficients[0] = places.of(*curve);
    for (std::size_t n = 0; n < count; ++n) {
      columns.coefficients[n * pairs.size() + k] = coefficients[n];
    }
    const double c2 = end.cutoff * end.cutoff, s2 = end.switch_start * end.switch_start;
    columns.cutoff_squared.push_back(computes[k] != 0 ? c2 : 0.0);
    columns.energy_shift.push_back(end.energy_shift);
    columns.force_shift.push_back(end.force_shift);
    columns.switch_start_squared.push_back(s2);
    for (std::size_t n = 0; n < end.terms.size(); ++n) {
      columns.end_terms[n * pairs.size() + k] = end.terms[n];
    }
    if (computes[k] != 0) general.has_pairs[k / static_cast<std::size_t>(type_count_)] = 1;
  }
  general.copy_to_single();
  general_.push_back(std::move(general));
}

void PairForces::General::copy_to_single() {
  for (std::vector<double>* table :
       {&columns.cutoff_squared, &columns.coefficients, &columns.energy_shift, &columns.force_shift,
        &columns.switch_start_squared, &columns.end_terms}) {
    table->resize(table->size() + behind_tables);
  }
  single = {to_single(columns.cutoff_squared),
            to_single(columns.coefficients),
            to_single(columns.energy_shift),
            to_single(columns.force_shift),
            to_single(columns.switch_start_squared),
            to_single(columns.end_terms),
            to_single(columns.curves)};
}

PotentialWork PairForces::General::work() const {
  return {
      truncation,
      has_pairs.data(),
      {columns.cutoff_squared.data(), columns.coefficients.data(), columns.energy_shift.data(),
       columns.force_shift.data(), columns.switch_start_squared.data(), columns.end_terms.data(),
       columns.curves.data(), columns.safe_squared, columns.least_squared},
      {single.cutoff_squared.data(), single.coefficients.data(), single.energy_shift.data(),
       single.force_shift.data(), single.switch_start_squared.data(), single.end_terms.data(),
       single.curves.data(), static_cast<float>(columns.safe_squared),
       static_cast<float>(columns.least_squared)}};
}

bool PairForces::needs_in_list(int type) const {
  if (!lennard_jones_ || (charges_ && charges_->has_charges(type))) return true;
  // The general kernels need the particles of all types.
  if (!general_.empty()) return true;
  for (int other = 0; other < type_count_; ++other) {
    if (acts_between(type, other)) return true;
  }
  return false;
}

std::uint32_t PairForces::group() const {
  // Rows of four particles in double precision need more registers than there are. On processors
  // that load a vector in two halves, this costs more than shorter rows.
  const bool spills = precision_ != Precision::mixed && kernels() == "avx512";
  return spills && processor_halves_avx512() ? 2 : largest_group;
}

void PairForces::rebuild(const PairList& list, const ParticleStore& particles) {
  if (!list.rows().half) throw std::logic_error("the kernels of pairs read half lists");
  if (charges_) charges_->rebuild(particles, precision_);
  if (precision_ != Precision::mixed) return;
  // The margin is at least two list radii, so the dummy behind the range is beyond every cutoff.
  fixed_scale_ = list.extent() / (2.0 * fixed_half_range);
  // Particles that are not listed come between those that are, and their memory stays unchanged.
  const std::size_t total = particles.total_count();
  fixed_position_.renew(total + 1);
  fixed_position_[total] = fixed_dummy;
  collected_.renew(total + 1);
  std::fill_n(collected_.data(), list.grid().listed_local(), SingleForce{});
  collected_[total] = {};
  moved_ = false;
}

PairWork PairForces::work(const PairList& list, ParticleStore& particles) {
  PairWork work = list.rows();
  work.position = particles.position.data();
  work.force = particles.force.data();
  work.collected = collected_.data();
  work.fixed_position = fixed_position_.data();
  work.fixed_scale = fixed_scale_;
  work.type_count = type_count_;
  return work;
}

void PairForces::convert_positions(const PairList& list, PairList::Cells which, PairWork& work) {
  const CellGrid& grid = list.grid();
  if (which == PairList::Cells::boundary) {
    const std::size_t ghosts = work.local + grid.listed_ghosts();
    kernels_.to_fixed(work, work.local, ghosts, grid.center());
    // Ghosts beyond the half shell are cleared, too, because returning forces may pass through
    // them.
    std::fill(collected_.data() + work.local,
              collected_.data() + (list.half_shell() ? work.total : ghosts), SingleForce{});
  } else if (which == PairList::Cells::interior && !std::exchange(moved_, false)) {
    kernels_.to_fixed(work, 0, grid.listed_local(), grid.center());
  }
}

void PairForces::compute_lennard_jones(PairWork& work, std::span<const std::uint32_t> cells,
                                       bool with_sums) const {
  const LennardJonesTables& tables = *lennard_jones_;
  work.cutoff_squared = tables.cutoff * tables.cutoff;
  work.switch_start_squared = tables.switch_start * tables.switch_start;
  work.twelve_c12 = tables.twelve_c12.data();
  work.six_c6 = tables.six_c6.data();
  work.energy_shift = tables.energy_shift.data();
  work.force_shift = tables.force_shift.data();
  work.twelve_c12_single = tables.twelve_c12_single.data();
  work.six_c6_single = tables.six_c6_single.data();
  work.energy_shift_single = tables.energy_shift_single.data();
  work.force_shift_single = tables.force_shift_single.data();
  // Truncations that do not change the force share one kernel.
  const int truncation = tables.truncation == Truncation::force_shifted ? 2
                         : tables.truncation == Truncation::switched    ? 3
                                                                        : 0;
  const auto compute =
      precision_ == Precision::mixed ? kernels_.compute_mixed : kernels_.compute_double;
  compute(work, cells.data(), cells.size(), truncation, with_sums);
}

PairWork PairForces::run(const PairList& list, ParticleStore& particles, PairList::Cells which,
                         bool with_sums) {
  const bool mixed = precision_ == Precision::mixed;
  if (!mixed && which == PairList::Cells::interior) {
    // The kernels add to forces of ghosts and of the dummy, so these are cleared, too; those of the
    // dummy are never read.
    particles.force.reserve(particles.total_count() + 1);
    std::fill_n(particles.force.data(), particles.total_count() + 1, Vec3{});
  }
  PairWork work = this->work(list, particles);

  const auto cells = list.cells(which);
  if (mixed) convert_positions(list, which, work);
  if (with_sums && which == PairList::Cells::interior) {
    for (Part& part : parts_) part = {part.name, 0.0, 0.0, part.seconds};
  }
  const bool is_fast_alone = general_.empty() && !charges_;
  Clock::time_point start = is_fast_alone ? Clock::time_point() : Clock::now();
  if (lennard_jones_) compute_lennard_jones(work, cells, with_sums);
  if (is_fast_alone) return work;
  EnergyAndVirial all;
  const auto credit = [&](std::size_t part) {
    const Clock::time_point now = Clock::now();
    parts_[part].seconds += std::chrono::duration<double>(now - std::exchange(start, now)).count();
    if (!with_sums) return;
    EnergyAndVirial sums;
    sums.energy = std::exchange(work.energy, 0.0);
    for (int k = 0; k < 6; ++k) sums.virial[k] = std::exchange(work.virial[k], 0.0);
    parts_[part].energy += sums.energy;
    *parts_[part].virial += sums.virial_trace();
    all += sums;
  };
  if (lennard_jones_) credit(0);
  for (std::size_t k = 0; k < general_.size(); ++k) {
    const auto& kernels = potential_kernels_.potentials[general_[k].number];
    const auto& compute = mixed ? kernels.mixed : kernels.in_double;
    compute[with_sums ? 1 : 0](work, general_[k].work(), cells.data(), cells.size());
    credit(general_[k].part);
  }
  if (charges_) {
    charges_->compute(work, cells, precision_, with_sums);
    // Self-energies are added once, not for each kind of cells.
    if (with_sums && which == PairList::Cells::interior) work.energy += charges_->self_energy();
    credit(parts_.size() - 1);
  }
  work.energy = all.energy;
  std::copy(std::begin(all.virial), std::end(all.virial), work.virial);
  return work;
}

void PairForces::compute(const PairList& list, ParticleStore& particles, PairList::Cells which,
                         EnergyAndVirial* sums) {
  const PairWork work = run(list, particles, which, sums != nullptr);
  if (sums != nullptr) {
    sums->energy += work.energy;
    for (int k = 0; k < 6; ++k) sums->virial[k] += work.virial[k];
  }
}

CollectedForces PairForces::collected_forces(ParticleStore& particles) {
  const std::size_t total = particles.total_count();
  if (precision_ == Precision::mixed) {
    return {.forces = std::span(collected_.data(), total), .unit = fixed_scale_};
  }
  return {std::span(particles.force.data(), total)};
}

void PairForces::set_forces(const PairList& list, ParticleStore& particles, const Mover* move) {
  if (precision_ != Precision::mixed) return;
  PairWork work = this->work(list, particles);
  const std::size_t local = work.local, listed = list.grid().listed_local();
  const std::size_t together = move == nullptr ? local : moved_together;
  for (std::size_t begin = 0; begin < local; begin += together) {
    const std::size_t end = std::min(begin + together, local);
    const std::size_t listed_end = std::clamp(listed, begin, end);
    kernels_.collect(work, begin, listed_end);
    std::fill(particles.force.begin() + listed_end, particles.force.begin() + end, Vec3{});
    if (move == nullptr) continue;
    (*move)(begin, end);
    kernels_.to_fixed(work, begin, listed_end, list.grid().center());
  }
  moved_ = move != nullptr;
}

std::vector<ForceTerm::Part> PairForces::parts() const {
  return parts_.size() > 1 ? parts_ : std::vector<Part>{};
}

}  // namespace sterna::md

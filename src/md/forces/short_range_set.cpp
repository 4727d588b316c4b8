// Idea:    each short-range term sets the forces of all particles as if it were the only one. If
//          there are several, each but the first writes to arrays of its own, which replace the
//          store's during a call and are added at the end.
// Cost:    for each further term a list, a vector for each particle, and one more addition. A run
//          with one term has no extra cost.
// Hazards: if one term needs the forces of all ghosts returned and another those of the half shell,
//          the latter computes pairs across borders on both ranks.
// Others:  kernels that add forces would have to know which term is the first.

#include "md/forces/short_range_set.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <utility>

#include "md/neighbors/excluded_neighbors.hpp"

namespace sterna::md {

namespace {

std::vector<std::unique_ptr<ShortRangeForces>> by_range(
    std::vector<std::unique_ptr<ShortRangeForces>> terms) {
  if (terms.empty()) throw std::invalid_argument("a run has at least one short-range term");
  std::ranges::stable_sort(terms, std::greater(), [](const auto& term) { return term->range(); });
  return terms;
}

GhostForces ghost_forces_of_all(const std::vector<std::unique_ptr<ShortRangeForces>>& terms,
                                bool lists_full_shell) {
  const auto is = [](GhostForces kind) {
    return [kind](const auto& term) { return term->ghost_forces() == kind; };
  };
  if (std::ranges::any_of(terms, is(GhostForces::full_shell))) return GhostForces::full_shell;
  const bool half = std::ranges::all_of(terms, is(GhostForces::half_shell)) && !lists_full_shell;
  return half ? GhostForces::half_shell : GhostForces::none;
}

}  // namespace

class ShortRangeSet::OwnForces {
 public:
  OwnForces(ShortRangeSet& set, std::size_t k, ParticleStore& particles)
      : own_(k == 0 ? nullptr : &set.others_[k - 1]), particles_(particles) {
    exchange();
  }
  OwnForces(const OwnForces&) = delete;
  OwnForces& operator=(const OwnForces&) = delete;
  ~OwnForces() { exchange(); }

 private:
  void exchange() {
    if (own_ == nullptr) return;
    particles_.force.swap(own_->force);
    particles_.torque.swap(own_->torque);
  }
  Own* own_;
  ParticleStore& particles_;
};

ShortRangeSet::ShortRangeSet(std::vector<std::unique_ptr<ShortRangeForces>> terms,
                             const Options& options)
    : terms_(by_range(std::move(terms))),
      ghost_forces_(ghost_forces_of_all(terms_, options.lists_full_shell)),
      // Pairs of types can be left out only in rows of a single particle.
      list_(options.kernels, size() == 1 || options.lists_all_pairs ? terms_[0]->group() : 1,
            terms_[0]->reads_half_lists()) {
  for (int type = 0; type < options.type_count && !options.lists_all_pairs; ++type) {
    unlisted_.push_back(
        std::ranges::none_of(terms_, [&](const auto& term) { return term->needs_in_list(type); }));
  }
  if (std::ranges::count(unlisted_, 1) == 0) unlisted_.clear();
  std::vector<char> listed;
  for (const char unlisted : unlisted_) listed.push_back(unlisted == 0);
  list_.set_listed_types(std::move(listed));
  if (size() == 1) return;
  if (!options.lists_all_pairs) kept_ = pairs_of_types(0, options.type_count);
  for (std::size_t k = 1; k < size(); ++k) {
    others_.push_back(
        {PairList(list_, terms_[k]->range() + options.skin, terms_[k]->reads_half_lists()),
         pairs_of_types(k, options.type_count),
         {},
         {}});
  }
}

std::vector<char> ShortRangeSet::pairs_of_types(std::size_t k, int type_count) const {
  std::vector<char> kept;
  for (int a = 0; a < type_count; ++a) {
    for (int b = 0; b < type_count; ++b) kept.push_back(terms_[k]->acts_between(a, b));
  }
  return kept;
}

void ShortRangeSet::rebuild(ParticleStore& particles, const MoleculePlaces* places,
                            bool forget_positions) {
  list_.build(particles);
  if (!kept_.empty()) list_.keep_pairs_of_types(particles, kept_);
  for (Own& own : others_) {
    own.list.build_rows();
    own.list.keep_pairs_of_types(particles, own.kept);
    own.force.renew(particles.force.size());
    own.torque.renew(particles.torque.size());
  }
  if (forget_positions) list_.forget_positions();
  for (std::size_t k = 0; k < size(); ++k) {
    if (places != nullptr) exclude_neighbors(list_of(k), *places);
    const OwnForces own(*this, k, particles);
    terms_[k]->rebuild(list_of(k), particles);
  }
}

void ShortRangeSet::compute(std::size_t k, ParticleStore& particles, PairList::Cells cells,
                            EnergyAndVirial* sums) {
  const OwnForces own(*this, k, particles);
  terms_[k]->compute(list_of(k), particles, cells, sums);
}

void ShortRangeSet::compute_pass(std::size_t k, int pass, ParticleStore& particles,
                                 EnergyAndVirial* sums) {
  const OwnForces own(*this, k, particles);
  terms_[k]->compute_pass(pass, list_of(k), particles, sums);
}

CollectedForces ShortRangeSet::collected_forces(std::size_t k, ParticleStore& particles) {
  const OwnForces own(*this, k, particles);
  return terms_[k]->collected_forces(particles);
}

void ShortRangeSet::set_forces(std::size_t k, ParticleStore& particles, const Mover* move) {
  {
    const OwnForces own(*this, k, particles);
    terms_[k]->set_forces(list_of(k), particles, move);
  }
  const bool without_torques = particles.rotating() && !terms_[k]->sets_torques();
  if (k == 0) {
    if (without_torques) std::ranges::fill(particles.torque.span(), Vec3{});
    return;
  }
  const Own& own = others_[k - 1];
  for (std::size_t i = 0; i < particles.local_count(); ++i) particles.force[i] += own.force[i];
  if (!particles.rotating() || without_torques) return;
  for (std::size_t i = 0; i < particles.local_count(); ++i) particles.torque[i] += own.torque[i];
}

}  // namespace sterna::md

// How a simulation continues another one of the same program with changed settings.

#include <fmt/format.h>

#include <functional>
#include <set>
#include <string>
#include <utility>

#include "md/core/agreement.hpp"
#include "md/core/file_error.hpp"
#include "md/core/json.hpp"
#include "md/domain/migration.hpp"
#include "md/simulation/observers.hpp"
#include "md/simulation/simulation_implementation.hpp"
#include "sterna/comm/collective.hpp"
#include "sterna/comm/joined.hpp"

namespace sterna::md {

namespace {

/// The position in another box that has the same fractional coordinates.
Vec3 stretched(const Vec3& position, const Box& from, const Box& to) {
  const Shear shear = from.shear();
  double fraction[3];
  for (int axis = 0; axis < 3; ++axis) {
    fraction[axis] = (position[axis] - shear.offset(position, axis)) / from.length[axis];
  }
  return to.translation(fraction[0], fraction[1], fraction[2]);
}

}  // namespace

std::vector<RankData> Simulation::Implementation::rank_data_in_memory() const {
  RankData data;
  for (const auto& piece : rank_data_of_observers(sampling_.observers)) {
    data.emplace_back(piece.begin(), piece.end());
  }
  return {std::move(data)};
}

Json Simulation::Implementation::take_over(Implementation& previous,
                                           const std::optional<Box>& box) {
  const std::vector<std::string> names = system_.interaction.names();
  const std::vector<std::string> before = previous.system_.interaction.names();
  if (names != before) {
    throw FileError(
        fmt::format("a simulation keeps its types: they were {}, and are {} in the changed input",
                    comm::joined(before, ", "), comm::joined(names, ", ")));
  }
  previous.measure_now();
  // All ranks use the state of rank 0, as after reading a checkpoint.
  std::string text = json_text(previous.checkpoint_state().state);
  comm::broadcast(context_, 0, text);
  Json state = parse_json(text);
  files_.continuation.compare_with(previous.files_.continuation, box.has_value());

  clock_.step = clock_.first_step = previous.clock_.step;
  clock_.offset = input_.run.timestep == previous.input_.run.timestep
                      ? previous.clock_.offset
                      : previous.clock_.time() - clock_.time();
  system_.box = box.value_or(previous.system_.box);
  system_.particle_count = previous.system_.particle_count;
  make_balancer();
  const ParticleStore& theirs = previous.system_.particles;
  system_.particles.resize_local(theirs.local_count());
  for (std::size_t i = 0; i < theirs.local_count(); ++i) {
    ParticleRecord record = particle(theirs, i);
    if (box) {
      const Vec3 place = stretched(record.position.vector(), previous.system_.box, system_.box);
      record.position = {place.x, place.y, place.z, record.position.type};
    }
    set_particle(system_.particles, i, record);
  }
  system_.fields.copy_from(previous.system_.fields);
  Migration anywhere(context_, balancer_->decomposition(), 0.0,
                     {.anywhere = true,
                      .rotating = system_.particles.rotating(),
                      .only_some_rotate = system_.particles.only_some_rotate(),
                      .fields = &system_.fields});
  anywhere.migrate(system_.particles, clock_.step);
  balancer_->cut_at_start(system_.particles, clock_.step);
  if (input_.minimizes() != previous.dynamics_.minimizes()) stop_motion();
  start_.state_of_terms = state.value("terms", Json::object());
  return state;
}

}  // namespace sterna::md

#include "md/simulation/starting/start_loader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "md/core/agreement.hpp"
#include "md/domain/migration.hpp"
#include "md/simulation/signals.hpp"
#include "md/simulation/simulation.hpp"
#include "md/simulation/starting/distinct_ids.hpp"
#include "md/simulation/starting/start_configuration.hpp"
#include "md/simulation/starting/start_orientation.hpp"
#include "md/start/readers/box_frame.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {

void stop_start_if_asked(const comm::Context& context) {
  auto most = static_cast<std::int64_t>(requested());
  comm::ReductionBatch(context, "signals").max(most).run();
  if (static_cast<Request>(most) == Request::stop) throw StartInterrupted();
}

void StartLoader::load(const System* given) {
  if (request_.input.start.kind == StartKind::program) {
    const System::Particles* const particles = given == nullptr ? nullptr : given->particles();
    if (particles == nullptr) {
      throw std::logic_error("[start] has kind \"program\" without a System");
    }
    take(*particles);
  } else if (request_.input.start.kind == StartKind::file) {
    read_file();
  } else {
    generate();
  }
}

void StartLoader::generate() {
  const auto measured = request_.times.measure(StartTimes::reading);
  const StartConfiguration start = StartConfiguration::from_input(request_.input);
  request_.system.box = start.box();
  request_.system.particle_count = start.particle_count();
  decomposition_ = &request_.decompose();
  const Region region = decomposition_->region(request_.context.rank());
  // Making many particles takes long, and ranks do not communicate meanwhile, so each looks for a
  // request to stop.
  const auto visit = [&](const StartConfiguration::Visitor& visitor) {
    std::size_t visited = 0;
    try {
      start.visit(region, [&](const ParticleRecord& record) {
        if (++visited % 65536 == 0 && requested() == Request::stop) throw StartInterrupted();
        visitor(record);
      });
    } catch (const StartInterrupted&) {
      // The call below tells the other ranks.
    }
    stop_start_if_asked(request_.context);
  };
  std::size_t count = 0;
  visit([&](const ParticleRecord&) { ++count; });
  request_.system.particles.resize_local(count);
  std::size_t next = 0;
  visit([&](const ParticleRecord& record) {
    set_particle(request_.system.particles, next++, record);
  });
}

void StartLoader::take(const System::Particles& given) {
  const std::size_t count = given.position.size();
  agree(request_.context, what_is_wrong(given));
  std::vector<std::int64_t> counts(static_cast<std::size_t>(request_.context.size()), 0);
  const auto rank = static_cast<std::size_t>(request_.context.rank());
  counts[rank] = static_cast<std::int64_t>(count);
  comm::ReductionBatch(request_.context, "particles of a program")
      .sum(counts.data(), counts.size())
      .run();
  request_.system.particle_count = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  const auto before = counts.begin() + static_cast<std::ptrdiff_t>(rank);
  const std::int64_t first = 1 + std::accumulate(counts.begin(), before, std::int64_t{0});
  request_.system.box = {*request_.input.start.box, request_.input.start.tilt_of_box()};
  decomposition_ = &request_.decompose();

  const auto length = [&](const Vec3& v) {
    return v * request_.input.units.to_internal(1.0, Dimension::length);
  };
  std::vector<ParticleRecord> records(count);
  const StartOrientation orientation(request_.input.run.seed);
  for (std::size_t i = 0; i < count; ++i) {
    const Vec3 position = length(given.position[i]);
    ParticleRecord& record = records[i];
    const std::int64_t type = given.type.empty() ? 0 : given.type[i];
    record.position = {position.x, position.y, position.z, type};
    record.id = given.id.empty() ? first + static_cast<std::int64_t>(i) : given.id[i];
    record.image = {0, 0, 0};
    record.velocity = given.velocity.empty() ? Vec3{}
                                             : given.velocity[i] * request_.input.units.to_internal(
                                                                       1.0, Dimension::velocity);
    if (!request_.system.particles.rotating()) continue;
    if (!given.orientation.empty()) {
      record.orientation = given.orientation[i].normalized();
    } else if (!is_atom(type)) {
      record.orientation = orientation.draw(record.id);
    }
  }
  std::int64_t anybody_gives_ids = given.id.empty() ? 0 : 1;
  comm::ReductionBatch(request_.context, "particles of a program").max(anybody_gives_ids).run();
  if (anybody_gives_ids != 0) {
    const bool are_distinct = DistinctIds(request_.context).insert(records);
    agree(request_.context, are_distinct ? "" : "System: particles of two ranks have the same id");
  }
  Distribution distribution(request_.context, *decomposition_,
                            {.rotating = request_.system.particles.rotating(),
                             .only_some_rotate = request_.system.particles.only_some_rotate()});
  distribution.append(records, request_.system.particles);
}

std::string StartLoader::what_is_wrong(const System::Particles& given) const {
  const std::size_t count = given.position.size();
  const auto wrong = [count](std::string_view name, std::size_t size) {
    return fmt::format("System: {} has {} items, expected one for each of {} positions", name, size,
                       count);
  };
  if (!given.type.empty() && given.type.size() != count) return wrong("type", given.type.size());
  if (!given.velocity.empty() && given.velocity.size() != count) {
    return wrong("velocity", given.velocity.size());
  }
  if (!given.id.empty() && given.id.size() != count) return wrong("id", given.id.size());
  if (!given.orientation.empty() && given.orientation.size() != count) {
    return wrong("orientation", given.orientation.size());
  }
  const auto not_finite = [](std::string_view name, const std::vector<Vec3>& rows) {
    const auto row =
        std::ranges::find_if(rows, [](const Vec3& v) { return !std::isfinite(v.x + v.y + v.z); });
    return row == rows.end()
               ? std::string()
               : fmt::format("System: row {} of {} is not finite", row - rows.begin(), name);
  };
  if (std::string text = not_finite("position", given.position); !text.empty()) return text;
  if (std::string text = not_finite("velocity", given.velocity); !text.empty()) return text;
  const Vec3& edges = *request_.input.start.box;
  const double farthest = BoxFrame::farthest * std::min({edges.x, edges.y, edges.z}) /
                          request_.input.units.to_internal(1.0, Dimension::length);
  for (std::size_t i = 0; i < count; ++i) {
    const Vec3& p = given.position[i];
    if (std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}) <= farthest) continue;
    return fmt::format("System: row {} of position is more than {:g} boxes away", i,
                       BoxFrame::farthest);
  }
  for (std::size_t i = 0; i < given.orientation.size(); ++i) {
    const double norm = given.orientation[i].norm_squared();
    if (norm > 0.0 && std::isfinite(norm)) continue;
    return fmt::format("System: row {} of orientation is no quaternion of finite length above 0",
                       i);
  }
  const auto types = static_cast<int>(request_.system.masses.size());
  for (std::size_t i = 0; i < given.type.size(); ++i) {
    if (given.type[i] < 0 || given.type[i] >= types) {
      return fmt::format("System: particle {} has type {}, expected 0 to {}", i, given.type[i],
                         types - 1);
    }
  }
  std::unordered_set<std::int64_t> ids;
  for (const std::int64_t id : given.id) {
    if (id < 1 || id > largest_id) {
      return fmt::format("System: an id is {}, expected 1 to {}", id, largest_id);
    }
    if (!ids.insert(id).second) return fmt::format("System: two particles have the id {}", id);
  }
  return {};
}

}  // namespace sterna::md

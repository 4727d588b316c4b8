#include "md/simulation/starting/start_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "md/core/agreement.hpp"
#include "md/core/file_error.hpp"
#include "md/core/json.hpp"
#include "md/domain/migration.hpp"
#include "md/output/checkpoint_file.hpp"
#include "sterna/comm/collective.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {
namespace {

/// Records that a rank reads before it sends them to their owners.
constexpr std::uint64_t records_in_memory = 25000;

/// The records of a checkpoint that a rank reads, a part of them at a time.
class Share {
 public:
  Share(const comm::Context& context, const CheckpointStart& start) : start_(start) {
    if (!start.on_all_ranks && context.rank() != 0) return;
    file_.emplace(start.path, CheckpointFile::read_index(start.path));
    const auto readers = static_cast<std::uint64_t>(start.on_all_ranks ? context.size() : 1);
    const auto rank = static_cast<std::uint64_t>(context.rank());
    const auto total = static_cast<std::uint64_t>(file_->state().particles);
    next_ = rank * total / readers;
    end_ = (rank + 1) * total / readers;
  }

  /// Whether particles have orientations, and the layouts of their added fields, on all ranks.
  std::pair<bool, std::vector<AddedFieldLayout>> broadcast_kind(
      const comm::Context& context) const {
    Json kind = {{"rotating", file_ && file_->state().rotating}, {"fields", Json::array()}};
    if (file_) {
      for (const AddedFieldLayout& layout : file_->state().fields) {
        kind["fields"].push_back({{"name", layout.name}, {"components", layout.components}});
      }
    }
    std::string text = json_text(kind);
    comm::broadcast(context, 0, text);
    kind = parse_json(text);
    std::vector<AddedFieldLayout> layouts;
    for (const Json& one : kind["fields"]) {
      layouts.push_back({one["name"].get<std::string>(), one["components"].get<int>()});
    }
    return {kind["rotating"].get<bool>(), std::move(layouts)};
  }
  bool is_read() const { return next_ == end_; }

  /// Replaces these particles and fields by the next ones, which may be none.
  void read(ParticleStore& particles, AddedFields& fields) {
    particles.resize_local(0);
    fields.resize(0);
    if (is_read()) return;
    const std::uint64_t begin = next_;
    next_ = std::min(end_, begin + records_in_memory);
    file_->read(begin, next_, &particles, &fields);
    if (!start_.renumbered) return;
    for (std::size_t i = 0; i < particles.local_count(); ++i) {
      particles.id[i] = static_cast<std::int64_t>(begin + i) + 1;
    }
  }

 private:
  const CheckpointStart& start_;
  std::optional<CheckpointFile> file_;
  std::uint64_t next_ = 0, end_ = 0;
};

}  // namespace

void take_fields_of_checkpoint(const comm::Context& context, const CheckpointStart& start,
                               const Decomposition& decomposition, SimulatedSystem& system) {
  std::optional<Share> share;
  agree_after(context, [&] { share.emplace(context, start); });
  const auto [rotating, layouts] = share->broadcast_kind(context);
  if (layouts.empty()) return;
  const std::size_t count = system.particles.local_count();
  system.fields.restore(layouts);
  system.fields.resize(count);
  std::unordered_map<std::int64_t, std::size_t> place_of;
  for (std::size_t i = 0; i < count; ++i) place_of.emplace(system.particles.id[i], i);

  ParticleStore particles;
  particles.set_rotating(rotating);
  AddedFields fields;
  fields.restore(layouts);
  Migration to_owners(context, decomposition, 0.0,
                      {.anywhere = true, .rotating = rotating, .fields = &fields});
  std::vector<std::byte> numbers(fields.bytes());
  std::int64_t found = 0, unread = 1;
  while (unread > 0) {
    agree_after(context, [&] { share->read(particles, fields); });
    to_owners.migrate(particles, 0);
    for (std::size_t i = 0; i < particles.local_count(); ++i) {
      const auto place = place_of.find(particles.id[i]);
      if (place == place_of.end()) continue;
      fields.write(i, numbers.data());
      system.fields.read(place->second, numbers.data());
      ++found;
    }
    unread = share->is_read() ? 0 : 1;
    comm::ReductionBatch(context, "fields of the start").max(unread).run();
  }
  comm::ReductionBatch(context, "fields of the start").sum(found).run();
  if (found == system.particle_count) return;
  throw FileError(fmt::format("{}: the fields of {} of {} particles did not find their particle",
                              start.path, system.particle_count - found, system.particle_count));
}

}  // namespace sterna::md

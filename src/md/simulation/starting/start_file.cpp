// Reads the particles of a start file and brings them to the ranks that own them.
//
// Ranks read pieces of the file in parallel. In each round there are as many pieces as ranks, and
// their order is kept, so that particles arrive in the order of the file for any number of ranks.
// If the file has no pieces, or if a piece is invalid, rank 0 reads the whole file as a stream,
// which finds the mistake and its place.

#include <fmt/format.h>

#include <exception>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "md/core/agreement.hpp"
#include "md/core/json.hpp"
#include "md/domain/migration.hpp"
#include "md/simulation/starting/distinct_ids.hpp"
#include "md/simulation/starting/start_fields.hpp"
#include "md/simulation/starting/start_loader.hpp"
#include "md/simulation/starting/start_orientation.hpp"
#include "md/start/readers/start_file_reader.hpp"
#include "sterna/comm/collective.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {
namespace {

/// Records that rank 0 reads before it sends them to their owners; about 3 MB.
constexpr std::size_t records_per_chunk = 25000;

/// The properties of a file that all ranks need, as a text that is equal for equal files.
std::string facts_of(const StartFileReader& reader) {
  const StartFileHeader& h = reader.header();
  return json_text(Json{
      {"format", h.format},
      {"count", h.particle_count},
      {"box", {exact_text(h.box.length.x), exact_text(h.box.length.y), exact_text(h.box.length.z)}},
      {"tilt", {exact_text(h.box.tilt.xy), exact_text(h.box.tilt.xz), exact_text(h.box.tilt.yz)}},
      {"has_orientations", h.has_orientations},
      {"has_ids", h.has_ids},
      {"pieces", reader.piece_count()}});
}

}  // namespace

void StartLoader::read_file() {
  const auto measured = request_.times.measure(StartTimes::reading);
  std::unique_ptr<StartFileReader> reader;
  on_first_rank(request_.context, [&] { reader = StartFileReader::open(request_.input); });
  std::string text;
  if (request_.context.rank() == 0) {
    text = facts_of(*reader);
    for (const Diagnostic& warning : reader->header().warnings) {
      request_.warn(render(warning));
    }
  }
  comm::broadcast(request_.context, 0, text);
  const Json facts = parse_json(text);
  request_.system.particle_count = facts["count"].get<std::int64_t>();
  for (int axis = 0; axis < 3; ++axis) {
    request_.system.box.length[axis] = exact_value(facts["box"][static_cast<std::size_t>(axis)]);
  }
  const auto& tilt = facts["tilt"];
  request_.system.box.tilt = {exact_value(tilt[0]), exact_value(tilt[1]), exact_value(tilt[2])};
  decomposition_ = &request_.decompose();
  // A rank gets about its share. Reserved memory that it does not use is never touched.
  const auto share =
      static_cast<std::size_t>(request_.system.particle_count / request_.context.size());
  request_.system.particles.reserve_local(share + share / 8);
  const bool on_all_ranks = read_pieces(reader, text);
  if (!on_all_ranks) read_stream();
  if (facts["format"] == "checkpoint") {
    const auto folder = std::filesystem::path(request_.input.path).parent_path();
    take_fields_of_checkpoint(request_.context,
                              {.path = (folder / request_.input.start.file).string(),
                               .on_all_ranks = on_all_ranks,
                               .renumbered = !facts["has_ids"].get<bool>()},
                              *decomposition_, request_.system);
  }
  if (request_.system.particles.rotating() && !facts["has_orientations"].get<bool>()) {
    const StartOrientation orientation(request_.input.run.seed);
    ParticleStore& particles = request_.system.particles;
    for (std::size_t i = 0; i < particles.local_count(); ++i) {
      if (is_atom(particles.position[i].type)) continue;
      particles.orientation[i] = orientation.draw(particles.id[i]);
    }
  }
}

bool StartLoader::read_pieces(std::unique_ptr<StartFileReader>& reader, const std::string& facts) {
  const auto known = parse_json(facts);
  const auto pieces = known["pieces"].get<std::int64_t>();
  if (pieces == 0) return false;
  // Another node may lack the file, or have a different file of this name.
  std::int64_t strangers = 0;
  if (request_.context.rank() != 0) {
    try {
      reader = StartFileReader::open(request_.input);
      strangers = facts_of(*reader) == facts ? 0 : 1;
    } catch (const std::exception&) {
      strangers = 1;
    }
  }
  comm::ReductionBatch(request_.context, "start file").sum(strangers).run();
  if (strangers > 0) return false;

  Distribution distribution(request_.context, *decomposition_,
                            {.rotating = request_.system.particles.rotating(),
                             .only_some_rotate = request_.system.particles.only_some_rotate()});
  const bool has_ids = known["has_ids"].get<bool>();
  std::optional<DistinctIds> distinct;
  if (has_ids) distinct.emplace(request_.context);
  std::int64_t done = 0;
  bool is_well = true;
  for (std::int64_t first = 0; first < pieces; first += request_.context.size()) {
    const std::int64_t piece = first + request_.context.rank();
    std::span<ParticleRecord> records;
    std::int64_t failed = 0;
    try {
      if (piece < pieces) records = reader->read_piece(piece);
    } catch (const std::exception&) {
      failed = 1;
    }
    auto count = static_cast<std::int64_t>(records.size());
    const std::int64_t before = done + comm::exclusive_sum(request_.context, count);
    if (distinct && !distinct->insert(records)) failed = 1;
    comm::ReductionBatch(request_.context, "start file").sum(count).sum(failed).run();
    done += count;
    is_well = failed == 0 && done <= request_.system.particle_count;
    if (!is_well) break;
    if (!has_ids) {
      for (ParticleRecord& record : records) record.id += before;
    }
    const auto dealing = request_.times.measure(StartTimes::distributing);
    distribution.append(records, request_.system.particles);
    stop_start_if_asked(request_.context);
  }
  if (is_well && done == request_.system.particle_count) return true;
  request_.system.particles.resize_local(0);
  return false;
}

void StartLoader::read_stream() {
  std::unique_ptr<StartFileReader> reader;
  on_first_rank(request_.context, [&] { reader = StartFileReader::open(request_.input); });
  Distribution distribution(request_.context, *decomposition_,
                            {.rotating = request_.system.particles.rotating(),
                             .only_some_rotate = request_.system.particles.only_some_rotate()});
  const auto total = static_cast<std::size_t>(request_.system.particle_count);
  for (std::size_t done = 0; done < total; done += records_per_chunk) {
    std::span<const ParticleRecord> records;
    on_first_rank(request_.context, [&] { records = reader->read_chunk(records_per_chunk); });
    const auto dealing = request_.times.measure(StartTimes::distributing);
    distribution.append(records, request_.system.particles);
    stop_start_if_asked(request_.context);
  }
}

}  // namespace sterna::md

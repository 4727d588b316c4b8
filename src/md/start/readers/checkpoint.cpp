// Reads a checkpoint of Sterna as the start of another run: box, positions, images, velocities,
// orientations and angular momenta with all their bits. The state of the run that wrote it (steps,
// averages, thermostats) is ignored. Added fields are read by `simulation/starting/start_fields`.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "md/core/file_error.hpp"
#include "md/output/checkpoint_file.hpp"
#include "md/start/readers/box_frame.hpp"
#include "md/start/readers/formats.hpp"
#include "md/start/readers/id_set.hpp"
#include "md/start/readers/reader_table.hpp"
#include "md/start/readers/type_names.hpp"

namespace sterna::md {
namespace {

/// A file is divided into `pieces_of_checkpoint` pieces of at least this many records.
constexpr std::uint64_t least_checkpoint_records = 256, pieces_of_checkpoint = 64,
                        bytes_of_checkpoint_record = 128;

class CheckpointStartReader final : public StartFileReader {
 public:
  CheckpointStartReader(std::shared_ptr<const FileHandle> file, const StartFileOptions& options)
      : place_(file), file_(open(file->path())) {
    const CheckpointState& state = file_.state();
    require_same_units(options);
    const TypeNames types(options.type_names, options.type_section);
    for (const std::string& name : state.types) type_of_.push_back(types.find(place_, name, {}));
    // The file's numbers are in internal units, whatever the input's units are.
    StartFileOptions internal = options;
    internal.units = *UnitSystem::by_name(options.units.is_reduced() ? "reduced" : "nano");
    header_.box = BoxFrame::of_file(place_, internal, state.box, {}).box();
    header_.particle_count = state.particles;
    header_.has_velocities = header_.has_ids = true;
    header_.has_orientations = header_.has_angular_momenta = state.rotating;
    particles_.set_rotating(state.rotating);
    const auto count = static_cast<std::uint64_t>(state.particles);
    records_of_piece_ = std::clamp<std::uint64_t>(
        count / pieces_of_checkpoint, least_checkpoint_records,
        std::max<std::uint64_t>(options.piece_bytes / bytes_of_checkpoint_record,
                                least_checkpoint_records));
    if (options.has_molecules_that_turn && !state.rotating) {
      place_.fail(
          "the checkpoint is of particles without orientations, and the input has molecules "
          "that turn");
    }
  }

  std::int64_t piece_count() const override {
    const auto records = static_cast<std::int64_t>(records_of_piece_);
    return (header_.particle_count + records - 1) / records;
  }

 private:
  /// Turns an error of the checkpoint file into an error of the start file.
  template <class Read>
  auto read_by(const Read& read) const {
    try {
      return read();
    } catch (const FileError& error) {
      place_.fail(error.what());
    }
  }

  CheckpointFile open(const std::string& path) const {
    return read_by([&] { return CheckpointFile(path, CheckpointFile::read_index(path)); });
  }

  void require_same_units(const StartFileOptions& options) const {
    const Json& state = file_.state().state;
    // Checkpoints of versions up to 0.1 do not record their units.
    if (!state.contains("input")) return;
    const std::string named = state["input"]["keys"].value("units", "\"reduced\"");
    const bool reduced = named == "\"reduced\"";
    if (reduced == options.units.is_reduced()) return;
    place_.fail(reduced ? "the checkpoint is of a run in reduced units, the input is not"
                        : "the checkpoint is of a run in real units, the input in reduced ones");
  }

  void read_records(std::uint64_t first) {
    begin_ = first;
    const auto count = static_cast<std::uint64_t>(header_.particle_count);
    const std::uint64_t end = std::min(first + records_of_piece_, count);
    read_by([&] { file_.read(first, end, &particles_); });
  }

  ParticleRecord record(std::size_t row) const {
    ParticleRecord found = particle(particles_, row);
    const auto type = static_cast<std::size_t>(found.position.type);
    if (found.position.type < 0 || type >= type_of_.size()) {
      place_.fail(
          fmt::format("particle {} has a type that the checkpoint does not name", found.id));
    }
    if (found.id < 0 || found.id > largest_id) {
      place_.fail(fmt::format("a particle has {}, which is no id", found.id));
    }
    found.position.type = type_of_[type];
    return found;
  }

  ParticleRecord next_particle() override {
    if (read_ == begin_ + particles_.local_count()) read_records(read_);
    const ParticleRecord found = record(static_cast<std::size_t>(read_++ - begin_));
    if (!ids_seen_.insert(found.id)) {
      place_.fail(fmt::format("two particles have the id {}", found.id));
    }
    return found;
  }

  void append_piece(std::int64_t piece, std::vector<ParticleRecord>& records) override {
    read_records(static_cast<std::uint64_t>(piece) * records_of_piece_);
    for (std::size_t row = 0; row < particles_.local_count(); ++row) {
      records.push_back(record(row));
    }
  }

  void check_end() override {}

  LineReader place_;  ///< for messages; no line is read
  CheckpointFile file_;
  std::vector<std::int64_t> type_of_;  ///< index in the input, by type of the file
  ParticleStore particles_;            ///< the piece that is in memory
  IdSet ids_seen_;
  std::uint64_t records_of_piece_ = 1;
  std::uint64_t begin_ = 0, read_ = 0;
};

bool recognizes_checkpoint(std::string_view first, std::string_view) {
  return first.starts_with("SternaC");
}

}  // namespace

StartReaderRow start_reader::checkpoint() {
  return {.name = "checkpoint",
          .sentence = "a checkpoint of another run, or of an earlier stage, of Sterna",
          .looks_like = "a checkpoint of Sterna",
          .aliases = {"restart"},
          .keys = {},
          .recognizes = recognizes_checkpoint,
          .open = open_reader<CheckpointStartReader>};
}

}  // namespace sterna::md

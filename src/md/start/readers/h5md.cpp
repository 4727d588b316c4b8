// Reads a frame of a trajectory that Sterna wrote (H5MD, HDF5): position, id, species by their
// names and, if the file has them, image, velocity, orientation and angular_momentum.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "md/core/display_text.hpp"
#include "md/core/file_error.hpp"
#include "md/output/hdf5_file.hpp"
#include "md/start/readers/box_frame.hpp"
#include "md/start/readers/formats.hpp"
#include "md/start/readers/id_set.hpp"
#include "md/start/readers/reader_table.hpp"
#include "md/start/readers/type_names.hpp"

namespace sterna::md {
namespace {

using hdf5::Size;

const std::string group = "particles/trajectory/";
/// Approximate number of bytes of a row in memory.
constexpr Size bytes_of_row = 64;
/// The usual number of pieces of a frame, the least rows of a piece unless bytes limit it, and the
/// most.
constexpr Size usual_pieces = 64, usual_least_rows = 256, most_rows = Size{1} << 20U;
constexpr double most_images = BoxFrame::farthest;

/// Keys of [start] for a trajectory.
struct H5mdStartOptions {
  std::int64_t frame = -1;
};

/// Some rows of a dataset of the frame, in memory.
struct H5mdColumn {
  std::string dataset;
  std::size_t width;
  std::vector<double> rows = {};

  Vec3 vector(std::size_t row) const {
    return {rows[3 * row], rows[3 * row + 1], rows[3 * row + 2]};
  }
};

class H5mdReader final : public StartFileReader {
 public:
  H5mdReader(std::shared_ptr<const FileHandle> file, const StartFileOptions& options)
      : place_(file),
        file_(open(file->path())),
        types_(options.type_names, options.type_section),
        position_{group + "position/value", 3} {
    if (!has(position_.dataset) || !has(group + "box/edges/value")) {
      place_.fail(
          fmt::format("expected a trajectory of Sterna, with {} and {}box/edges/value in it",
                      position_.dataset, group));
    }
    check_units(options);
    find_frame(options.of_formats.of<H5mdStartOptions>().frame);
    read_box(options);
    read_names();
    for (auto& [name, column, width] : {Optional{"velocity", &velocity_, 3},
                                        {"image", &image_, 3},
                                        {"orientation", &orientation_, 4},
                                        {"angular_momentum", &angular_momentum_, 3}}) {
      const std::string dataset = group + name + "/value";
      if (!has(dataset)) continue;
      check_shape(dataset, width);
      column->emplace(H5mdColumn{dataset, width});
    }
    header_.has_velocities = velocity_.has_value();
    header_.has_orientations = orientation_.has_value();
    header_.has_angular_momenta = angular_momentum_.has_value();
    header_.has_ids = true;
    cut_into_pieces(options.piece_bytes);
    check_masses(options);
    if (options.has_molecules_that_turn && !orientation_) {
      header_.warnings.push_back(place_.diagnostic(
          {},
          "the trajectory has no orientations, so that molecules are turned at random; expected "
          "that of a run with \"orientation\" in trajectory_fields",
          Severity::warning));
    }
  }

  std::int64_t piece_count() const override {
    const auto rows = static_cast<std::int64_t>(rows_of_piece_);
    return (header_.particle_count + rows - 1) / rows;
  }

 private:
  struct Optional {
    const char* name;
    std::optional<H5mdColumn>* column;
    std::size_t width;
  };

  hdf5::File open(const std::string& path) const {
    try {
      return hdf5::File::open_to_read(path);
    } catch (const FileError& error) {
      place_.fail(fmt::format("this HDF5 file cannot be read: {}", error.what()));
    }
  }

  /// Turns an error of HDF5 into an error of the start file.
  template <class Read>
  auto read_by(const Read& read) const {
    try {
      return read();
    } catch (const FileError& error) {
      place_.fail(fmt::format("the file is damaged: {}", error.what()));
    }
  }

  bool has(const std::string& name) const {
    return read_by([&] { return file_.exists(name); });
  }

  /// Warns if particles have another mass than their type in the input. Checks the first particles
  /// until each type was found, at most `most_rows`.
  void check_masses(const StartFileOptions& options) {
    const std::string dataset = group + "mass";
    if (options.type_masses.size() != options.type_names.size() || !has(dataset)) return;
    const auto count = static_cast<Size>(header_.particle_count);
    if (read_by([&] { return file_.extent(dataset); }) != std::vector<Size>{count}) return;
    std::vector<bool> seen(type_of_.size(), false);
    constexpr Size rows_at_once = 4096;
    for (Size begin = 0; begin < std::min(count, most_rows); begin += rows_at_once) {
      if (std::ranges::find(seen, false) == seen.end()) return;
      const std::array<Size, 1> first{begin}, rows{std::min(rows_at_once, count - begin)};
      const auto masses = read_by([&] { return file_.read(dataset, first, rows); });
      const auto species =
          read_by([&] { return file_.read_integers(group + "species", first, rows); });
      for (std::size_t row = 0; row < masses.size(); ++row) {
        const auto kind = static_cast<std::size_t>(species[row]);
        if (species[row] < 0 || kind >= seen.size() || seen[kind]) continue;
        seen[kind] = true;
        const auto type = static_cast<std::size_t>(type_of_[kind]);
        const double input = options.type_masses[type];
        if (std::abs(masses[row] - input) <= 1e-4 * input) continue;
        header_.warnings.push_back(place_.diagnostic(
            {},
            fmt::format("particles of {} have a mass of {:.6g} in the trajectory, but {:.6g} in "
                        "the input, which holds",
                        quote(options.type_names[type]), masses[row], input),
            Severity::warning));
      }
    }
  }

  void cut_into_pieces(std::uint64_t most_bytes) {
    const auto count = static_cast<Size>(header_.particle_count);
    rows_of_piece_ = std::min(std::max(count / usual_pieces, usual_least_rows),
                              std::max<Size>(most_bytes / bytes_of_row, 1));
    // A compressed chunk is unpacked as a whole, so it is a piece.
    const std::vector<Size> chunk =
        read_by([&] { return file_.compressed_chunk(position_.dataset); });
    if (chunk.size() == 3) rows_of_piece_ = std::clamp<Size>(chunk[1], 1, most_rows);
  }

  void check_units(const StartFileOptions& options) const {
    const bool reduced = !read_by([&] { return file_.has_attribute(position_.dataset, "unit"); });
    if (reduced == options.units.is_reduced()) return;
    place_.fail(reduced ? "the trajectory is in reduced units, the input is not"
                        : "the trajectory is in nm and ps, the input in reduced units");
  }

  void check_shape(const std::string& dataset, std::size_t width) const {
    const std::vector<Size> extent = read_by([&] { return file_.extent(dataset); });
    if (extent.size() != 3 || extent[0] <= frame_ || extent[2] != width ||
        extent[1] != static_cast<Size>(header_.particle_count)) {
      place_.fail(
          fmt::format("{} has the shape {}, expected more than {} frames of {} particles "
                      "with {} numbers",
                      dataset, shape_text(extent), frame_, header_.particle_count, width));
    }
  }

  static std::string shape_text(const std::vector<Size>& extent) {
    std::string text;
    for (const Size size : extent) text += fmt::format("{}{}", text.empty() ? "" : " x ", size);
    return text;
  }

  /// Finds the frame; negative numbers count from the end.
  void find_frame(std::int64_t wanted) {
    const std::vector<Size> extent = read_by([&] { return file_.extent(position_.dataset); });
    if (extent.size() != 3 || extent[1] == 0 || extent[1] > static_cast<Size>(most_particles)) {
      place_.fail(fmt::format("{} has the shape {}, expected frames x particles x 3",
                              position_.dataset, shape_text(extent)));
    }
    const auto frames = static_cast<std::int64_t>(extent[0]);
    if (frames == 0) place_.fail("the trajectory has no frame");
    const std::int64_t frame = wanted < 0 ? frames + wanted : wanted;
    if (frame < 0 || frame >= frames) {
      place_.fail(
          fmt::format("the trajectory has {} frame{}, and `frame` in [start] is {}; expected "
                      "{} to {}, or -1 for the last",
                      frames, frames == 1 ? "" : "s", wanted, 0, frames - 1));
    }
    frame_ = static_cast<Size>(frame);
    header_.particle_count = static_cast<std::int64_t>(extent[1]);
    check_shape(position_.dataset, 3);
  }

  void read_box(const StartFileOptions& options) {
    const std::string dataset = group + "box/edges/value";
    const std::vector<Size> extent = read_by([&] { return file_.extent(dataset); });
    const bool is_matrix = extent.size() == 3;
    if (extent.size() < 2 || extent[0] <= frame_ || extent[1] != 3 ||
        (is_matrix && extent[2] != 3) || extent.size() > 3) {
      place_.fail(
          fmt::format("{} has the shape {}, expected more than {} frames of 3 or 3 x 3 "
                      "numbers",
                      dataset, shape_text(extent), frame_));
    }
    const std::array<Size, 3> first{frame_, 0, 0}, count{1, 3, 3};
    const std::size_t axes = extent.size();
    const std::vector<double> e = read_by([&] {
      return file_.read(dataset, std::span(first).first(axes), std::span(count).first(axes));
    });
    // The file's numbers are in internal units, whatever the input's units are.
    StartFileOptions internal = options;
    internal.units = *UnitSystem::by_name(options.units.is_reduced() ? "reduced" : "nano");
    frame_of_box_ =
        is_matrix
            ? BoxFrame::of_edges(
                  place_, internal,
                  {Vec3{e[0], e[1], e[2]}, Vec3{e[3], e[4], e[5]}, Vec3{e[6], e[7], e[8]}}, {})
            : BoxFrame::of_file(place_, internal, {{e[0], e[1], e[2]}, {}}, {});
    header_.box = frame_of_box_.box();
  }

  /// Finds the input's types of the file's species.
  void read_names() {
    const std::string dataset = group + "species";
    if (!has(dataset)) place_.fail(fmt::format("expected {} in it", dataset));
    const std::vector<std::string> names = read_by([&] { return file_.value_names(dataset); });
    if (names.empty()) place_.fail(fmt::format("{} has no names of its values", dataset));
    for (const std::string& name : names) type_of_.push_back(types_.find(place_, name, {}));
  }

  void read_rows(Size first_row, Size most) {
    rows_ = std::min(most, static_cast<Size>(header_.particle_count) - first_row);
    begin_ = first_row;
    const auto fill = [&](H5mdColumn& column) {
      const std::array<Size, 3> first{frame_, first_row, 0}, count{1, rows_, column.width};
      column.rows = file_.read(column.dataset, first, count);
    };
    read_by([&] {
      fill(position_);
      for (auto* column : {&velocity_, &image_, &orientation_, &angular_momentum_}) {
        if (column->has_value()) fill(**column);
      }
      const std::array<Size, 1> first{first_row}, count{rows_};
      species_ = file_.read_integers(group + "species", first, count);
      ids_ = file_.read_integers(group + "id", first, count);
    });
  }

  ParticleRecord next_particle() override {
    if (static_cast<Size>(read_) == begin_ + rows_) read_rows(begin_ + rows_, rows_of_piece_);
    const ParticleRecord record = particle_of_row(static_cast<std::size_t>(read_++) - begin_);
    if (header_.has_ids && !ids_seen_.insert(record.id)) fail_id(record.id, read_ - 1);
    return record;
  }

  void append_piece(std::int64_t piece, std::vector<ParticleRecord>& records) override {
    read_rows(static_cast<Size>(piece) * rows_of_piece_, rows_of_piece_);
    for (std::size_t row = 0; row < rows_; ++row) records.push_back(particle_of_row(row));
  }

  [[noreturn]] void fail_id(std::int64_t id, std::int64_t row) const {
    place_.fail(fmt::format("row {} of {}id has {}, which is no id or that of an earlier row", row,
                            group, id));
  }

  /// `row`: an index among the rows in memory.
  ParticleRecord particle_of_row(std::size_t row) const {
    const auto number = static_cast<std::int64_t>(begin_ + row);
    ParticleRecord record{};
    record.id = ids_[row];
    if (record.id < 0 || record.id > largest_id) fail_id(record.id, number);
    const std::int64_t species = species_[row];
    if (species < 0 || species >= static_cast<std::int64_t>(type_of_.size())) {
      place_.fail(
          fmt::format("row {} of {}species has {}, which has no name", number, group, species));
    }
    record.position.type = type_of_[static_cast<std::size_t>(species)];
    if (velocity_) record.velocity = finite(*velocity_, row);
    if (angular_momentum_) record.angular_momentum = finite(*angular_momentum_, row);
    if (orientation_) {
      const double* q = orientation_->rows.data() + 4 * row;
      const Quaternion turn{q[0], q[1], q[2], q[3]};
      if (!(std::abs(turn.norm_squared() - 1.0) < 0.01)) {
        place_.fail(
            fmt::format("row {} of {} is no unit quaternion", number, orientation_->dataset));
      }
      record.orientation = turn.normalized();
    }
    if (image_) {
      const Vec3 image = finite(*image_, row);
      for (int axis = 0; axis < 3; ++axis) {
        if (!(std::abs(image[axis]) <= most_images)) {
          place_.fail(fmt::format("row {} of {} is more than {:g} boxes away", number,
                                  image_->dataset, most_images));
        }
      }
      record.image = {static_cast<std::int32_t>(image.x), static_cast<std::int32_t>(image.y),
                      static_cast<std::int32_t>(image.z)};
    }
    frame_of_box_.place(place_, finite(position_, row), record);
    frame_of_box_.turn(record);
    return record;
  }

  Vec3 finite(const H5mdColumn& column, std::size_t row) const {
    const Vec3 v = column.vector(row);
    if (!std::isfinite(v.x + v.y + v.z)) {
      place_.fail(fmt::format("row {} of {} has a number that is not finite", begin_ + row,
                              column.dataset));
    }
    return v;
  }

  void check_end() override {}

  LineReader place_;  ///< for messages; no line is read
  hdf5::File file_;
  TypeNames types_;
  H5mdColumn position_;
  std::optional<H5mdColumn> velocity_, image_, orientation_, angular_momentum_;
  std::vector<std::int64_t> species_, ids_;
  std::vector<std::int64_t> type_of_;  ///< index in the input, by species
  BoxFrame frame_of_box_;
  IdSet ids_seen_;
  Size frame_ = 0;
  Size rows_of_piece_ = 1;
  Size begin_ = 0, rows_ = 0;  ///< rows of the frame that are in memory
  std::int64_t read_ = 0;
};

template <auto Member>
Target h5md_option(Input& input, std::size_t) {
  return &(input.sections.of<H5mdStartOptions>().*Member);
}

bool recognizes_h5md(std::string_view first, std::string_view) {
  return first == "\x89HDF";
}

}  // namespace

StartReaderRow start_reader::h5md() {
  return {.name = "h5md",
          .sentence = "a frame of a trajectory that Sterna wrote (H5MD)",
          .looks_like = "H5MD of Sterna",
          .aliases = {"hdf5", "trajectory"},
          .keys = {{.name = "frame",
                    .target = h5md_option<&H5mdStartOptions::frame>,
                    .description = "Which frame of the trajectory, from 0; negative numbers count "
                                   "from the end, so that -1 is the last."}},
          .recognizes = recognizes_h5md,
          .open = open_reader<H5mdReader>};
}

}  // namespace sterna::md

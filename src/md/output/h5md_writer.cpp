#include "md/output/h5md_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "md/core/agreement.hpp"
#include "md/core/file_error.hpp"
#include "md/output/atomic_file.hpp"
#include "md/output/h5md_field.hpp"
#include "md/output/hdf5_file.hpp"
#include "md/system/chemical_bonds.hpp"
#include "md/system/particle_fields.hpp"
#include "sterna/comm/collective.hpp"
#include "sterna/comm/joined.hpp"

namespace sterna::md {
namespace {

using hdf5::Size;
using hdf5::Type;

// MDAnalysis finds a trajectory without a topology only in a group of this name.
const std::string group = "particles/trajectory";
/// What each particle has once in a file.
constexpr std::array<std::string_view, 5> names_of_constants{"species", "id", "mass", "atom_name",
                                                             "molecule"};
/// Rows per chunk of the small datasets (step, time, edges, observables).
constexpr Size small_chunk_rows = 256;
/// Bytes reserved for metadata that the HDF5 library writes with a frame.
constexpr std::uint64_t room_for_metadata = 512 * 1024;

}  // namespace

class H5mdWriter::Implementation {
 public:
  Implementation(const comm::Context& context, std::string path, std::int64_t particles,
                 const H5mdOptions& options)
      : context_(context),
        path_(std::move(path)),
        particles_(particles),
        options_(options),
        values_(options.type_masses, options.topology, options.rounding) {
    check_options();
    // The HDF5 library compresses, and only rank 0 calls it.
    if (options_.compressed) options_.redistribution.owners = 1;
    const Type real = options.single_precision ? Type::float32 : Type::float64;
    for (const std::string& name : options.fields) {
      fields_.push_back(h5md_field(name, group + "/" + name + "/value", real, true));
    }
    constants_ = {h5md_field("type", group + "/species", real, false),
                  h5md_field("id", group + "/id", real, false),
                  {H5mdQuantity::mass, "", group + "/mass", Type::float64, 1, false}};
    if (options.topology != nullptr) {
      constants_.push_back(
          {H5mdQuantity::atom_name, "", group + "/atom_name", Type::int32, 1, false});
      constants_.push_back(
          {H5mdQuantity::molecule, "", group + "/molecule", Type::int64, 1, false});
    }
    const std::size_t field_bytes = lay_out(fields_);
    const std::size_t constant_bytes = lay_out(constants_);
    // Constants are written only with the first frame, so their exchange is temporary.
    constant_item_bytes_ = constant_bytes;
    redistribution_.emplace(context_, particles_, field_bytes, options_.redistribution);
  }

  void create() {
    on_first_rank(context_, [&] { make_file(); });
    open_for_all();
  }

  void resume(std::int64_t last_step) {
    std::string frames;
    on_first_rank(context_, [&] {
      const bool is_new = !file_exists(path_);
      if (is_new) make_file();
      frames = std::to_string(keep_frames_until(last_step));
      if (is_new) kept_.reset();
    });
    comm::broadcast(context_, 0, frames);
    frames_ = static_cast<Size>(std::stoull(frames));
    open_for_all();
  }

  void write_frame(std::int64_t step, double time, const Box& box, const ParticleStore& store,
                   std::span<const double> observables, const AddedFields* added) {
    for_each_field([&](const auto& field) {
      const bool wanted =
          std::ranges::find(fields_, field.name, &H5mdField::field) != fields_.end();
      if (!wanted || is_kept(field.kept, store.kind())) return;
      throw FileError(path_ +
                      ": orientations or angular momenta were asked for, but no particle rotates");
    });
    lay_out_added(added);
    try {
      on_first_rank(context_, [&] { reserve_room(); });
      if (id_order_ == nullptr) {
        id_order_ = redistribution_->order(store.id.span().first(store.local_count()));
      }
      if (!added_.empty()) write_added(step, time, *added, store);
      if (frames_ == 0) write_constants(box, store);
      write_fields(
          fields_, *redistribution_, store,
          [&](const H5mdField& field, auto particles, std::byte* place, std::size_t stride) {
            values_.put(field, box, store, particles, place, stride);
          },
          [&] { append_rows(step, time, box, observables); });
    } catch (...) {
      take_frame_back();
      id_order_.reset();
      throw;
    }
    ++frames_;
    for (H5mdField& field : added_) ++field.frames;
  }

  void sync() {
    agree_after(context_, [&] { raw_.sync(); });
  }

  Size frames() const { return frames_; }
  const std::optional<KeptSteps>& kept_steps() const { return kept_; }

 private:
  void check_options() const {
    // All ranks have the same options, so all of them throw.
    if (options_.fields.empty()) {
      throw FileError(path_ + ": a trajectory needs at least one field: " +
                      comm::joined(trajectory_field_names(), ", "));
    }
    for (auto name = options_.fields.begin(); name != options_.fields.end(); ++name) {
      const auto known = trajectory_field_names();
      if (std::ranges::find(known, *name) == known.end()) {
        throw FileError(fmt::format("{}: there is no field \"{}\"; fields are {}", path_, *name,
                                    comm::joined(trajectory_field_names(), ", ")));
      }
      if (std::find(options_.fields.begin(), name, *name) != name) {
        throw FileError(fmt::format("{}: the field \"{}\" is named twice", path_, *name));
      }
    }
    if (options_.type_names.size() != options_.type_masses.size()) {
      throw FileError(fmt::format("{}: {} names of types, but {} masses", path_,
                                  options_.type_names.size(), options_.type_masses.size()));
    }
    if (particles_ < 1) throw FileError(path_ + ": a trajectory needs at least one particle");
  }

  /// Sets offsets in the item and chunks; returns the size of an item.
  std::size_t lay_out(std::vector<H5mdField>& fields) const {
    std::size_t bytes = 0;
    const auto rows = static_cast<Size>(particles_);
    const auto granularity = static_cast<Size>(options_.redistribution.granularity);
    for (H5mdField& field : fields) {
      field.item_offset = bytes;
      bytes += field.row_bytes();
      Size most = std::max<Size>(1, options_.maximum_chunk_bytes / field.row_bytes());
      // To be compressed, a piece of rows that is written at once must be one chunk.
      if (options_.compressed && field.per_frame) {
        most = static_cast<Size>(options_.redistribution.piece_slots);
      }
      field.chunks = (rows + most - 1) / most;
      field.chunk_rows = (rows + field.chunks - 1) / field.chunks;
      if (field.chunks > 1) {
        field.chunk_rows = (field.chunk_rows + granularity - 1) / granularity * granularity;
        field.chunks = (rows + field.chunk_rows - 1) / field.chunk_rows;
      }
    }
    return bytes;
  }

  /// Sets what the datasets of the added fields are like, where these are others than in the frame
  /// before. The datasets are not yet made.
  void lay_out_added(const AddedFields* added) {
    std::vector<AddedFieldLayout> layouts;
    if (added != nullptr) layouts = added->layouts();
    if (layouts == layouts_) return;
    layouts_ = std::move(layouts);
    added_.clear();
    added_are_open_ = false;
    const Type real = options_.single_precision ? Type::float32 : Type::float64;
    for (const AddedFieldLayout& layout : layouts_) {
      added_.push_back(h5md_field(layout, element_of(layout.name) + "/value", real));
    }
    const std::size_t bytes = lay_out(added_);
    if (bytes == 0) return;
    redistribution_of_added_.emplace(context_, particles_, bytes, options_.redistribution);
  }

  /// On rank 0: makes the elements of the added fields, or finds them in a file that is continued.
  /// Frames from `step` on are dropped.
  void open_added(std::int64_t step) {
    hdf5::File file = hdf5::File::open(path_);
    for (std::size_t n = 0; n < added_.size(); ++n) {
      H5mdField& field = added_[n];
      const std::string element = element_of(layouts_[n].name);
      if (file.exists(element)) {
        check_same_shape(file, field);
        const std::vector<std::int64_t> steps = file.read_integers(element + "/step");
        const auto later = std::ranges::lower_bound(steps, step);
        field.frames = static_cast<Size>(later - steps.begin());
        continue;
      }
      file.make_group(element);
      make_small(file, element + "/step", Type::int64, {});
      make_small(file, element + "/time", Type::float64, {});
      if (!options_.reduced_units) {
        file.set_attribute(element + "/time", "unit", std::string("ps"));
      }
      make_per_frame(file, field);
    }
    file.close();
    added_are_open_ = true;
  }

  void write_added(std::int64_t step, double time, const AddedFields& added,
                   const ParticleStore& store) {
    on_first_rank(context_, [&] {
      if (!added_are_open_) open_added(step);
    });
    write_fields(
        added_, *redistribution_of_added_, store,
        [&](const H5mdField& field, auto particles, std::byte* place, std::size_t stride) {
          const auto number = static_cast<std::size_t>(&field - added_.data());
          put_added(*added.find(layouts_[number].name), field.type, particles, place, stride);
        },
        [&] {
          for (const H5mdField& field : added_) {
            const std::string element = field.dataset.substr(0, field.dataset.rfind('/'));
            const Size row[1] = {field.frames}, one[1] = {1};
            set_rows(*file_, element + "/step", field.frames + 1);
            set_rows(*file_, element + "/time", field.frames + 1);
            file_->write(element + "/step", row, one, &step);
            file_->write(element + "/time", row, one, &time);
          }
        });
  }

  /// Makes a dataset that has rows of particles in each frame. That of one number for each particle
  /// has two dimensions, as H5MD has scalars.
  void make_per_frame(hdf5::File& file, const H5mdField& field) const {
    const auto rows = static_cast<Size>(particles_);
    file.make_dataset(field.dataset, field.type,
                      {.extent = shape(field, 0, rows),
                       .maximum = shape(field, hdf5::unlimited, rows),
                       .chunk = shape(field, 1, field.chunk_rows),
                       .written_from_outside = !options_.compressed,
                       .compressed = options_.compressed});
  }

  static std::vector<Size> shape(const H5mdField& field, Size frames, Size rows) {
    if (field.components == 1) return {frames, rows};
    return {frames, rows, field.components};
  }

  static std::string element_of(const std::string& name) { return group + "/" + name; }

  /// The frame that is written next.
  Size next_frame(const H5mdField& field) const {
    return field.quantity == H5mdQuantity::added ? field.frames : frames_;
  }

  void make_file() {
    hdf5::File file = hdf5::File::create(path_);
    make_head(file);
    make_box(file);
    make_particles(file);
    make_observables(file);
    if (options_.topology != nullptr) write_bonds(file);
    if (!options_.description.empty()) {
      file.make_group("parameters");
      file.set_attribute("parameters", "sterna_particles", options_.description);
    }
    file.close();
  }

  /// Writes the version of H5MD, and who has made the file.
  void make_head(hdf5::File& file) const {
    const int version[2] = {1, 1};
    file.make_group("h5md");
    file.set_attribute("h5md", "version", version);
    file.make_group("h5md/author");
    file.set_attribute("h5md/author", "name", options_.author);
    file.make_group("h5md/creator");
    file.set_attribute("h5md/creator", "name", std::string("Sterna"));
    file.set_attribute("h5md/creator", "version", options_.creator_version);
  }

  /// Makes the group of the particles with their box.
  void make_box(hdf5::File& file) const {
    file.make_group("particles");
    file.make_group(group);
    file.make_group(group + "/box");
    const int dimension[1] = {3};
    file.set_attribute(group + "/box", "dimension", dimension);
    const std::vector<std::string> boundary(3, "periodic");
    file.set_attribute(group + "/box", "boundary", boundary);

    // There is one step and one time dataset, linked under the names of all elements.
    file.make_group(group + "/box/edges");
    make_small(file, steps(), Type::int64, {});
    make_small(file, times(), Type::float64, {});
    if (!options_.reduced_units) file.set_attribute(times(), "unit", std::string("ps"));
    options_.triclinic ? make_small(file, edges(), Type::float64, {3, 3})
                       : make_small(file, edges(), Type::float64, {3});
    if (!options_.reduced_units) file.set_attribute(edges(), "unit", std::string("nm"));
  }

  /// Makes the datasets with a row for each particle: one in each frame, or one in the file.
  void make_particles(hdf5::File& file) const {
    const auto rows = static_cast<Size>(particles_);
    for (const H5mdField& field : fields_) {
      make_element(file, field.dataset.substr(0, field.dataset.rfind('/')));
      make_per_frame(file, field);
    }
    for (const H5mdField& field : constants_) {
      std::vector<std::string> names;
      if (field.field == "type") names = options_.type_names;
      if (field.quantity == H5mdQuantity::atom_name) names = values_.atom_names();
      file.make_dataset(field.dataset, field.type,
                        {.extent = {rows},
                         .maximum = {rows},
                         .chunk = {field.chunk_rows},
                         .written_from_outside = true,
                         .value_names = names});
    }
    for (const auto* list : {&fields_, &constants_}) {
      for (const H5mdField& field : *list) {
        const std::string unit(h5md_unit(field));
        if (!options_.reduced_units && !unit.empty()) {
          file.set_attribute(field.dataset, "unit", unit);
        }
      }
    }
  }

  void make_observables(hdf5::File& file) const {
    if (!options_.observables.empty()) file.make_group("observables");
    for (const auto& observable : options_.observables) {
      make_element(file, "observables/" + observable.name);
      make_small(file, value_of(observable), Type::float64, {});
      if (!observable.unit.empty()) {
        file.set_attribute(value_of(observable), "unit", observable.unit);
      }
    }
  }

  /// Writes the group `connectivity` of H5MD: bonds as pairs of ids, some thousand at a time.
  void write_bonds(hdf5::File& file) const {
    constexpr Size most = 65536;
    const Topology& topology = *options_.topology;
    std::vector<std::vector<Topology::Pair>> bonds;
    for (const Topology::Molecule& molecule : topology.molecules()) {
      bonds.push_back(chemical_bonds(molecule));
    }
    Size count = 0;
    for (const Topology::Run& run : topology.runs()) {
      count += static_cast<Size>(run.count) * bonds[run.molecule].size();
    }
    if (count == 0) return;
    const std::string name = "connectivity/bonds";
    file.make_group("connectivity");
    file.make_dataset(
        name, Type::int64,
        {.extent = {count, 2}, .maximum = {count, 2}, .chunk = {std::min(count, most), 2}});
    file.set_reference(name, "particles_group", group);
    std::vector<std::int64_t> pairs;
    Size written = 0;
    const auto write = [&] {
      const Size first[2] = {written, 0}, size[2] = {pairs.size() / 2, 2};
      if (size[0] > 0) file.write(name, first, size, pairs.data());
      written += size[0];
      pairs.clear();
    };
    std::int64_t first_id = 1;
    for (const Topology::Run& run : topology.runs()) {
      const Topology::Molecule& molecule = topology.molecules()[run.molecule];
      for (std::int64_t n = 0; n < run.count; ++n) {
        for (const auto& [a, b] : bonds[run.molecule]) {
          pairs.push_back(first_id + a);
          pairs.push_back(first_id + b);
          if (pairs.size() == 2 * most) write();
        }
        first_id += static_cast<std::int64_t>(molecule.atoms.size());
      }
    }
    write();
  }

  static std::string steps() { return group + "/box/edges/step"; }
  static std::string times() { return group + "/box/edges/time"; }
  static std::string edges() { return group + "/box/edges/value"; }
  static std::string value_of(const H5mdOptions::Observable& observable) {
    return "observables/" + observable.name + "/value";
  }

  static void make_element(hdf5::File& file, const std::string& name) {
    file.make_group(name);
    file.link(steps(), name + "/step");
    file.link(times(), name + "/time");
  }

  /// `item` has the extents of one frame's data.
  static void make_small(hdf5::File& file, const std::string& name, Type type,
                         const std::vector<Size>& item) {
    hdf5::File::DatasetOptions shape{{0}, {hdf5::unlimited}, {small_chunk_rows}};
    for (auto* extents : {&shape.extent, &shape.maximum, &shape.chunk}) {
      extents->insert(extents->end(), item.begin(), item.end());
    }
    file.make_dataset(name, type, shape);
  }

  /// The names of all datasets with a row per frame.
  std::vector<std::string> datasets_per_frame() const {
    std::vector<std::string> names{steps(), times(), edges()};
    for (const H5mdField& field : fields_) names.push_back(field.dataset);
    for (const auto& observable : options_.observables) names.push_back(value_of(observable));
    return names;
  }

  static void set_rows(hdf5::File& file, const std::string& dataset, Size rows) {
    std::vector<Size> extent = file.extent(dataset);
    if (extent[0] == rows) return;
    extent[0] = rows;
    file.set_extent(dataset, extent);
  }

  Size keep_frames_until(std::int64_t last_step) {
    // HDF5 would begin a file in an empty one.
    if (RawFile(path_, RawFile::Mode::read).size() == 0) {
      throw FileError(
          fmt::format("{}: the trajectory cannot be continued: it is empty; move it away", path_));
    }
    hdf5::File file = hdf5::File::open(path_);
    check_same_kind(file);
    Size frames = file.extent(steps())[0];
    // The lengths differ only if another program wrote the file.
    for (const std::string& name : datasets_per_frame()) {
      frames = std::min(frames, file.extent(name)[0]);
    }
    const std::vector<std::int64_t> step = file.read_integers(steps());
    Size kept = 0;
    kept_.emplace();
    while (kept < frames && step[kept] <= last_step) kept_->add(step[kept++]);
    for (const std::string& name : datasets_per_frame()) set_rows(file, name, kept);
    for (const std::string& element : added_elements(file)) {
      const std::vector<std::int64_t> steps = file.read_integers(element + "/step");
      const auto later = std::ranges::upper_bound(steps, last_step);
      for (const std::string_view name : {"step", "time", "value"}) {
        set_rows(file, fmt::format("{}/{}", element, name),
                 static_cast<Size>(later - steps.begin()));
      }
    }
    file.close();
    return kept;
  }

  /// The elements of added fields in a file.
  static std::vector<std::string> added_elements(const hdf5::File& file) {
    std::vector<std::string> elements;
    const std::vector<std::string_view> of_particles = trajectory_field_names();
    for (const std::string& name : file.members(group)) {
      if (name == "box" || std::ranges::find(of_particles, name) != of_particles.end()) continue;
      // What particles have once, such as their masses, is a dataset.
      const bool is_constant =
          std::ranges::find(names_of_constants, name) != names_of_constants.end();
      if (!is_constant && file.exists(element_of(name) + "/step")) {
        elements.push_back(element_of(name));
      }
    }
    return elements;
  }

  [[noreturn]] void refuse(const std::string& reason) const {
    throw FileError(fmt::format("{}: the trajectory cannot be continued: {}", path_, reason));
  }

  void check_same_shape(const hdf5::File& file, const H5mdField& field) const {
    const std::string name = field.dataset.substr(group.size() + 1);
    if (!file.exists(field.dataset)) refuse("it has no " + name);
    const std::vector<Size> extent = file.extent(field.dataset);
    const std::vector<Size> expected =
        shape(field, extent.empty() ? 0 : extent[0], static_cast<Size>(particles_));
    if (extent != expected) refuse(fmt::format("its {} has another shape", name));
    if (!file.has_type(field.dataset, field.type)) {
      refuse(fmt::format("its {} has another precision", name));
    }
    if (file.is_compressed(field.dataset) != options_.compressed) {
      refuse(
          fmt::format("its {} is {}", name, options_.compressed ? "not compressed" : "compressed"));
    }
  }

  void check_same_kind(const hdf5::File& file) const {
    if (!file.exists(steps())) refuse("it is not one that this program wrote");
    if ((file.extent(edges()).size() == 3) != options_.triclinic) {
      refuse("it is of another kind of box");
    }
    for (const H5mdField& field : fields_) {
      if (!file.exists(field.dataset)) {
        refuse("it has no " + field.dataset.substr(group.size() + 1));
      }
      const std::vector<Size> extent = file.extent(field.dataset);
      if (extent.size() != 3 || extent[1] != static_cast<Size>(particles_)) {
        refuse(fmt::format("it has {} particles, the run has {}", extent.size() > 1 ? extent[1] : 0,
                           particles_));
      }
      check_same_shape(file, field);
    }
    for (const std::string_view name : trajectory_field_names()) {
      const std::string present(name);
      if (file.exists(fmt::format("{}/{}", group, name)) &&
          std::find(options_.fields.begin(), options_.fields.end(), present) ==
              options_.fields.end()) {
        refuse("it has the field " + present + ", which this run does not write");
      }
    }
    for (const auto& observable : options_.observables) {
      if (!file.exists(value_of(observable))) refuse("it has no observable " + observable.name);
    }
  }

  void open_for_all() {
    agree_after(context_, [&] { raw_ = RawFile(path_, RawFile::Mode::write); });
  }

  /// On rank 0, before the library changes anything: reserves space, so that a full disk is noticed
  /// while the file is intact.
  void reserve_room() {
    std::uint64_t bytes = room_for_metadata;
    // The size of compressed rows is not known yet; they are written while the file is intact.
    for (const auto* list : {&fields_, &added_}) {
      for (const H5mdField& field : *list) {
        if (!options_.compressed) bytes += field.chunks * field.chunk_rows * field.row_bytes();
      }
    }
    raw_.reserve(raw_.size(), bytes);
  }

  void write_constants(const Box& box, const ParticleStore& store) {
    BlockRedistribution redistribution(context_, particles_, constant_item_bytes_,
                                       options_.redistribution);
    write_fields(
        constants_, redistribution, store,
        [&](const H5mdField& field, auto particles, std::byte* place, std::size_t stride) {
          values_.put(field, box, store, particles, place, stride);
        },
        [] {});
  }

  /// Lets all ranks write one frame of `fields`, then rank 0 call `complete` and close the file.
  /// `put(field, particles, place, stride)` writes rows of a field.
  template <class Put, class Complete>
  void write_fields(const std::vector<H5mdField>& fields, BlockRedistribution& redistribution,
                    const ParticleStore& store, const Put& put, const Complete& complete) {
    std::string message;
    on_first_rank(context_, [&] {
      file_.emplace(hdf5::File::open(path_));
      const std::vector<Size> offsets = make_room(fields);
      message.assign(reinterpret_cast<const char*>(offsets.data()), offsets.size() * sizeof(Size));
    });
    comm::broadcast(context_, 0, message);
    std::vector<Size> offsets(message.size() / sizeof(Size));
    if (!offsets.empty()) std::memcpy(offsets.data(), message.data(), message.size());

    std::string failure;
    redistribution.plan(store.id.span().first(store.local_count()), id_order_);
    for (std::int64_t piece = 0; piece < redistribution.piece_count(); ++piece) {
      const auto rows = redistribution.exchange(piece, [&](std::span<const std::uint32_t> particles,
                                                           std::byte* items, std::size_t stride) {
        for (const H5mdField& field : fields) {
          put(field, particles, items + field.item_offset, stride);
        }
      });
      // A failed rank still takes part in the exchanges, because the others do not know yet.
      if (!failure.empty()) continue;
      try {
        write_rows(fields, offsets, rows);
      } catch (const std::exception& error) {
        failure = error.what();
      }
    }
    if (failure.empty() && !redistribution.failure().empty()) {
      failure = path_ + ": " + redistribution.failure();
    }
    agree(context_, failure);
    on_first_rank(context_, [&] {
      complete();
      file_->close();
      file_.reset();
    });
  }

  /// Allocates chunks for the next frame; returns their file offsets, field by field.
  std::vector<Size> make_room(const std::vector<H5mdField>& fields) {
    std::vector<Size> offsets;
    for (const H5mdField& field : fields) {
      if (field.per_frame) set_rows(*file_, field.dataset, next_frame(field) + 1);
      if (is_compressed(field)) continue;
      for (Size chunk = 0; chunk < field.chunks; ++chunk) {
        const Size row = chunk * field.chunk_rows;
        std::vector<Size> first{row};
        if (field.per_frame) first = {next_frame(field), row};
        if (field.components > 1) first.push_back(0);
        offsets.push_back(file_->chunk_offset(field.dataset, first));
      }
    }
    return offsets;
  }

  /// On rank 0 after a failed frame: truncates the datasets to the earlier frames.
  void take_frame_back() {
    if (!file_.has_value()) return;
    try {
      for (const std::string& name : datasets_per_frame()) set_rows(*file_, name, frames_);
      for (const H5mdField& field : added_) set_rows(*file_, field.dataset, field.frames);
      file_->close();
    } catch (const FileError&) {
      // The earlier failure is the one to report.
    }
    file_.reset();
  }

  void write_rows(const std::vector<H5mdField>& fields, std::span<const Size> offsets,
                  const BlockRedistribution::Piece& rows) {
    std::size_t item_bytes = 0;
    for (const H5mdField& field : fields) item_bytes += field.row_bytes();
    const std::size_t count = rows.items.size() / item_bytes;
    std::size_t first_offset = 0;
    for (const H5mdField& field : fields) {
      const std::size_t bytes = field.row_bytes();
      column_.resize(count * bytes);
      for (std::size_t row = 0; row < count; ++row) {
        std::memcpy(column_.data() + row * bytes,
                    rows.items.data() + row * item_bytes + field.item_offset, bytes);
      }
      if (is_compressed(field)) {
        write_by_library(field, rows.first_slot, count);
        continue;
      }
      std::size_t done = 0;
      while (done < count) {
        const Size row = static_cast<Size>(rows.first_slot) + done;
        const Size chunk = row / field.chunk_rows;
        const Size within = row % field.chunk_rows;
        const std::size_t here = std::min<std::size_t>(count - done, field.chunk_rows - within);
        raw_.write_at(offsets[first_offset + chunk] + within * bytes,
                      std::span(column_).subspan(done * bytes, here * bytes));
        done += here;
      }
      first_offset += field.chunks;
    }
  }

  bool is_compressed(const H5mdField& field) const {
    return options_.compressed && field.per_frame;
  }

  /// Writes `count` rows from `column_` by the library; called on rank 0, elsewhere `count` is 0.
  void write_by_library(const H5mdField& field, std::int64_t first_row, std::size_t count) {
    if (count == 0) return;
    std::vector<Size> first{next_frame(field), static_cast<Size>(first_row)};
    if (field.components > 1) first.push_back(0);
    file_->write(field.dataset, first, shape(field, 1, count), field.type, column_.data());
  }

  void append_rows(std::int64_t step, double time, const Box& box,
                   std::span<const double> observables) {
    if (observables.size() != options_.observables.size()) {
      throw FileError(fmt::format("{}: {} observables are declared, but {} came", path_,
                                  options_.observables.size(), observables.size()));
    }
    const Size first[3] = {frames_, 0, 0};
    const Size one[1] = {1};
    const auto row = std::span(first).first<1>();
    const auto append = [&](const std::string& dataset, const auto* values,
                            std::span<const Size> start, std::span<const Size> count) {
      set_rows(*file_, dataset, frames_ + 1);
      file_->write(dataset, start, count, values);
    };
    append(steps(), &step, row, one);
    append(times(), &time, row, one);
    if (options_.triclinic) {
      const Size matrix[3] = {1, 3, 3};
      append(edges(), &box.edges()[0].x, first, matrix);
    } else {
      const Size three[2] = {1, 3};
      const double lengths[3] = {box.length.x, box.length.y, box.length.z};
      append(edges(), lengths, std::span(first).first<2>(), three);
    }
    for (std::size_t i = 0; i < observables.size(); ++i) {
      append(value_of(options_.observables[i]), &observables[i], row, one);
    }
  }

  comm::Context context_;
  std::string path_;
  std::int64_t particles_;
  H5mdOptions options_;
  H5mdValues values_;
  std::vector<H5mdField> fields_;
  std::vector<H5mdField> constants_;
  std::vector<AddedFieldLayout> layouts_;  ///< of the added fields, as of the last frame
  std::vector<H5mdField> added_;           ///< their datasets
  bool added_are_open_ = false;            ///< rank 0: whether the file has these datasets
  std::size_t constant_item_bytes_ = 0;
  std::optional<BlockRedistribution> redistribution_, redistribution_of_added_;
  std::shared_ptr<const IdOrder> id_order_;  ///< since the first frame written by this object
  RawFile raw_;
  std::optional<hdf5::File> file_;  ///< on rank 0, while a frame is written
  Size frames_ = 0;
  std::optional<KeptSteps> kept_;  ///< rank 0, of a file that is continued
  std::vector<std::byte> column_;
};

H5mdWriter::H5mdWriter(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
H5mdWriter::~H5mdWriter() = default;
H5mdWriter::H5mdWriter(H5mdWriter&&) noexcept = default;

H5mdWriter H5mdWriter::create(const comm::Context& context, const std::string& path,
                              std::int64_t particles, const H5mdOptions& options) {
  auto implementation = std::make_unique<Implementation>(context, path, particles, options);
  implementation->create();
  return H5mdWriter(std::move(implementation));
}

H5mdWriter H5mdWriter::resume(const comm::Context& context, const std::string& path,
                              std::int64_t particles, const H5mdOptions& options,
                              std::int64_t last_step) {
  auto implementation = std::make_unique<Implementation>(context, path, particles, options);
  implementation->resume(last_step);
  return H5mdWriter(std::move(implementation));
}

void H5mdWriter::write_frame(std::int64_t step, double time, const Box& box,
                             const ParticleStore& particles, std::span<const double> observables,
                             const AddedFields* added) {
  implementation_->write_frame(step, time, box, particles, observables, added);
}

void H5mdWriter::sync() {
  implementation_->sync();
}

std::int64_t H5mdWriter::frame_count() const {
  return static_cast<std::int64_t>(implementation_->frames());
}

const std::optional<KeptSteps>& H5mdWriter::kept_steps() const {
  return implementation_->kept_steps();
}

}  // namespace sterna::md

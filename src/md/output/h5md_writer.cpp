#include "md/output/h5md_writer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <iterator>
#include <optional>
#include <utility>

#include "md/core/agreement.hpp"
#include "md/core/file_error.hpp"
#include "md/output/atomic_file.hpp"
#include "md/output/hdf5_file.hpp"
#include "md/system/particle_fields.hpp"
#include "sterna/comm/collective.hpp"

namespace sterna::md {
namespace {

using hdf5::Size;
using hdf5::Type;

// MDAnalysis finds a trajectory without a topology only under this name.
const std::string group = "particles/trajectory";
/// Rows of the small datasets (step, time, edges, observables) in one chunk.
constexpr Size small_chunk_rows = 256;
/// Room taken beforehand for what the library itself writes with a frame.
constexpr std::uint64_t room_for_metadata = 512 * 1024;

/// What a dataset holds: a field of the table, or what follows from a particle's type or id.
enum class Quantity { field, mass, atom_name, molecule };

/// One dataset with a row per particle.
struct Dataset {
  Quantity quantity;
  std::string_view field;  ///< its name, of the table
  std::string dataset;
  Type type;
  std::size_t components;
  bool per_frame;
  std::size_t item_offset = 0;  ///< in the item of the redistribution
  Size chunk_rows = 0;
  Size chunks = 0;

  std::size_t row_bytes() const { return components * size_of(type); }
};

template <class Stored, class Numbers>
void put(std::byte* place, const Numbers& numbers) {
  for (const auto number : numbers) {
    const auto stored = static_cast<Stored>(number);
    std::memcpy(place, &stored, sizeof(stored));
    place += sizeof(stored);
  }
}

template <class Numbers>
void put(std::byte* place, const Numbers& numbers, Type type) {
  switch (type) {
    case Type::float32:
      return put<float>(place, numbers);
    case Type::float64:
      return put<double>(place, numbers);
    case Type::int32:
      return put<std::int32_t>(place, numbers);
    case Type::int64:
      return put<std::int64_t>(place, numbers);
  }
}

/// The type of whole numbers in a file; others are of the precision that was asked for.
template <class Field>
Type type_of(const Field&, Type real) {
  using Stored = typename Field::StoredType;
  if constexpr (std::is_floating_point_v<Stored>) return real;
  return sizeof(Stored) == sizeof(std::int32_t) ? Type::int32 : Type::int64;
}

}  // namespace

class H5mdWriter::Implementation {
 public:
  Implementation(const comm::Context& context, std::string path, std::int64_t particles,
                 const H5mdOptions& options)
      : context_(context), path_(std::move(path)), particles_(particles), options_(options) {
    check_options();
    const Type real = options.single_precision ? Type::float32 : Type::float64;
    for (const std::string& name : options.fields) {
      for_each_field([&](const auto& field) {
        if (field.name != name) return;
        fields_.push_back({Quantity::field, field.name, group + "/" + name + "/value",
                           type_of(field, real), field.components, true});
      });
    }
    constants_ = {{Quantity::field, "type", group + "/species", Type::int32, 1, false},
                  {Quantity::field, "id", group + "/id", Type::int64, 1, false},
                  {Quantity::mass, "", group + "/mass", Type::float64, 1, false}};
    if (options.topology != nullptr) {
      name_atoms();
      constants_.push_back({Quantity::atom_name, "", group + "/atom_name", Type::int32, 1, false});
      constants_.push_back({Quantity::molecule, "", group + "/molecule", Type::int64, 1, false});
    }
    const std::size_t field_bytes = lay_out(fields_);
    const std::size_t constant_bytes = lay_out(constants_);
    // Constants are a matter of the first frame, so their exchange does not live on.
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
      if (!file_exists(path_)) make_file();
      frames = std::to_string(keep_frames_until(last_step));
    });
    comm::broadcast(context_, 0, frames);
    frames_ = static_cast<Size>(std::stoull(frames));
    open_for_all();
  }

  void write_frame(std::int64_t step, double time, const Box& box, const ParticleStore& store,
                   std::span<const double> observables) {
    for_each_field([&](const auto& field) {
      if (is_kept(field.kept, store.kind()) ||
          std::ranges::find(fields_, field.name, &Dataset::field) == fields_.end()) {
        return;
      }
      throw FileError(fmt::format("{}: the field \"{}\" was asked for, but no particle rotates",
                                  path_, field.name));
    });
    try {
      on_first_rank(context_, [&] { reserve_room(); });
      if (id_order_ == nullptr) {
        id_order_ = redistribution_->order(store.id.span().first(store.local_count()));
      }
      if (frames_ == 0) write_constants(box, store);
      write_fields(fields_, *redistribution_, box, store,
                   [&] { append_rows(step, time, box, observables); });
    } catch (...) {
      take_frame_back();
      id_order_.reset();
      throw;
    }
    ++frames_;
  }

  void sync() {
    agree_after(context_, [&] { raw_.sync(); });
  }

  Size frames() const { return frames_; }

 private:
  void check_options() const {
    // The same on all ranks, so all of them throw.
    const std::vector<std::string_view> field_names = trajectory_field_names();
    if (options_.fields.empty()) {
      throw FileError(path_ + ": a trajectory needs at least one field: " +
                      fmt::format("{}", fmt::join(field_names, ", ")));
    }
    for (auto name = options_.fields.begin(); name != options_.fields.end(); ++name) {
      if (std::find(field_names.begin(), field_names.end(), *name) == field_names.end()) {
        throw FileError(fmt::format("{}: there is no field \"{}\"; fields are {}", path_, *name,
                                    fmt::join(field_names, ", ")));
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

  /// Places in the item and chunks; returns the bytes of an item.
  std::size_t lay_out(std::vector<Dataset>& fields) const {
    std::size_t bytes = 0;
    const auto rows = static_cast<Size>(particles_);
    const auto granularity = static_cast<Size>(options_.redistribution.granularity);
    for (Dataset& field : fields) {
      field.item_offset = bytes;
      bytes += field.row_bytes();
      const Size most = std::max<Size>(1, options_.maximum_chunk_bytes / field.row_bytes());
      field.chunks = (rows + most - 1) / most;
      field.chunk_rows = (rows + field.chunks - 1) / field.chunks;
      if (field.chunks > 1) {
        field.chunk_rows = (field.chunk_rows + granularity - 1) / granularity * granularity;
        field.chunks = (rows + field.chunk_rows - 1) / field.chunk_rows;
      }
    }
    return bytes;
  }

  std::string unit(const Dataset& dataset) const {
    Dimension dimension = dataset.quantity == Quantity::mass ? Dimension::mass : Dimension::none;
    for_each_field([&](const auto& field) {
      if (field.name == dataset.field) dimension = field.dimension;
    });
    if (options_.reduced_units) return "";
    switch (dimension) {
      case Dimension::length:
        return "nm";
      case Dimension::velocity:
        return "nm ps-1";
      case Dimension::force:
        return "kJ mol-1 nm-1";
      case Dimension::mass:
        return "u";
      default:
        return "";
    }
  }

  void make_file() {
    hdf5::File file = hdf5::File::create(path_);
    const int version[2] = {1, 1};
    file.make_group("h5md");
    file.set_attribute("h5md", "version", version);
    file.make_group("h5md/author");
    file.set_attribute("h5md/author", "name", options_.author);
    file.make_group("h5md/creator");
    file.set_attribute("h5md/creator", "name", std::string("Sterna"));
    file.set_attribute("h5md/creator", "version", options_.creator_version);

    file.make_group("particles");
    file.make_group(group);
    file.make_group(group + "/box");
    const int dimension[1] = {3};
    file.set_attribute(group + "/box", "dimension", dimension);
    const std::vector<std::string> boundary(3, "periodic");
    file.set_attribute(group + "/box", "boundary", boundary);

    // One step and one time dataset, known under the names of all elements.
    file.make_group(group + "/box/edges");
    make_small(file, steps(), Type::int64, {});
    make_small(file, times(), Type::float64, {});
    if (!options_.reduced_units) file.set_attribute(times(), "unit", std::string("ps"));
    options_.triclinic ? make_small(file, edges(), Type::float64, {3, 3})
                       : make_small(file, edges(), Type::float64, {3});
    if (!options_.reduced_units) file.set_attribute(edges(), "unit", std::string("nm"));

    const auto rows = static_cast<Size>(particles_);
    for (const Dataset& field : fields_) {
      make_element(file, field.dataset.substr(0, field.dataset.rfind('/')));
      file.make_dataset(field.dataset, field.type,
                        {.extent = {0, rows, field.components},
                         .maximum = {hdf5::unlimited, rows, field.components},
                         .chunk = {1, field.chunk_rows, field.components},
                         .written_from_outside = true});
    }
    for (const Dataset& field : constants_) {
      std::vector<std::string> names;
      if (field.field == "type") names = options_.type_names;
      if (field.quantity == Quantity::atom_name) names = atom_names_;
      file.make_dataset(field.dataset, field.type,
                        {.extent = {rows},
                         .maximum = {rows},
                         .chunk = {field.chunk_rows},
                         .written_from_outside = true,
                         .value_names = names});
    }
    for (const auto* list : {&fields_, &constants_}) {
      for (const Dataset& field : *list) {
        if (const std::string name = unit(field); !name.empty()) {
          file.set_attribute(field.dataset, "unit", name);
        }
      }
    }
    if (!options_.observables.empty()) file.make_group("observables");
    for (const auto& observable : options_.observables) {
      make_element(file, "observables/" + observable.name);
      make_small(file, value_of(observable), Type::float64, {});
      if (!observable.unit.empty()) {
        file.set_attribute(value_of(observable), "unit", observable.unit);
      }
    }
    if (options_.topology != nullptr) write_bonds(file);
    file.close();
  }

  /// Numbers for the names of all atoms.
  void name_atoms() {
    for (const Topology::Molecule& molecule : options_.topology->molecules()) {
      std::vector<std::int32_t>& numbers = name_of_atom_.emplace_back();
      for (const Topology::Atom& atom : molecule.atoms) {
        const auto known = std::find(atom_names_.begin(), atom_names_.end(), atom.name);
        numbers.push_back(static_cast<std::int32_t>(known - atom_names_.begin()));
        if (known == atom_names_.end()) atom_names_.push_back(atom.name);
      }
    }
  }

  /// The group `connectivity` of H5MD: bonds as pairs of ids, some thousand at a time.
  void write_bonds(hdf5::File& file) const {
    constexpr Size most = 65536;
    const Topology& topology = *options_.topology;
    Size count = 0;
    for (const Topology::Run& run : topology.runs()) {
      count += static_cast<Size>(run.count) * topology.molecules()[run.molecule].bonds.size();
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
        for (const auto& [a, b] : molecule.bonds) {
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

  /// `item`: extents of what a frame adds.
  static void make_small(hdf5::File& file, const std::string& name, Type type,
                         const std::vector<Size>& item) {
    hdf5::File::DatasetOptions shape{{0}, {hdf5::unlimited}, {small_chunk_rows}};
    for (auto* extents : {&shape.extent, &shape.maximum, &shape.chunk}) {
      extents->insert(extents->end(), item.begin(), item.end());
    }
    file.make_dataset(name, type, shape);
  }

  /// Every dataset that has a row per frame.
  std::vector<std::string> datasets_per_frame() const {
    std::vector<std::string> names{steps(), times(), edges()};
    for (const Dataset& field : fields_) names.push_back(field.dataset);
    for (const auto& observable : options_.observables) names.push_back(value_of(observable));
    return names;
  }

  static void set_rows(hdf5::File& file, const std::string& dataset, Size rows) {
    std::vector<Size> extent = file.extent(dataset);
    if (extent[0] == rows) return;
    extent[0] = rows;
    file.set_extent(dataset, extent);
  }

  Size keep_frames_until(std::int64_t last_step) const {
    hdf5::File file = hdf5::File::open(path_);
    check_same_kind(file);
    Size frames = file.extent(steps())[0];
    // Lengths differ only where something other than this program wrote the file.
    for (const std::string& name : datasets_per_frame()) {
      frames = std::min(frames, file.extent(name)[0]);
    }
    const std::vector<std::int64_t> step = file.read_integers(steps());
    Size kept = 0;
    while (kept < frames && step[kept] <= last_step) ++kept;
    for (const std::string& name : datasets_per_frame()) set_rows(file, name, kept);
    file.close();
    return kept;
  }

  void check_same_kind(const hdf5::File& file) const {
    const auto refuse = [&](const std::string& reason) {
      throw FileError(fmt::format("{}: the trajectory cannot be continued: {}", path_, reason));
    };
    if (!file.exists(steps())) refuse("it is not one that this program wrote");
    if ((file.extent(edges()).size() == 3) != options_.triclinic) {
      refuse("it is of another kind of box");
    }
    for (const Dataset& field : fields_) {
      const std::string name = field.dataset.substr(group.size() + 1);
      if (!file.exists(field.dataset)) refuse("it has no " + name);
      const std::vector<Size> extent = file.extent(field.dataset);
      if (extent.size() != 3 || extent[1] != static_cast<Size>(particles_)) {
        refuse(fmt::format("it has {} particles, the run has {}", extent.size() > 1 ? extent[1] : 0,
                           particles_));
      }
      if (!file.has_type(field.dataset, field.type)) {
        refuse(fmt::format("its {} has another precision", name));
      }
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

  /// On rank 0, before the library changes anything: a disk that is full is found out while the
  /// file is whole.
  void reserve_room() {
    std::uint64_t bytes = room_for_metadata;
    for (const Dataset& field : fields_)
      bytes += field.chunks * field.chunk_rows * field.row_bytes();
    raw_.reserve(raw_.size(), bytes);
  }

  void write_constants(const Box& box, const ParticleStore& store) {
    BlockRedistribution redistribution(context_, particles_, constant_item_bytes_,
                                       options_.redistribution);
    write_fields(constants_, redistribution, box, store, [] {});
  }

  /// Has all ranks write one frame of `fields`, then rank 0 do `complete` and close the file.
  template <class Complete>
  void write_fields(const std::vector<Dataset>& fields, BlockRedistribution& redistribution,
                    const Box& box, const ParticleStore& store, const Complete& complete) {
    std::string message;
    on_first_rank(context_, [&] {
      file_.emplace(hdf5::File::open(path_));
      const std::vector<Size> offsets = make_room(fields);
      message.assign(reinterpret_cast<const char*>(offsets.data()), offsets.size() * sizeof(Size));
    });
    comm::broadcast(context_, 0, message);
    std::vector<Size> offsets(message.size() / sizeof(Size));
    std::memcpy(offsets.data(), message.data(), message.size());

    std::string failure;
    redistribution.plan(store.id.span().first(store.local_count()), id_order_);
    for (std::int64_t piece = 0; piece < redistribution.piece_count(); ++piece) {
      const auto rows = redistribution.exchange(
          piece, [&](std::span<const std::uint32_t> particles, std::byte* items,
                     std::size_t stride) { pack(fields, box, store, particles, items, stride); });
      // After a failure the rank still takes part in the exchanges: the others do not know yet.
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

  /// File offsets of the chunks of the next frame, field by field.
  std::vector<Size> make_room(const std::vector<Dataset>& fields) {
    std::vector<Size> offsets;
    for (const Dataset& field : fields) {
      if (field.per_frame) set_rows(*file_, field.dataset, frames_ + 1);
      for (Size chunk = 0; chunk < field.chunks; ++chunk) {
        const Size row = chunk * field.chunk_rows;
        const std::vector<Size> first =
            field.per_frame ? std::vector<Size>{frames_, row, 0} : std::vector<Size>{row};
        offsets.push_back(file_->chunk_offset(field.dataset, first));
      }
    }
    return offsets;
  }

  /// On rank 0 after a frame failed: the earlier frames are again all that the file holds.
  void take_frame_back() {
    if (!file_.has_value()) return;
    try {
      for (const std::string& name : datasets_per_frame()) set_rows(*file_, name, frames_);
      file_->close();
    } catch (const FileError&) {
      // The failure that led here is the one to report.
    }
    file_.reset();
  }

  void pack(const std::vector<Dataset>& datasets, const Box& box, const ParticleStore& store,
            std::span<const std::uint32_t> particles, std::byte* items, std::size_t stride) const {
    const auto put_all = [&](const Dataset& dataset, const auto& numbers_of) {
      std::byte* place = items + dataset.item_offset;
      for (const std::uint32_t i : particles) {
        put(place, numbers_of(i), dataset.type);
        place += stride;
      }
    };
    const auto type_of_particle = [&](std::uint32_t i) {
      return static_cast<std::size_t>(store.position[i].type);
    };
    const auto place_of = [&](std::uint32_t i) { return options_.topology->place_of(store.id[i]); };
    for (const Dataset& dataset : datasets) {
      switch (dataset.quantity) {
        case Quantity::field:
          for_each_field([&](const auto& field) {
            if (field.name != dataset.field) return;
            put_all(dataset, [&](std::uint32_t i) { return shown(field, store, box, i); });
          });
          break;
        case Quantity::mass:
          put_all(dataset, [&](std::uint32_t i) {
            const std::size_t type = type_of_particle(i);
            return std::array{type < options_.type_masses.size() ? options_.type_masses[type]
                                                                 : 1.0};
          });
          break;
        case Quantity::atom_name:
          put_all(dataset, [&](std::uint32_t i) {
            const Topology::Place at = place_of(i);
            return std::array{name_of_atom_[at.molecule][static_cast<std::size_t>(at.atom)]};
          });
          break;
        case Quantity::molecule:
          put_all(dataset, [&](std::uint32_t i) {
            return std::array{static_cast<std::int64_t>(place_of(i).molecule_number)};
          });
          break;
      }
    }
  }

  void write_rows(const std::vector<Dataset>& fields, std::span<const Size> offsets,
                  const BlockRedistribution::Piece& rows) {
    std::size_t item_bytes = 0;
    for (const Dataset& field : fields) item_bytes += field.row_bytes();
    const std::size_t count = rows.items.size() / item_bytes;
    std::size_t first_offset = 0;
    for (const Dataset& field : fields) {
      const std::size_t bytes = field.row_bytes();
      column_.resize(count * bytes);
      for (std::size_t row = 0; row < count; ++row) {
        std::memcpy(column_.data() + row * bytes,
                    rows.items.data() + row * item_bytes + field.item_offset, bytes);
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
  std::vector<Dataset> fields_;
  std::vector<Dataset> constants_;
  std::vector<std::string> atom_names_;                  ///< each once
  std::vector<std::vector<std::int32_t>> name_of_atom_;  ///< of each kind of molecule
  std::size_t constant_item_bytes_ = 0;
  std::optional<BlockRedistribution> redistribution_;
  std::shared_ptr<const IdOrder> id_order_;  ///< since the first frame that this object wrote
  RawFile raw_;
  std::optional<hdf5::File> file_;  ///< rank 0, while a frame is written
  Size frames_ = 0;
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
                             const ParticleStore& particles, std::span<const double> observables) {
  implementation_->write_frame(step, time, box, particles, observables);
}

void H5mdWriter::sync() {
  implementation_->sync();
}

std::int64_t H5mdWriter::frame_count() const {
  return static_cast<std::int64_t>(implementation_->frames());
}

}  // namespace sterna::md

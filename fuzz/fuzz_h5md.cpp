// The reader of trajectories as start files. The bytes do not stand for the file itself, whose
// damages are a matter of the HDF5 library, but for what is in it: which datasets there are, of how
// many dimensions, how long, of what numbers, with which names.
//
// sources: src/md/core/units.cpp src/comm/context/nearest_name.cpp src/md/core/display_text.cpp
// sources: src/md/input/diagnostics.cpp src/md/start/readers/*.cpp src/md/input/fields.cpp
// sources: src/md/input/line_reader.cpp src/md/start/foreign/ls1/xml_*.cpp
// sources: src/md/start/foreign/ls1/molecule_types.cpp src/md/start/foreign/ls1/*phase_space.cpp
// sources: src/md/start/foreign/ls1/gener*.cpp src/md/start/foreign/ls1/lattice_fill.cpp
// sources: src/md/start/foreign/ls1/objects.cpp src/md/start/foreign/ls1/start_file.cpp
// sources: src/md/core/random.cpp src/md/model/tersoff.cpp src/md/model/stillinger_weber.cpp src/comm/context/regular_file.cpp
// sources: src/md/input/foreign_files.cpp
// sources: src/md/start/foreign/modylas/coordinates.cpp src/md/start/foreign/modylas/words.cpp
// sources: src/md/input/gzip_file.cpp src/md/output/hdf5_*.cpp src/md/core/file_error.cpp
// sources: src/md/output/atomic_file.cpp
// sources: src/md/output/checkpoint_file.cpp src/md/core/checksum.cpp

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "md/core/file_error.hpp"
#include "md/output/atomic_file.hpp"
#include "md/output/hdf5_file.hpp"
#include "start_file.hpp"

namespace {

using namespace sterna::md;
using hdf5::Size;

/// The input, byte by byte; zeros behind its end.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}
  std::uint8_t next() {
    if (left_ == 0) return 0;
    --left_;
    return *data_++;
  }
  /// Mostly what trajectories hold, sometimes any bits.
  double number() {
    const std::uint8_t kind = next();
    if (kind == 255) return std::numeric_limits<double>::quiet_NaN();
    if (kind == 254) return 1e300;
    if (kind < 250) return (kind - 40) / 16.0;
    double value = 0.0;
    std::uint8_t bits[sizeof(value)];
    for (std::uint8_t& byte : bits) byte = next();
    std::memcpy(&value, bits, sizeof(value));
    return value;
  }

 private:
  const std::uint8_t* data_;
  std::size_t left_;
};

struct Dataset {
  const char* name;
  std::vector<Size> extent;  ///< of a good file
  bool has_names = false;
};

/// What is written past the library.
struct Patch {
  Size offset;
  std::vector<std::byte> bytes;
};

void make(hdf5::File& file, const Dataset& good, Bytes& bytes, std::vector<Patch>& patches) {
  // Three in four are as they should be.
  const std::uint8_t oddity = bytes.next();
  if (oddity == 255) return;
  std::vector<Size> extent = good.extent;
  if (oddity >= 192 && oddity < 208) extent.push_back(oddity % 4);
  if (oddity >= 208 && oddity < 224) extent.pop_back();
  if (oddity >= 224 && oddity < 250 && !extent.empty()) {
    extent[oddity % extent.size()] = bytes.next() % 8;
  }
  if (extent.empty()) extent.push_back(1);
  const auto type = oddity >= 250    ? static_cast<hdf5::Type>(oddity % 4)
                    : good.has_names ? hdf5::Type::int32
                                     : hdf5::Type::float64;
  hdf5::File::DatasetOptions options{.extent = extent, .maximum = extent, .chunk = extent};
  for (Size& edge : options.chunk) edge = std::max<Size>(edge, 1);
  for (Size& edge : options.maximum) edge = std::max<Size>(edge, 1);
  if (good.has_names && type == hdf5::Type::int32) {
    const char* const names[] = {"Ar", "Kr", "Ar", "Kr", "Kr", "Ar", "Kr", " ", "A long name"};
    for (int k = bytes.next() % 4; k >= 0; --k) {
      // HDF5 has each name once.
      std::string name = names[bytes.next() % std::size(names)];
      const auto& known = options.value_names;
      if (std::find(known.begin(), known.end(), name) == known.end()) {
        options.value_names.push_back(name);
      }
    }
  }
  const std::string path = std::string("particles/trajectory/") + good.name;
  options.written_from_outside = !options.value_names.empty();
  file.make_dataset(path, type, options);
  Size count = 1;
  for (const Size edge : extent) count *= edge;
  if (count == 0) return;
  const std::vector<Size> first(extent.size(), 0);
  if (good.has_names || std::strcmp(good.name, "id") == 0) {
    std::vector<std::int64_t> values;
    for (Size k = 0; k < count; ++k) {
      const std::uint8_t value = bytes.next();
      const bool is_any = value >= 200;
      values.push_back(is_any           ? std::int64_t{value} << bytes.next() % 56
                       : good.has_names ? value % 2
                                        : static_cast<std::int64_t>(k) + value / 100);
    }
    if (options.value_names.empty()) {
      file.write(path, first, extent, values.data());
    } else {
      // The library turns no plain numbers into those of an enumeration.
      const std::vector<std::int32_t> small(values.begin(), values.end());
      const auto whole = std::as_bytes(std::span(small));
      patches.push_back({file.chunk_offset(path, first), {whole.begin(), whole.end()}});
    }
    return;
  }
  std::vector<double> values;
  for (Size k = 0; k < count; ++k) values.push_back(bytes.number());
  // Unit quaternions, orthorhombic edges.
  if (std::strcmp(good.name, "orientation/value") == 0 && oddity < 128) {
    for (Size k = 0; k < count; ++k) values[k] = k % 4 == 0 ? 1.0 : 0.0;
  }
  if (std::strcmp(good.name, "box/edges/value") == 0 && oddity < 128) {
    for (Size k = 0; k < count; ++k) {
      values[k] = extent.size() == 3 && k % 9 % 4 != 0 ? 0.125 * (values[k] > 0.0) : 9.0;
      if (extent.size() == 3 && k % 9 % 4 != 0 && k % 9 / 3 < k % 9 % 3) values[k] = 0.0;
    }
  }
  file.write(path, first, extent, values.data());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // HDF5 wants a file with a name.
  const std::string path =
      (std::filesystem::temp_directory_path() / fmt::format("sterna-fuzz-{}.h5md", ::getpid()))
          .string();
  Bytes bytes(data, size);
  const std::uint8_t shape = bytes.next(), which = bytes.next();
  const Size frames = 1 + shape % 3, particles = 1 + shape / 4 % 6;
  std::vector<Patch> patches;
  {
    hdf5::File file = hdf5::File::create(path);
    for (const char* group : {"particles", "particles/trajectory", "particles/trajectory/box",
                              "particles/trajectory/box/edges"}) {
      file.make_group(group);
    }
    std::vector<Dataset> datasets{{"position/value", {frames, particles, 3}},
                                  {"box/edges/value", {frames, 3}},
                                  {"species", {particles}, true},
                                  {"id", {particles}}};
    if (which & 1) datasets[1].extent.push_back(3);
    if (which & 2) datasets.push_back({"velocity/value", {frames, particles, 3}});
    if (which & 4) datasets.push_back({"image/value", {frames, particles, 3}});
    if (which & 8) datasets.push_back({"orientation/value", {frames, particles, 4}});
    if (which & 16) datasets.push_back({"angular_momentum/value", {frames, particles, 3}});
    for (const Dataset& dataset : datasets) {
      const std::string name = dataset.name;
      if (name.find("/value") != name.npos && name.find("box") == name.npos) {
        file.make_group("particles/trajectory/" + name.substr(0, name.find('/')));
      }
      make(file, dataset, bytes, patches);
    }
    if (which & 32 && file.exists("particles/trajectory/position/value")) {
      file.set_attribute("particles/trajectory/position/value", "unit", "nm");
    }
    file.close();
  }
  RawFile raw(path, RawFile::Mode::write);
  for (const Patch& patch : patches) raw.write_at(patch.offset, patch.bytes);
  sterna::md::StartFileOptions options;
  options.type_names = {"Ar", "Kr"};
  options.format = "h5md";
  // Seldom others than those of the file.
  const bool nano = (which & 32) != 0, others = (which & 192) == 192;
  if (nano != others) options.units = *UnitSystem::by_name("nano");
  StartFileFuzzer(path).read(options);
  std::filesystem::remove(path);
  return 0;
}

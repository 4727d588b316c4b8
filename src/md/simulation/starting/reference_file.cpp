#include "md/simulation/starting/reference_file.hpp"

#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "md/core/agreement.hpp"
#include "md/start/foreign/modylas/held_positions.hpp"
#include "md/start/readers/start_file_reader.hpp"
#include "sterna/comm/collective.hpp"

namespace sterna::md {
namespace {

using Place = Restraints::PlaceOfAtom;

constexpr std::size_t places_per_piece = 65536;

/// Reads the file on rank 0.
class Reader {
 public:
  Reader(const Input& input, const ReferenceFile& file, const Box& box) : box_(box) {
    const std::string path = (std::filesystem::path(input.path).parent_path() / file.path).string();
    if (modylas::has_held_positions(path)) {
      constexpr double angstrom = 1.0;
      const double unit = UnitSystem::by_name("real")->to_internal(angstrom, Dimension::length);
      const Vec3 middle = box.translation(0.5, 0.5, 0.5);
      for (const modylas::HeldPosition& held : modylas::read_held_positions(path)) {
        listed_.push_back({held.id, unit * held.position + middle});
      }
      return;
    }
    StartFileOptions options = StartFileReader::options_of(input);
    options.file_place = StartFileReader::place_of(input, file.place_of_key);
    options.format = "auto";
    options.box.reset();
    options.tilt = {};
    try {
      reader_ = StartFileReader::open(path, options);
    } catch (const StartFileError&) {
      // Formats without a box take the box of the run.
      options.box = box.length;
      options.tilt = box.tilt;
      reader_ = StartFileReader::open(path, options);
    }
    box_ = reader_->header().box;
  }

  const Box& box() const { return box_; }

  /// Reads the next positions; empty at the end.
  std::vector<Place> next() {
    std::vector<Place> places;
    if (!reader_) return std::exchange(listed_, {});
    for (const ParticleRecord& record : reader_->read_chunk(places_per_piece)) {
      places.push_back(
          {record.id, record.position.vector() +
                          box_.translation(record.image.x, record.image.y, record.image.z)});
    }
    return places;
  }

 private:
  Box box_;
  std::unique_ptr<StartFileReader> reader_;
  std::vector<Place> listed_;
};

}  // namespace

void read_reference_file(const comm::Context& context, const Input& input,
                         const ReferenceFile& file, const Box& box,
                         const Restraints::TakePlaces& take) {
  std::unique_ptr<Reader> reader;
  on_first_rank(context, [&] { reader = std::make_unique<Reader>(input, file, box); });
  for (;;) {
    // The box of the file is sent before its positions.
    std::string bytes;
    on_first_rank(context, [&] {
      const std::vector<Place> places = reader->next();
      bytes.resize(sizeof(Box) + places.size() * sizeof(Place));
      std::memcpy(bytes.data(), &reader->box(), sizeof(Box));
      if (!places.empty()) {
        std::memcpy(bytes.data() + sizeof(Box), places.data(), places.size() * sizeof(Place));
      }
    });
    comm::broadcast(context, 0, bytes);
    Box box_of_file;
    std::memcpy(&box_of_file, bytes.data(), sizeof(Box));
    std::vector<Place> places((bytes.size() - sizeof(Box)) / sizeof(Place));
    if (places.empty()) return;
    std::memcpy(places.data(), bytes.data() + sizeof(Box), places.size() * sizeof(Place));
    take(places, box_of_file);
  }
}

}  // namespace sterna::md

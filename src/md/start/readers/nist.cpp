// Reads the sample configurations of NIST's standard reference simulations for Lennard-Jones: three
// edges of the box, the number of particles, then a line `number x y z` for each, numbered from 1.
// The box is centered on the origin.

#include <fmt/format.h>

#include "md/core/display_text.hpp"
#include "md/input/fields.hpp"
#include "md/start/readers/box_frame.hpp"
#include "md/start/readers/formats.hpp"
#include "md/start/readers/reader_table.hpp"

namespace sterna::md {
namespace {

class NistReader final : public StartFileReader {
 public:
  NistReader(std::shared_ptr<const FileHandle> file, const StartFileOptions& options)
      : reader_(std::move(file)) {
    reader_.next();
    Fields fields(reader_.line());
    Vec3 edges;
    edges.x = number(reader_, fields.next(), "the x edge of the box");
    edges.y = number(reader_, fields.next(), "the y edge of the box");
    edges.z = number(reader_, fields.next(), "the z edge of the box");
    expect_end_of_line(reader_, fields, "three edges of the box");
    frame_ = BoxFrame::of_file(reader_, options, {edges}, -0.5 * edges);
    header_.box = frame_.box();
    reader_.next();
    Fields second(reader_.line());
    header_.particle_count =
        integer(reader_, second.next(), "the number of particles", 1, most_particles);
    expect_end_of_line(reader_, second, "the number of particles");
    if (options.type_names.size() != 1) {
      reader_.fail(
          fmt::format("a NIST file has particles of one type, but the input has {} "
                      "[[type]] sections",
                      options.type_names.size()));
    }
  }

 private:
  ParticleRecord next_particle() override {
    if (!reader_.next()) fail_early_end(reader_, read_, header_.particle_count);
    Fields fields(reader_.line());
    const std::string_view number_field = fields.next();
    ParticleRecord record{};
    record.id = integer(reader_, number_field, "the number of a particle", 1, most_particles);
    if (record.id != ++read_) {
      reader_.fail(number_field, fmt::format("expected particle number {}; found {}", read_,
                                             quote(number_field)));
    }
    Vec3 position;
    position.x = number(reader_, fields.next(), "the x coordinate");
    position.y = number(reader_, fields.next(), "the y coordinate");
    position.z = number(reader_, fields.next(), "the z coordinate");
    expect_end_of_line(reader_, fields, "`number x y z` (Lennard-Jones sites only)");
    frame_.place(reader_, position, record);
    return record;
  }
  void check_end() override { expect_end_of_file(reader_, header_.particle_count); }

  LineReader reader_;
  BoxFrame frame_;
  std::int64_t read_ = 0;
};

/// The number of fields of the line; -1 if a field is not a number.
int numbers_in(std::string_view line) {
  Fields fields(line);
  int count = 0;
  double value = 0.0;
  for (std::string_view field = fields.next(); !field.empty(); field = fields.next(), ++count) {
    if (!parse_number(field, value)) return -1;
  }
  return count;
}

bool recognizes_nist(std::string_view first, std::string_view second) {
  return numbers_in(first) == 3 && is_one_integer(second);
}

}  // namespace

StartReaderRow start_reader::nist() {
  return {.name = "nist",
          .sentence = "the Lennard-Jones configurations of NIST",
          .looks_like = "NIST (three box edges, then the number of particles)",
          .recognizes = recognizes_nist,
          .open = open_reader<NistReader>};
}

}  // namespace sterna::md

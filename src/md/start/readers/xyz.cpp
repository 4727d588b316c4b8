// Reads plain XYZ: the number of particles, a comment, then a line `name x y z` or `name x y z vx
// vy vz` for each.

#include "md/input/fields.hpp"
#include "md/start/readers/box_frame.hpp"
#include "md/start/readers/formats.hpp"
#include "md/start/readers/line_pieces.hpp"
#include "md/start/readers/reader_table.hpp"
#include "md/start/readers/type_names.hpp"

namespace sterna::md {
namespace {

class XyzReader final : public StartFileReader {
 public:
  XyzReader(std::shared_ptr<const FileHandle> file, const StartFileOptions& options)
      : reader_(std::move(file)),
        types_(options.type_names, options.type_section),
        velocity_unit_(options.units.to_internal(1.0, Dimension::velocity)) {
    reader_.next();
    Fields fields(reader_.line());
    header_.particle_count =
        integer(reader_, fields.next(), "the number of particles", 1, most_particles);
    expect_end_of_line(reader_, fields, "the number of particles");
    if (!reader_.next()) fail_early_end(reader_, 0, header_.particle_count);
    frame_ = BoxFrame::of_input(reader_, options, "use extended XYZ, which has one in this line");
    header_.box = frame_.box();
    pieces_ = LinePieces(reader_, options.piece_bytes);
    if (!reader_.next()) fail_early_end(reader_, 0, header_.particle_count);
    Fields first(reader_.line());
    int columns = 0;
    while (!first.next().empty()) ++columns;
    header_.has_velocities = columns == 7;
    reader_.go_to(reader_.mark());
  }

  std::int64_t piece_count() const override { return pieces_.count(); }

 private:
  ParticleRecord next_particle() override {
    if (!reader_.next()) fail_early_end(reader_, read_, header_.particle_count);
    ParticleRecord record = particle_of_line();
    record.id = ++read_;
    return record;
  }

  void append_piece(std::int64_t piece, std::vector<ParticleRecord>& records) override {
    pieces_.for_each_line(reader_, piece, [&] { records.push_back(particle_of_line()); });
  }

  ParticleRecord particle_of_line() {
    Fields fields(reader_.line());
    ParticleRecord record{};
    record.position.type = types_.find(reader_, fields.next());
    Vec3 position;
    position.x = number(reader_, fields.next(), "the x coordinate");
    position.y = number(reader_, fields.next(), "the y coordinate");
    position.z = number(reader_, fields.next(), "the z coordinate");
    if (header_.has_velocities) {
      record.velocity = velocity(reader_, fields, velocity_unit_);
      expect_end_of_line(reader_, fields, "`name x y z vx vy vz`");
    } else {
      expect_end_of_line(reader_, fields, "`name x y z`");
    }
    frame_.place(reader_, position, record);
    return record;
  }
  void check_end() override { expect_end_of_file(reader_, header_.particle_count); }

  LineReader reader_;
  TypeNames types_;
  double velocity_unit_;
  BoxFrame frame_;
  LinePieces pieces_;
  std::int64_t read_ = 0;
};

bool recognizes_xyz(std::string_view first, std::string_view second) {
  return is_one_integer(first) && !is_comment_of_extended_xyz(second);
}

}  // namespace

StartReaderRow start_reader::xyz() {
  return {.name = "xyz",
          .sentence = "plain XYZ",
          .looks_like = "XYZ (a first line with the number of particles)",
          .recognizes = recognizes_xyz,
          .open = open_reader<XyzReader>};
}

}  // namespace sterna::md

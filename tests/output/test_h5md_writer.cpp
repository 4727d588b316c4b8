#include <cmath>
#include <cstring>
#include <fstream>

#include "md/output/h5md_writer.hpp"
#include "md/output/hdf5_file.hpp"
#include "output/output_support.hpp"

using namespace sterna;
using namespace sterna::md;

namespace {

constexpr std::int64_t total = 3000;
const Box box{{4000.0, 4000.0, 4000.0}};

/// Small blocks and two chunks per field, so that little data takes every path.
H5mdOptions small_options() {
  H5mdOptions options;
  options.fields = {"position", "velocity", "force", "image"};
  options.type_names = {"A", "B", "C"};
  options.type_masses = {1.0, 2.5, 4.0};
  options.observables = {{"temperature", ""}, {"pressure", ""}};
  options.maximum_chunk_bytes = 40000;
  options.redistribution = {.method = "auto", .granularity = 64, .piece_slots = 256};
  return options;
}

bool library_is_missing() {
  try {
    hdf5::library();
    return false;
  } catch (const FileError& error) {
    MESSAGE("skipped: ", error.what());
    return true;
  }
}

void write_frames(const comm::Context& context, H5mdWriter& writer, std::int64_t from,
                  std::int64_t to, bool rotating = false) {
  for (std::int64_t frame = from; frame < to; ++frame) {
    const double observables[2] = {1.0 + static_cast<double>(frame), -1.0};
    writer.write_frame(100 * frame, 0.5 * static_cast<double>(frame), box,
                       dealt_particles(context, total, frame, rotating), observables);
  }
}

/// Reads a chunked field of one frame as the format says where it lies.
template <class T>
std::vector<T> field_of(const std::string& path, const std::string& name, hdf5::Size frame,
                        hdf5::Size chunk_rows, std::size_t components) {
  const hdf5::File file = hdf5::File::open(path);
  std::vector<T> values(static_cast<std::size_t>(total) * components);
  std::ifstream raw(path, std::ios::binary);
  for (hdf5::Size row = 0; row < total; row += chunk_rows) {
    const hdf5::Size first[3] = {frame, row, 0};
    raw.seekg(
        static_cast<std::streamoff>(file.chunk_offset("particles/trajectory/" + name, first)));
    raw.read(reinterpret_cast<char*>(values.data() + row * components),
             static_cast<std::streamsize>(std::min<hdf5::Size>(chunk_rows, total - row) *
                                          components * sizeof(T)));
  }
  REQUIRE(raw.good());
  return values;
}

void check_frame(const std::string& path, std::int64_t frame, hdf5::Size chunk_rows) {
  const auto position =
      field_of<double>(path, "position/value", static_cast<hdf5::Size>(frame), chunk_rows, 3);
  bool all_right = true;
  for (std::int64_t slot = 0; slot < total; ++slot) {
    for (int c = 0; c < 3; ++c) {
      all_right &=
          position[static_cast<std::size_t>(slot * 3 + c)] == self_identifying(slot + 1, c, frame);
    }
  }
  CHECK(all_right);
}

// 40000 bytes of 24 a row: two chunks of 1500 rows, rounded up to a multiple of 64.
constexpr hdf5::Size chunk_rows_of_position = 1536;

}  // namespace

TEST_CASE("frames of all ranks lie in the order of ids") {
  if (library_is_missing()) return;
  const comm::Context context;
  const SharedFolder folder(context);
  const std::string path = folder / "run.h5";
  {
    H5mdWriter writer = H5mdWriter::create(context, path, total, small_options());
    write_frames(context, writer, 0, 3);
    writer.sync();
    CHECK(writer.frame_count() == 3);
  }
  if (context.rank() == 0) {
    for (std::int64_t frame = 0; frame < 3; ++frame) {
      check_frame(path, frame, chunk_rows_of_position);
    }
    const auto image = field_of<std::int32_t>(path, "image/value", 2, 3000, 3);
    CHECK(image[3 * 41] == 42 % 5);
    CHECK(image[3 * 41 + 1] == -(42 % 7));
    const hdf5::File file = hdf5::File::open(path);
    CHECK(file.read_integers("particles/trajectory/position/step") ==
          std::vector<std::int64_t>{0, 100, 200});
    CHECK(file.read_integers("particles/trajectory/id").back() == total);
    CHECK(file.extent("observables/pressure/value") == std::vector<hdf5::Size>{3});
  }
}

TEST_CASE("ids of any kind are kept, and frames lie in their order") {
  if (library_is_missing()) return;
  const comm::Context context;
  const SharedFolder folder(context);
  const std::string path = folder / "run.h5";
  const auto frame_of = [&](std::int64_t frame) {
    ParticleStore store = dealt_particles(context, total, frame);
    for (std::int64_t& id : store.id) id = 5 * (id - 1) * (id - 1);
    return store;
  };
  const double observables[2] = {1.0, -1.0};
  {
    H5mdWriter writer = H5mdWriter::create(context, path, total, small_options());
    for (std::int64_t frame = 0; frame < 2; ++frame) {
      writer.write_frame(100 * frame, 0.0, box, frame_of(frame), observables);
    }
  }
  {
    H5mdWriter writer = H5mdWriter::resume(context, path, total, small_options(), 100);
    writer.write_frame(200, 0.0, box, frame_of(2), observables);
  }
  if (context.rank() != 0) return;
  for (std::int64_t frame = 0; frame < 3; ++frame) {
    check_frame(path, frame, chunk_rows_of_position);
  }
  const hdf5::File file = hdf5::File::open(path);
  const std::vector<std::int64_t> ids = file.read_integers("particles/trajectory/id");
  REQUIRE(ids.size() == total);
  bool all_right = true;
  for (std::int64_t slot = 0; slot < total; ++slot) {
    all_right &= ids[static_cast<std::size_t>(slot)] == 5 * slot * slot;
  }
  CHECK(all_right);
}

TEST_CASE("orientations are a field where particles rotate") {
  if (library_is_missing()) return;
  const comm::Context context;
  const SharedFolder folder(context);
  H5mdOptions options = small_options();
  options.fields = {"position", "orientation"};
  {
    H5mdWriter writer = H5mdWriter::create(context, folder / "run.h5", total, options);
    write_frames(context, writer, 0, 2, true);
  }
  {
    H5mdWriter writer = H5mdWriter::resume(context, folder / "run.h5", total, options, 100);
    write_frames(context, writer, 2, 3, true);
  }
  if (context.rank() == 0) {
    // 40000 bytes of 32 a row: three chunks of 1000 rows, rounded up to a multiple of 64.
    for (std::int64_t frame = 0; frame < 3; ++frame) {
      const auto values = field_of<double>(folder / "run.h5", "orientation/value",
                                           static_cast<hdf5::Size>(frame), 1024, 4);
      bool all_right = true;
      for (std::int64_t slot = 0; slot < total; ++slot) {
        const Quaternion q = self_identifying_orientation(slot + 1, frame);
        const double* row = values.data() + 4 * slot;
        all_right &= q == Quaternion{row[0], row[1], row[2], row[3]};
      }
      CHECK(all_right);
    }
  }
  H5mdWriter writer = H5mdWriter::create(context, folder / "atoms.h5", total, options);
  CHECK(contains(failure_of([&] { write_frames(context, writer, 0, 1); }), "no particle rotates"));
}

TEST_CASE("positions are wrapped and the image counts it") {
  if (library_is_missing()) return;
  const comm::Context context;
  const SharedFolder folder(context);
  H5mdOptions options = small_options();
  options.fields = {"image", "position"};
  options.maximum_chunk_bytes = 1 << 20;
  H5mdWriter writer = H5mdWriter::create(context, folder / "run.h5", total, options);
  const Box narrow{{100.0, 4000.0, 4000.0}};
  const double observables[2] = {0.0, 0.0};
  writer.write_frame(0, 0.0, narrow, dealt_particles(context, total), observables);
  if (context.rank() == 0) {
    const auto position = field_of<double>(folder / "run.h5", "position/value", 0, total, 3);
    const auto image = field_of<std::int32_t>(folder / "run.h5", "image/value", 0, total, 3);
    const std::size_t slot = 2345;
    CHECK(position[3 * slot] == doctest::Approx(46.0));
    CHECK(image[3 * slot] == 2346 % 5 + 23);
    CHECK(image[3 * slot + 2] == 1);
  }
  comm::barrier(context);
}

TEST_CASE("a resumed file keeps the frames up to the checkpoint") {
  if (library_is_missing()) return;
  const comm::Context context;
  const SharedFolder folder(context);
  const std::string path = folder / "run.h5";
  {
    H5mdWriter writer = H5mdWriter::create(context, path, total, small_options());
    write_frames(context, writer, 0, 4);
  }
  {
    H5mdWriter writer = H5mdWriter::resume(context, path, total, small_options(), 150);
    CHECK(writer.frame_count() == 2);
    write_frames(context, writer, 2, 5);
  }
  if (context.rank() == 0) {
    for (std::int64_t frame = 0; frame < 5; ++frame) {
      check_frame(path, frame, chunk_rows_of_position);
    }
    CHECK(hdf5::File::open(path).read_integers("observables/pressure/step") ==
          std::vector<std::int64_t>{0, 100, 200, 300, 400});
  }
  comm::barrier(context);

  const auto refusal = [&](std::int64_t particles, const H5mdOptions& options) {
    return failure_of([&] { H5mdWriter::resume(context, path, particles, options, 150); });
  };
  CHECK(contains(refusal(total + 1, small_options()), "3000 particles, the run has 3001"));
  H5mdOptions other = small_options();
  other.single_precision = true;
  CHECK(contains(refusal(total, other), "its position/value has another precision"));
  other = small_options();
  other.fields = {"position"};
  CHECK(contains(refusal(total, other), "field velocity, which this run does not write"));
  other = small_options();
  other.observables.push_back({"volume", ""});
  CHECK(contains(refusal(total, other), "no observable volume"));
  CHECK(contains(refusal(total, other), path));

  H5mdWriter fresh = H5mdWriter::resume(context, folder / "none.h5", total, small_options(), 150);
  CHECK(fresh.frame_count() == 0);
  on_first_rank(context, [&] { std::ofstream(folder / "text.h5") << "text"; });
  CHECK(contains(failure_of([&] {
                   H5mdWriter::resume(context, folder / "text.h5", total, small_options(), 0);
                 }),
                 "text.h5: cannot open"));
}

TEST_CASE("added fields are elements with steps of their own, in files that are continued, too") {
  if (library_is_missing()) return;
  const comm::Context context;
  const SharedFolder folder(context);
  for (const bool compressed : {false, true}) {
    CAPTURE(compressed);
    const std::string path = folder / (compressed ? "small.h5" : "run.h5");
    H5mdOptions options = small_options();
    options.compressed = compressed;
    const double observables[2] = {1.0, -1.0};
    const auto number = [](std::int64_t id, int component, std::int64_t frame) {
      return static_cast<double>(id) + 0.25 * component + 10000.0 * static_cast<double>(frame);
    };
    const auto write = [&](H5mdWriter& writer, std::int64_t frame,
                           const std::vector<AddedFieldLayout>& layouts) {
      const ParticleStore store = dealt_particles(context, total, frame);
      AddedFields added;
      added.restore(layouts);
      added.resize(store.local_count());
      for (const AddedFieldLayout& layout : layouts) {
        AddedField& field = added.at(layout.name);
        for (std::size_t i = 0; i < store.local_count(); ++i) {
          for (int c = 0; c < layout.components; ++c) {
            field.of(i)[static_cast<std::size_t>(c)] = number(store.id[i], c, frame);
          }
        }
      }
      writer.write_frame(100 * frame, 0.5 * static_cast<double>(frame), box, store, observables,
                         &added);
    };
    const AddedFieldLayout charge{"charge", 1}, spin{"spin", 3}, late{"late", 1};
    {
      H5mdWriter writer = H5mdWriter::create(context, path, total, options);
      write(writer, 0, {});
      write(writer, 1, {charge});
      write(writer, 2, {charge, spin});
      write(writer, 3, {charge, spin, late});
    }
    {
      // "late" was added behind the checkpoint, and the run that goes on does not add it.
      H5mdWriter writer = H5mdWriter::resume(context, path, total, options, 250);
      write(writer, 3, {charge, spin});
      write(writer, 4, {charge, spin});
    }
    // Another number of components, where the file has the field.
    const std::string refused = failure_of([&] {
      H5mdWriter writer = H5mdWriter::resume(context, path, total, options, 400);
      write(writer, 5, {{"spin", 2}});
    });
    CHECK(contains(refused, "its spin/value has another shape"));
    if (context.rank() != 0) continue;
    const hdf5::File file = hdf5::File::open(path);
    const auto steps = [&](const std::string& name) {
      return file.read_integers("particles/trajectory/" + name + "/step");
    };
    CHECK(steps("position") == std::vector<std::int64_t>{0, 100, 200, 300, 400});
    CHECK(steps("charge") == std::vector<std::int64_t>{100, 200, 300, 400});
    CHECK(steps("spin") == std::vector<std::int64_t>{200, 300, 400});
    CHECK(steps("late").empty());
    CHECK(file.extent("particles/trajectory/charge/value") == std::vector<hdf5::Size>{4, total});
    CHECK(file.extent("particles/trajectory/spin/value") == std::vector<hdf5::Size>{3, total, 3});
    bool all_right = true;
    for (std::int64_t frame = 1; frame < 5; ++frame) {
      const hdf5::Size first[3] = {static_cast<hdf5::Size>(frame - 1), 0, 0};
      const hdf5::Size size[3] = {1, total, 3};
      const auto charges = file.read("particles/trajectory/charge/value",
                                     std::span(first).first<2>(), std::span(size).first<2>());
      for (std::int64_t k = 0; k < total; ++k) {
        all_right &= charges[static_cast<std::size_t>(k)] == number(k + 1, 0, frame);
      }
      if (frame < 2) continue;
      const hdf5::Size before[3] = {static_cast<hdf5::Size>(frame - 2), 0, 0};
      const auto spins = file.read("particles/trajectory/spin/value", before, size);
      for (std::int64_t k = 0; k < 3 * total; ++k) {
        all_right &=
            spins[static_cast<std::size_t>(k)] == number(k / 3 + 1, static_cast<int>(k % 3), frame);
      }
    }
    CHECK(all_right);
  }
}

TEST_CASE("a full disk is an error on all ranks, and earlier frames stay readable") {
  if (library_is_missing()) return;
  const comm::Context context;
  const SharedFolder folder(context);
  const std::string path = folder / "run.h5";
  H5mdWriter writer = H5mdWriter::create(context, path, total, small_options());
  write_frames(context, writer, 0, 2);
  const auto size = std::filesystem::file_size(path);
  // Once every rank runs into it, once only the last one.
  for (int some_rank : {0, context.size() - 1}) {
    CAPTURE(some_rank);
    std::string text;
    {
      const FileSizeLimit limit(context.rank() >= some_rank ? size + 1000 : std::uint64_t{1} << 40);
      text = failure_of([&] { write_frames(context, writer, 2, 3); });
    }
    CHECK(contains(text, path));
    CHECK(contains(text, "File too large"));
    CHECK(writer.frame_count() == 2);
    if (context.rank() == 0) {
      CHECK(hdf5::File::open(path).read_integers("particles/trajectory/position/step").size() == 2);
      CHECK(hdf5::File::open(path).extent("particles/trajectory/position/value")[0] == 2);
      check_frame(path, 1, chunk_rows_of_position);
    }
    comm::barrier(context);
  }
  // The disk has free space again.
  write_frames(context, writer, 2, 4);
  if (context.rank() == 0) check_frame(path, 3, chunk_rows_of_position);
  comm::barrier(context);
}

TEST_CASE("wrong input is an error on all ranks") {
  if (library_is_missing()) return;
  const comm::Context context;
  const SharedFolder folder(context);
  H5mdOptions options = small_options();
  const auto refusal = [&] {
    return failure_of([&] { H5mdWriter::create(context, folder / "run.h5", total, options); });
  };
  options.fields = {"position", "momentum"};
  CHECK(contains(refusal(), "there is no field \"momentum\"; fields are position, velocity"));
  options.fields = {};
  CHECK(contains(refusal(), "at least one field"));
  options.fields = {"position", "position"};
  CHECK(contains(refusal(), "named twice"));
  CHECK(contains(
      failure_of([&] { H5mdWriter::create(context, "/nowhere/run.h5", total, small_options()); }),
      "/nowhere/run.h5: cannot create"));

  H5mdWriter writer = H5mdWriter::create(context, folder / "run.h5", total, small_options());
  ParticleStore store = dealt_particles(context, total);
  const double observables[2] = {0.0, 0.0};
  for (std::size_t i = 0; i < store.local_count(); ++i) {
    if (store.id[i] == 17) store.id[i] = 18;
  }
  CHECK(contains(failure_of([&] { writer.write_frame(0, 0.0, box, store, observables); }),
                 "run.h5: "));
  CHECK(contains(
      failure_of([&] { writer.write_frame(0, 0.0, box, dealt_particles(context, total)); }),
      "2 observables are declared, but 0 came"));
  CHECK(writer.frame_count() == 0);
  write_frames(context, writer, 0, 1);
  if (context.rank() == 0) check_frame(folder / "run.h5", 0, chunk_rows_of_position);
  comm::barrier(context);
}

// For tests/python/test_h5md.py, which reads the files with h5py and MDAnalysis.
TEST_CASE("files for other readers" * doctest::skip()) {
  const comm::Context context;
  const char* folder = std::getenv("STERNA_TEST_OUTPUT");
  REQUIRE(folder != nullptr);
  H5mdOptions options = small_options();
  {
    H5mdWriter writer =
        H5mdWriter::create(context, std::string(folder) + "/reduced.h5md", total, options);
    write_frames(context, writer, 0, 3);
  }
  options.reduced_units = false;
  options.single_precision = true;
  options.fields.emplace_back("orientation");
  H5mdWriter writer =
      H5mdWriter::create(context, std::string(folder) + "/nano.h5md", total, options);
  write_frames(context, writer, 0, 3, true);
}

TEST_CASE("compressed frames are the frames, and a file stays of one kind") {
  if (library_is_missing()) return;
  const comm::Context context;
  const SharedFolder folder(context);
  H5mdOptions options = small_options();
  options.fields = {"position", "velocity", "orientation", "angular_momentum"};
  options.compressed = true;
  {
    H5mdWriter writer = H5mdWriter::create(context, folder / "run.h5", total, options);
    write_frames(context, writer, 0, 2, true);
  }
  {
    H5mdWriter writer = H5mdWriter::resume(context, folder / "run.h5", total, options, 100);
    write_frames(context, writer, 2, 3, true);
  }
  if (context.rank() == 0) {
    const hdf5::File file = hdf5::File::open_to_read(folder / "run.h5");
    CHECK(file.is_compressed("particles/trajectory/position/value"));
    CHECK_FALSE(file.is_compressed("particles/trajectory/id"));
    CHECK(file.value_names("particles/trajectory/species") == options.type_names);
    for (hdf5::Size frame = 0; frame < 3; ++frame) {
      const hdf5::Size first[3] = {frame, 0, 0}, count[3] = {1, total, 4};
      const auto values = file.read("particles/trajectory/orientation/value", first, count);
      bool all_right = true;
      for (std::int64_t slot = 0; slot < total; ++slot) {
        const Quaternion q =
            self_identifying_orientation(slot + 1, static_cast<std::int64_t>(frame));
        const double* row = values.data() + 4 * slot;
        all_right &= q == Quaternion{row[0], row[1], row[2], row[3]};
      }
      CHECK(all_right);
    }
  }
  options.compressed = false;
  CHECK(contains(
      failure_of([&] { H5mdWriter::resume(context, folder / "run.h5", total, options, 100); }),
      "its position/value is compressed"));
}

#include <algorithm>
#include <cmath>
#include <limits>

#include "md/input/forecast.hpp"
#include "md/input/physics_advice.hpp"
#include "md/input/read_input.hpp"
#include "md/output/atomic_file.hpp"
#include "md/output/checkpoint.hpp"
#include "output/output_support.hpp"
#include "sterna/comm/messenger.hpp"
#include "sterna/comm/reduction_batch.hpp"

using namespace sterna;
using namespace sterna::md;

namespace {

// More than two segments of 8192 records on one rank.
constexpr std::int64_t total = 20011;

CheckpointState state_at(std::int64_t step) {
  CheckpointState state;
  state.step = step;
  state.time = 0.1 * static_cast<double>(step);
  state.box = {{30000.1, 30000.2, 1.0 / 3.0}};
  state.grid = {1, 1, 1};
  state.types = {"A", "B", "C"};
  state.input_hash = 0xfedcba9876543210;
  state.program = "test";
  state.state = {{"thermostat", {{"integral", exact_text(1e-300 / 3)}}}};
  return state;
}

bool same_particle(const ParticleStore& a, std::size_t i, const ParticleStore& b, std::size_t j) {
  return a.id[i] == b.id[j] && a.position[i].vector() == b.position[j].vector() &&
         a.position[i].type == b.position[j].type && a.velocity[i] == b.velocity[j] &&
         a.image[i].x == b.image[j].x && a.image[i].y == b.image[j].y &&
         a.image[i].z == b.image[j].z;
}

/// Every id there exactly once over all ranks, every particle with its own data.
void check_all_there(const comm::Context& context, const ParticleStore& store) {
  bool all_right = true;
  std::vector<std::int64_t> seen(static_cast<std::size_t>(total), 0);
  for (std::size_t i = 0; i < store.local_count(); ++i) {
    const std::int64_t id = store.id[i];
    REQUIRE((id >= 1 && id <= total));
    ++seen[static_cast<std::size_t>(id - 1)];
    all_right &=
        store.position[i].vector() ==
        Vec3{self_identifying(id, 0, 0), self_identifying(id, 1, 0), self_identifying(id, 2, 0)};
    all_right &= store.position[i].type == id % 3 && store.image[i].z == 1;
    all_right &= store.velocity[i].y == -self_identifying(id, 1, 0);
  }
  comm::ReductionBatch(context).sum(seen.data(), seen.size()).run();
  for (const std::int64_t times : seen) all_right &= times == 1;
  CHECK(all_right);
}

void flip_bit(const std::string& path, std::uint64_t byte) {
  RawFile file(path, RawFile::Mode::write);
  std::byte value;
  file.read_at(byte, {&value, 1});
  value ^= std::byte{4};
  file.write_at(byte, {&value, 1});
}

}  // namespace

TEST_CASE("doubles survive as text bit for bit") {
  for (const double value : {0.1, -1.0 / 3.0, 0.0, -0.0, 5e-324, 1.7976931348623157e308,
                             std::numeric_limits<double>::infinity()}) {
    const double back = exact_value(exact_text(value));
    CHECK(back == value);
    CHECK(std::signbit(back) == std::signbit(value));
  }
  CHECK(std::isnan(exact_value(exact_text(std::nan("")))));
  CHECK(contains(failure_of([] { exact_value(1.5); }), "hexadecimal notation, found 1.5"));
  CHECK(contains(failure_of([] { exact_value("0x1.8q"); }), "found \"0x1.8q\""));
  const std::vector<double> values{0.1, -1e-310, 1e300, -0.0};
  CHECK(exact_values(packed_array(values)) == values);
  CHECK(std::signbit(exact_values(packed_array(values))[3]));
  CHECK(exact_values(exact_array(values)) == values);
  CHECK(contains(failure_of([] { exact_values("3fe000000000000"); }), "16 hexadecimal digits"));
  CHECK(contains(failure_of([] { exact_values("3fe000000000000g"); }), "16 hexadecimal digits"));
}

TEST_CASE("the same ranks read what they wrote, in its order") {
  const comm::Context context;
  const SharedFolder folder(context);
  const ParticleStore written = dealt_particles(context, total);
  const CheckpointReport report = write_checkpoint(context, folder / "run", state_at(500), written);
  CHECK(report.bytes == std::filesystem::file_size(folder / "run.checkpoint"));
  CHECK(!file_exists(folder / "run.checkpoint.new"));

  const CheckpointReader reader(context, folder / "run.checkpoint");
  const CheckpointState& state = reader.state();
  CHECK(state.step == 500);
  CHECK(state.time == state_at(500).time);
  CHECK(state.box.length == state_at(500).box.length);
  CHECK(state.types == state_at(500).types);
  CHECK(state.input_hash == 0xfedcba9876543210);
  CHECK(state.ranks == context.size());
  CHECK(state.particles == total);
  CHECK(exact_value(state.state["thermostat"]["integral"]) == 1e-300 / 3);
  CHECK(reader.has_block_per_rank());
  ParticleStore read;
  reader.read_particles(read);
  REQUIRE(read.local_count() == written.local_count());
  bool same = true;
  for (std::size_t i = 0; i < read.local_count(); ++i) same &= same_particle(read, i, written, i);
  CHECK(same);

  const std::vector<std::string> others{"A", "D", "C"};
  CHECK(contains(failure_of([&] { reader.require_types(others); }),
                 "with the particle types [A, B, C], the input has [A, D, C]"));
  reader.require_types(state.types);
}

TEST_CASE("molecules keep orientation and angular momentum; atoms need no space for them") {
  const comm::Context context;
  const SharedFolder folder(context);
  const ParticleStore atoms = dealt_particles(context, total);
  const ParticleStore molecules = dealt_particles(context, total, 0, true);
  const auto lean = write_checkpoint(context, folder / "atoms", state_at(1), atoms);
  const auto full = write_checkpoint(context, folder / "molecules", state_at(1), molecules);
  CHECK(static_cast<double>(full.bytes) / static_cast<double>(lean.bytes) ==
        doctest::Approx(128.0 / 72.0).epsilon(0.02));
  // Atoms are written as ever, so that programs without molecules read them.
  std::uint32_t versions[2] = {};
  for (const int kind : {0, 1}) {
    const RawFile file(folder / (kind == 0 ? "atoms.checkpoint" : "molecules.checkpoint"),
                       RawFile::Mode::read);
    file.read_at(8, std::as_writable_bytes(std::span(&versions[kind], 1)));
  }
  CHECK(versions[0] == 1);
  CHECK(versions[1] == 2);

  const CheckpointReader reader(context, folder / "molecules.checkpoint");
  reader.verify();
  ParticleStore read;
  CHECK(contains(failure_of([&] { reader.read_particles(read); }), "those of the input do not"));
  read.set_rotating(true);
  reader.read_particles(read);
  REQUIRE(read.local_count() == molecules.local_count());
  bool same = true;
  for (std::size_t i = 0; i < read.local_count(); ++i) {
    same &= same_particle(read, i, molecules, i);
    same &= read.orientation[i] == molecules.orientation[i];
    same &= read.angular_momentum[i] == molecules.angular_momentum[i];
  }
  CHECK(same);

  ParticleStore others;
  others.set_rotating(true);
  const CheckpointReader of_atoms(context, folder / "atoms.checkpoint");
  CHECK(contains(failure_of([&] { of_atoms.read_particles(others); }), "no orientations"));
}

TEST_CASE("where only some particles rotate, a checkpoint has orientations of these alone") {
  const comm::Context context;
  const SharedFolder folder(context);
  const ParticleStore atoms = dealt_particles(context, total);
  const ParticleStore full = dealt_particles(context, total, 0, true);
  const ParticleStore some = dealt_particles(context, total, 0, true, {0, 0, 1});
  const auto of_atoms = write_checkpoint(context, folder / "atoms", state_at(1), atoms);
  AddedFields fields;
  fields.resize(some.local_count());
  AddedField& charge = fields.add("charge", 1, 0.0);
  for (std::size_t i = 0; i < some.local_count(); ++i) {
    charge.of(i)[0] = -static_cast<double>(some.id[i]);
  }
  const std::vector<std::byte> piece(17, std::byte{3});
  const std::span<const std::byte> views[] = {piece};
  const auto of_all = write_checkpoint(context, folder / "full", state_at(1), full);
  const auto written = write_checkpoint(context, folder / "some", state_at(1), some);
  // A third of the particles has 64 bytes more.
  CHECK(static_cast<double>(written.bytes - of_atoms.bytes) ==
        doctest::Approx(64.0 / 3.0 * static_cast<double>(total)).epsilon(0.05));
  for (const bool all_rotate : {false, true}) {
    const std::string text =
        std::string(
            "[run]\nsteps = 1\ntimestep = 0.005\n[start]\nkind = \"random\"\nparticles = 20011\n"
            "density = 0.3\ntemperature = 1.0\n[interaction]\ncutoff = 2.0\n") +
        (all_rotate ? "" : "[[type]]\nname = \"A\"\nfraction = 2.0\n") +
        "[[component]]\nname = \"B\"\n"
        "[[component.site]]\nkind = \"lennard_jones\"\nposition = [0, 0, 0.5]\nmass = 1.0\n"
        "epsilon = 1.0\nsigma = 1.0\n"
        "[[component.site]]\nkind = \"lennard_jones\"\nposition = [0, 0, -0.5]\nmass = 1.0\n"
        "epsilon = 1.0\nsigma = 1.0\n";
    const ReadResult input = read_input_text(text, "some.toml");
    REQUIRE(input.ok());
    SystemFacts facts = facts_of(input.input);
    facts.ranks = 1;
    const auto expected = forecast(input.input, facts);
    REQUIRE(expected.has_value());
    const auto found = all_rotate ? of_all : written;
    CHECK(expected->checkpoint_bytes ==
          doctest::Approx(static_cast<double>(found.bytes)).epsilon(0.02));
  }
  write_checkpoint(context, folder / "fields", state_at(1), some, views, &fields);

  const auto check_read = [&](const comm::Context& readers, const char* name,
                              const std::vector<char>& turning) {
    CAPTURE(name);
    const CheckpointReader reader(readers, folder / (std::string(name) + ".checkpoint"));
    reader.verify();
    ParticleStore read;
    read.set_turning_types(turning);
    AddedFields back;
    const bool with_fields = !reader.state().fields.empty();
    reader.read_particles(read, with_fields ? &back : nullptr);
    check_all_there(readers, read);
    const bool all_were_written = std::string(name) == "full";
    bool same = true;
    for (std::size_t i = 0; i < read.local_count(); ++i) {
      const std::int64_t id = read.id[i];
      const bool turns = read.turns(i) && (all_were_written || id % 3 == 2);
      same &= read.orientation[i] == (turns ? self_identifying_orientation(id, 0) : Quaternion{});
      same &= read.angular_momentum[i].x == (turns ? self_identifying(id, 7, 0) : 0.0);
      if (with_fields) same &= back.at("charge").of(i)[0] == -static_cast<double>(id);
    }
    CHECK(same);
  };
  // Files of earlier versions have orientations of all, and either kind of store reads either file.
  for (const char* name : {"some", "fields", "full"}) {
    check_read(context, name, {0, 0, 1});
    check_read(context, name, {1, 1, 1});
  }
  const comm::Context alone = context.split(context.rank() == 0 ? 0 : -1);
  for (const char* name : {"some", "fields"}) {
    if (alone.valid()) check_read(alone, name, {0, 0, 1});
  }
  const std::string path = folder / "some.checkpoint";
  std::uint32_t version = 0;
  RawFile(path, RawFile::Mode::read).read_at(8, std::as_writable_bytes(std::span(&version, 1)));
  CHECK(version == 10);
  // Orientations have the checksum of their segment.
  comm::barrier(context);
  if (context.rank() == 0) {
    const auto records = 72 * std::min<std::uint64_t>(some.local_count(), 8192);
    flip_bit(path, first_checkpoint_block + records + 70);
  }
  comm::barrier(context);
  const CheckpointReader damaged(context, path);
  CHECK(contains(failure_of([&] { damaged.verify(); }), "is damaged: the checksum of bytes"));
}

TEST_CASE("added fields are in records, and come back to as many ranks and to fewer") {
  const comm::Context context;
  const SharedFolder folder(context);
  const auto component = [](std::int64_t id, std::size_t axis) {
    return static_cast<double>(id) / 7.0 + 1e6 * static_cast<double>(axis);
  };
  for (const bool rotating : {false, true}) {
    const ParticleStore written = dealt_particles(context, total, 0, rotating);
    AddedFields fields;
    fields.resize(written.local_count());
    AddedField& anchor = fields.add("anchor", 3, 0.0);
    AddedField& charge = fields.add("charge", 1, 0.0);
    for (std::size_t i = 0; i < written.local_count(); ++i) {
      const std::int64_t id = written.id[i];
      for (std::size_t axis = 0; axis < 3; ++axis) anchor.of(i)[axis] = component(id, axis);
      charge.of(i)[0] = -static_cast<double>(id);
    }
    const std::vector<std::byte> piece(17, std::byte{3});
    const std::span<const std::byte> views[] = {piece};
    write_checkpoint(context, folder / "run", state_at(1), written, views, &fields);
    const std::string path = folder / "run.checkpoint";
    // A program that knows no added fields refuses the file.
    std::uint32_t version = 0;
    RawFile(path, RawFile::Mode::read).read_at(8, std::as_writable_bytes(std::span(&version, 1)));
    CHECK(version == (rotating ? 8 : 7));

    const auto check_read = [&](const comm::Context& readers) {
      const CheckpointReader reader(readers, path);
      reader.verify();
      CHECK(reader.state().fields == std::vector<AddedFieldLayout>{{"anchor", 3}, {"charge", 1}});
      ParticleStore read;
      read.set_rotating(rotating);
      AddedFields back;
      reader.read_particles(read, &back);
      check_all_there(readers, read);
      bool same = back.at("charge").values().size() == read.local_count();
      for (std::size_t i = 0; same && i < read.local_count(); ++i) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
          same &= back.at("anchor").of(i)[axis] == component(read.id[i], axis);
        }
        same &= back.at("charge").of(i)[0] == -static_cast<double>(read.id[i]);
      }
      CHECK(same);
      // Who does not ask for fields reads the particles alone.
      reader.read_particles(read);
      check_all_there(readers, read);
      for (const RankData& data : reader.read_rank_data()) CHECK(data == RankData{piece});
    };
    check_read(context);
    const comm::Context alone = context.split(context.rank() == 0 ? 0 : -1);
    if (alone.valid()) check_read(alone);
    comm::barrier(context);
  }
}

TEST_CASE("ranks without particles, and a part of the ranks as readers") {
  const comm::Context context;
  const SharedFolder folder(context);
  const comm::Context alone = context.split(context.rank() == context.size() - 1 ? 0 : -1);
  // All particles on the last rank.
  ParticleStore written;
  if (alone.valid()) written = dealt_particles(alone, total);
  write_checkpoint(context, folder / "run", state_at(1), written);
  const CheckpointReader reader(context, folder / "run.checkpoint");
  ParticleStore read;
  reader.read_particles(read);
  CHECK(read.local_count() == written.local_count());
  check_all_there(context, read);

  if (alone.valid()) {
    const CheckpointReader single(alone, folder / "run.checkpoint");
    CHECK(single.has_block_per_rank() == (context.size() == 1));
    single.read_particles(read);
    CHECK(read.local_count() == total);
    check_all_there(alone, read);
  }
  comm::barrier(context);
}

TEST_CASE("what ranks keep besides particles comes back to as many ranks, and to fewer") {
  const comm::Context context;
  const SharedFolder folder(context);
  const ParticleStore written = dealt_particles(context, total);
  // Pieces of other lengths on each rank, and none at all on the first of several.
  const auto pieces_of = [](int rank, int ranks) {
    RankData pieces;
    if (ranks > 1 && rank == 0) return pieces;
    for (int k = 0; k < 3; ++k) {
      pieces.emplace_back(static_cast<std::size_t>(5000 * k * (rank + 1)), std::byte(rank + k));
    }
    return pieces;
  };
  const RankData mine = pieces_of(context.rank(), context.size());
  const std::vector<std::span<const std::byte>> views(mine.begin(), mine.end());
  const CheckpointReport report =
      write_checkpoint(context, folder / "run", state_at(1), written, views);
  const std::string path = folder / "run.checkpoint";
  CHECK(report.bytes == std::filesystem::file_size(path));
  // A program that knows no such data refuses the file.
  std::uint32_t version = 0;
  RawFile(path, RawFile::Mode::read).read_at(8, std::as_writable_bytes(std::span(&version, 1)));
  CHECK(version == 3);
  {
    const CheckpointReader reader(context, path);
    reader.verify();
    CHECK(reader.read_rank_data() == std::vector<RankData>{mine});
    ParticleStore read;
    reader.read_particles(read);
    check_all_there(context, read);
  }
  const comm::Context alone = context.split(context.rank() == 0 ? 0 : -1);
  if (alone.valid()) {
    const CheckpointReader single(alone, path);
    const std::vector<RankData> all = single.read_rank_data();
    REQUIRE(all.size() == static_cast<std::size_t>(context.size()));
    for (int rank = 0; rank < context.size(); ++rank) {
      CHECK(all[static_cast<std::size_t>(rank)] == pieces_of(rank, context.size()));
    }
  }
  comm::barrier(context);
  // The last byte that any rank has kept, or of a directory, where that is damaged.
  const auto byte_of = [&](std::byte value) {
    const RawFile file(path, RawFile::Mode::read);
    std::vector<std::byte> bytes(file.size());
    file.read_at(0, bytes);
    const std::vector<std::byte> wanted(1000, value);
    const auto found = std::search(bytes.begin() + 4096, bytes.end(), wanted.begin(), wanted.end());
    REQUIRE(found != bytes.end());
    return static_cast<std::uint64_t>(found - bytes.begin()) + 500;
  };
  if (context.rank() == 0) flip_bit(path, byte_of(std::byte(context.size() - 1 + 2)));
  comm::barrier(context);
  CHECK(contains(failure_of([&] { CheckpointReader(context, path).verify(); }), "is damaged"));
  CHECK(contains(failure_of([&] { CheckpointReader(context, path).read_rank_data(); }),
                 "is damaged"));
}

TEST_CASE("no particles at all") {
  const comm::Context context;
  const SharedFolder folder(context);
  write_checkpoint(context, folder / "run", state_at(1), ParticleStore());
  ParticleStore read = dealt_particles(context, 10);
  CheckpointReader(context, folder / "run.checkpoint").read_particles(read);
  CHECK(read.local_count() == 0);
}

TEST_CASE("the latest valid checkpoint is found, and why newer ones were not taken") {
  const comm::Context context;
  const SharedFolder folder(context);
  const std::string stem = folder / "run", current = stem + ".checkpoint",
                    previous = current + ".previous";
  const ParticleStore particles = dealt_particles(context, total);
  CHECK(find_latest_checkpoint(context, stem).path.empty());
  write_checkpoint(context, stem, state_at(1), particles);
  write_checkpoint(context, stem, state_at(2), particles);
  write_checkpoint(context, stem, state_at(3), particles);
  CHECK(find_latest_checkpoint(context, stem).step == 3);
  CHECK(find_latest_checkpoint(context, stem).path == current);

  const auto size = std::filesystem::file_size(current);
  const auto damage = [&](const std::function<void()>& work) {
    on_first_rank(context, [&] {
      std::filesystem::copy_file(current, stem + ".saved");
      work();
    });
    const FoundCheckpoint found = find_latest_checkpoint(context, stem);
    on_first_rank(context, [&] { rename_file(stem + ".saved", current); });
    CHECK(found.path == previous);
    CHECK(found.step == 2);
    REQUIRE(found.refused.size() == 1);
    CHECK(contains(found.refused[0], current));
    // Another version's or machine's may be good, and is the newest.
    CHECK(found.would_lose_run ==
          (contains(found.refused[0], "version") || contains(found.refused[0], "byte order")));
    return found.refused[0];
  };
  CHECK(contains(damage([&] { flip_bit(current, 4096 + 72 * 100 + 3); }),
                 "is damaged: the checksum of bytes 4096 to "));
  CHECK(contains(damage([&] { flip_bit(current, 17); }), "the checksum of its header"));
  CHECK(contains(damage([&] { flip_bit(current, 2); }), "is not a checkpoint of this program"));
  CHECK(contains(damage([&] { flip_bit(current, 9); }),
                 "has version 1025 of the checkpoint format, this program reads versions 1 to 16"));
  CHECK(contains(damage([&] { flip_bit(current, 12); }), "another byte order"));
  CHECK(contains(damage([&] { flip_bit(current, size - 3); }), "the checksum of its table"));
  CHECK(
      contains(damage([&] { std::filesystem::resize_file(current, size - 1); }), "is truncated: "));
  CHECK(contains(damage([&] { std::filesystem::resize_file(current, 50); }), "only 50 bytes"));
  CHECK(contains(damage([&] { std::ofstream(current) << std::string(200, '\0'); }),
                 "its writing was interrupted"));

  // A crash between the two renames leaves a complete new file and a previous one.
  on_first_rank(context, [&] { rename_file(current, current + ".new"); });
  CHECK(find_latest_checkpoint(context, stem).path == current + ".new");
  CHECK(find_latest_checkpoint(context, stem).step == 3);

  // Nobody may start from the beginning over a run of which no checkpoint can be read; one that was
  // never finished is no loss.
  on_first_rank(context, [&] {
    rename_file(current + ".new", current);
    for (const std::string& path : {current, previous}) std::filesystem::resize_file(path, 5000);
  });
  CHECK(find_latest_checkpoint(context, stem).path.empty());
  CHECK(find_latest_checkpoint(context, stem).would_lose_run);
  on_first_rank(context, [&] {
    remove_file(previous);
    rename_file(current, current + ".new");
  });
  CHECK(find_latest_checkpoint(context, stem).path.empty());
  CHECK(!find_latest_checkpoint(context, stem).would_lose_run);
}

TEST_CASE("a full disk is an error on all ranks and damages no checkpoint") {
  const comm::Context context;
  // Held as by a run: the limit on files below is one on shared memory too.
  const auto messenger = comm::Messenger::shared(context);
  const SharedFolder folder(context);
  const std::string stem = folder / "run";
  const ParticleStore particles = dealt_particles(context, total);
  write_checkpoint(context, stem, state_at(1), particles);
  write_checkpoint(context, stem, state_at(2), particles);
  const std::string current = content_of(stem + ".checkpoint");
  const std::string previous = content_of(stem + ".checkpoint.previous");
  comm::barrier(context);
  // No space for the header page, for the blocks, for the table at the end.
  for (const std::uint64_t space :
       {std::uint64_t{0}, std::uint64_t{100000}, std::uint64_t{current.size() - 1}}) {
    CAPTURE(space);
    std::string text;
    {
      const FileSizeLimit limit(space);
      text = failure_of([&] { write_checkpoint(context, stem, state_at(3), particles); });
    }
    CHECK(contains(text, stem + ".checkpoint.new: "));
    CHECK(contains(text, "File too large"));
    CHECK(content_of(stem + ".checkpoint") == current);
    CHECK(content_of(stem + ".checkpoint.previous") == previous);
    comm::barrier(context);
    CHECK(!file_exists(stem + ".checkpoint.new"));
    CHECK(find_latest_checkpoint(context, stem).step == 2);
  }
  CHECK(contains(
      failure_of([&] { write_checkpoint(context, "/nowhere/run", state_at(3), particles); }),
      "/nowhere/run.checkpoint.new: cannot open: No such file or directory"));
  CHECK(contains(failure_of([&] { CheckpointReader(context, stem + ".none"); }), "cannot open"));
}

// Both halves of tests/output/checkpoint_across_ranks.
TEST_CASE("written by an earlier run" * doctest::skip()) {
  const comm::Context context;
  write_checkpoint(context, std::getenv("STERNA_TEST_CHECKPOINT"), state_at(7),
                   dealt_particles(context, total));
}

TEST_CASE("read from an earlier run" * doctest::skip()) {
  const comm::Context context;
  const FoundCheckpoint found =
      find_latest_checkpoint(context, std::getenv("STERNA_TEST_CHECKPOINT"));
  CHECK(found.step == 7);
  const CheckpointReader reader(context, found.path);
  ParticleStore read;
  reader.read_particles(read);
  check_all_there(context, read);
  if (!reader.has_block_per_rank()) {
    CHECK(std::abs(static_cast<double>(read.local_count()) -
                   static_cast<double>(total) / context.size()) < 1.0);
  }
}

// What the tuner is made of, on made-up times: nothing here depends on the speed of the machine.

#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "comm/tune/cost_model.hpp"
#include "comm/tune/drift.hpp"
#include "comm/tune/machine_file.hpp"
#include "comm/tune/race.hpp"
#include "sterna/comm/methods.hpp"

using namespace sterna::comm;

namespace {

const RaceRules rules{.warm_up = 3,
                      .untimed = 2,
                      .stages = {{1, 4, 3.0}, {2, 5, 1.5}, {3, 7, 1.0}},
                      .keep_incumbent = 1.03};

/// Runs a stage; each round takes `us[candidate]`, but those that are not timed an hour.
void run_stage(Race& race, const std::vector<double>& us) {
  while (!race.stage_is_over()) race.note(race.timed() ? us[race.current()] : 3.6e9);
}

std::vector<std::size_t> candidates_of(std::span<const Race::Entrant> entrants) {
  std::vector<std::size_t> candidates;
  for (const auto& e : entrants) candidates.push_back(e.candidate);
  return candidates;
}

std::filesystem::path fresh_folder() {
  static int count = 0;
  const auto folder = std::filesystem::temp_directory_path() /
                      fmt::format("sterna_test_tuner_{}_{}", ::getpid(), ++count);
  std::filesystem::create_directories(folder);
  return folder;
}

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

StoredEvidence some_evidence(int ranks, double peers) {
  return {{"a machine, 2 cores", "Open MPI 5", ranks, 2},
          "neighbor",
          {ranks, 2, peers, peers * 800.0, 0.0, 0.0},
          "p2p",
          {{"p2p", 2.5}, {"shm_direct", 3.25}}};
}

}  // namespace

// ------------------------------------------------------------------------------------ race

TEST_CASE("a race drops who is clearly slow early and finds the fastest") {
  const std::vector<double> us{40.0, 10.5, 10.0, 14.0};
  Race race(std::vector<std::size_t>{3, 0, 1, 2}, rules);
  CHECK(race.current() == 3);
  run_stage(race, us);
  CHECK(race.medians() == std::vector<double>{14.0, 40.0, 10.5, 10.0});
  race.decide(race.medians());
  CHECK(candidates_of(race.dropped()) == std::vector<std::size_t>{0});
  CHECK_FALSE(race.over());
  run_stage(race, us);
  race.decide(race.medians());
  CHECK(candidates_of(race.entrants()) == std::vector<std::size_t>{3, 1, 2});
  run_stage(race, us);
  race.decide(race.medians());
  CHECK(race.over());
  CHECK(race.winner(99) == 2);
  // What the slow one took is 7 rounds, of which 4 count.
  CHECK(race.dropped()[0].times.count() == 4);
  CHECK(candidates_of(race.entrants()) == std::vector<std::size_t>{2});
}

TEST_CASE("a race takes the turns that its rules say, the same without any communication") {
  Race race(std::vector<std::size_t>{0, 1}, rules);
  run_stage(race, {1.0, 1.0});
  race.decide(race.medians());
  std::string turns;
  for (int round = 0; round < 28; ++round) {
    turns += fmt::format("{}{}", race.current(), race.timed() ? "" : "-");
    race.note(1.0);
  }
  CHECK(turns == "0-0-000001-1-111111-1-111110-0-00000");
  CHECK(race.stage_is_over());
}

TEST_CASE("the decision is by the agreed times, not by those of this rank") {
  Race race(std::vector<std::size_t>{0, 1}, rules);
  run_stage(race, {1.0, 2.0});
  race.decide(std::vector<double>{100.0, 2.0});  // candidate 0 is slow on another rank
  CHECK(race.over());
  CHECK(race.winner(0) == 1);
}

TEST_CASE("the method in use stays where another is no better to speak of") {
  const RaceRules one_stage{
      .warm_up = 0, .untimed = 0, .stages = {{1, 3, 1.1}}, .keep_incumbent = 1.03};
  for (const double other : {9.8, 9.6}) {
    Race race(std::vector<std::size_t>{0, 1}, one_stage);
    run_stage(race, {10.0, other});
    race.decide(race.medians());
    CHECK(race.over());
    CHECK(race.winner(0) == (other > 9.7 ? 0 : 1));
    CHECK(race.winner(7) == 1);
  }
}

TEST_CASE("a candidate that fails leaves the race") {
  Race race(std::vector<std::size_t>{4, 5, 6}, rules);
  race.note(1.0);
  race.remove(4);
  CHECK(candidates_of(race.entrants()) == std::vector<std::size_t>{5, 6});
  run_stage(race, {0, 0, 0, 0, 0, 2.0, 1.0});
  CHECK(race.medians() == std::vector<double>{2.0, 1.0});
  race.remove(5);
  CHECK(race.over());
  CHECK(race.winner(99) == 6);
}

TEST_CASE("outliers are counted, and decide nothing") {
  RoundTimes times;
  CHECK(times.median() == 0.0);
  for (int i = 0; i < 50; ++i) times.add(i % 10 == 0 ? 1e6 : 5.0 + 0.01 * i);
  CHECK(times.outliers() == 5);
  CHECK(times.median() < 5.5);
}

// ----------------------------------------------------------------------------------- drift

TEST_CASE("drift needs two odd looks, one after the other") {
  Drift drift;
  CHECK(drift.look({10.0, 6.0, 4800.0}).empty());
  CHECK(drift.look({14.0, 6.0, 5000.0}).empty());
  CHECK(drift.look({16.0, 6.0, 4800.0}).empty());
  CHECK(drift.look({12.0, 6.0, 4800.0}).empty());
  CHECK(drift.look({16.0, 6.0, 4800.0}).empty());
  CHECK(drift.look({17.0, 6.0, 4800.0}) == "17.0 us a round instead of 10.0");
  CHECK(drift.look({5.0, 6.0, 4800.0}) == "5.0 us a round instead of 10.0");
}

TEST_CASE("drift of the pattern is told before that of the time") {
  Drift drift({10.0, 6.0, 4800.0});
  drift.look({40.0, 6.0, 48000.0});
  CHECK(drift.look({40.0, 6.0, 48000.0}) == "4.8e+04 bytes a round instead of 4800");
  CHECK(drift.look({40.0, 26.0, 48000.0}) == "26 messages a round instead of 6");
  // A few bytes or microseconds are no reason, whatever the factor.
  Drift small({0.2, 0.0, 8.0});
  small.look({0.9, 0.5, 200.0});
  CHECK(small.look({0.9, 0.5, 200.0}).empty());
}

// ------------------------------------------------------------------------------ cost model

TEST_CASE("the model recovers the times that the measurements were made from") {
  const CostVector us{2.0, 0.5, 0.3, 3.0, 7.0, 0.2, 0.4};
  std::vector<Measured> evidence;
  for (int i = 0; i < 40; ++i) {
    const auto number = [&](int term) {
      return static_cast<double>((i * (2 * term + 3) + term) % 7);
    };
    const CostTerms terms{number(0), number(1), number(2), number(3),
                          number(4), number(5), number(6)};
    double sum = 0.0;
    for (std::size_t k = 0; k < us.size(); ++k) sum += us[k] * as_vector(terms)[k];
    evidence.push_back({terms, sum});
  }
  const CostModel model = CostModel::fit(evidence);
  for (const Measured& m : evidence)
    CHECK(model.predict(m.terms) == doctest::Approx(m.us).epsilon(0.02));
  CHECK(model.predict({.messages = 1.0}) == doctest::Approx(2.0).epsilon(0.1));
  CHECK(model.predict({.global_steps = 1.0}) == doctest::Approx(7.0).epsilon(0.1));
}

TEST_CASE("the model says which term decided") {
  const CostTerms put{.puts = 12.0, .kilobytes = 4.8};
  const CostTerms message{.messages = 26.0, .kilobytes = 4.8};
  const CostTerms fence{.puts = 6.0, .global_steps = 3.0, .kilobytes = 4.8};
  const CostModel model =
      CostModel::fit(std::vector<Measured>{{put, 8.5}, {message, 34.5}, {fence, 72.0}});
  CHECK(model.predict(put) == doctest::Approx(8.5).epsilon(0.1));
  CHECK(model.predict(fence) == doctest::Approx(72.0).epsilon(0.1));
  CHECK(model.reason(message, put) == "26 messages matched by software");
  CHECK(model.reason(fence, put) == "3 steps of global synchronization");
  CHECK(model.reason(put, put).empty());
  CHECK(model.reason({.copied = 2.5}, {}) == "2.5 kB copied");
}

TEST_CASE("no time of the model is negative, and nothing measured leaves it as it was") {
  const CostTerms few{.messages = 1.0, .puts = 5.0};
  const CostTerms many{.messages = 10.0, .puts = 1.0};
  const CostModel model = CostModel::fit(std::vector<Measured>{{few, 50.0}, {many, 1.0}});
  CHECK(model.predict({.messages = 1.0}) >= 0.0);
  CHECK(model.predict({.puts = 1.0}) >= 0.0);
  CHECK(CostModel::fit({}).predict(few) == CostModel().predict(few));
  CHECK(CostModel::fit(std::vector<Measured>{{{}, 5.0}}).predict(few) == CostModel().predict(few));
}

// ---------------------------------------------------------------------------- machine file

TEST_CASE("classes of patterns are coarse") {
  CHECK(pattern_class({8, 8, 6.0, 4800.0, 0.0, 0.0}) ==
        pattern_class({8, 8, 5.0, 5000.0, 0.0, 0.0}));
  CHECK(pattern_class({8, 8, 6.0, 4800.0, 0.0, 0.0}) !=
        pattern_class({8, 8, 2.0, 1600.0, 0.0, 0.0}));
  CHECK(pattern_class({8, 8, 6.0, 4800.0, 0.0, 0.0}) !=
        pattern_class({8, 8, 6.0, 48000.0, 0.0, 0.0}));
  CHECK(pattern_class({8, 8, 6.0, 4800.0, 0.0, 0.0}) !=
        pattern_class({8, 8, 6.0, 4800.0, 0.1, 0.0}));
  CHECK(pattern_class({8, 8, 0.0, 0.0, 0.0, 26.0}) == "0 peers, 0 bytes each, 16 possible sources");
}

TEST_CASE("a machine file keeps evidence and replaces what is of the same class") {
  const auto folder = fresh_folder();
  const MachineFile file((folder / "deeper" / "machine.json").string());
  std::string warning;
  CHECK(file.read(warning).empty());
  CHECK(warning.empty());
  CHECK(file.add(some_evidence(4, 6.0)).empty());
  CHECK(file.add(some_evidence(8, 6.0)).empty());
  StoredEvidence newer = some_evidence(4, 5.0);
  newer.chosen = "shm_direct";
  newer.us = {{"shm_direct", 1.0}};
  CHECK(file.add(newer).empty());
  const auto all = file.read(warning);
  CHECK(warning.empty());
  REQUIRE(all.size() == 2);
  CHECK(all[0].key.ranks == 8);
  CHECK(all[0].us == some_evidence(8, 6.0).us);
  CHECK(all[0].shape.bytes == 4800.0);
  CHECK(all[1].chosen == "shm_direct");
  CHECK(all[1].key == newer.key);
  std::filesystem::remove_all(folder);
}

TEST_CASE("a broken machine file is a warning, and stays as it is") {
  const auto folder = fresh_folder();
  const auto path = folder / "machine.json";
  const MachineFile file(path.string());
  for (const std::string text :
       {"", "{", "[]", "{\"format\": 1}", "{\"format\": 2, \"evidence\": []}",
        "{\"format\": 1, \"evidence\": [{\"machine\": 3}]}", "\xff\xfe\x01"}) {
    CAPTURE(text);
    write(path, text);
    std::string warning;
    CHECK(file.read(warning).empty());
    CHECK(warning.find(path.string()) != std::string::npos);
    CHECK(file.add(some_evidence(4, 6.0)) == warning);
    std::ifstream again(path, std::ios::binary);
    CHECK(std::string(std::istreambuf_iterator<char>(again), {}) == text);
  }
  std::string text = to_json({some_evidence(4, 6.0)});
  text.replace(text.find("3.25"), 4, "-1.0");
  CHECK_THROWS(evidence_from_json(text));
  std::filesystem::remove_all(folder);
}

TEST_CASE("a machine file whose lock is held is gone on without") {
  const auto folder = fresh_folder();
  const std::string path = (folder / "machine.json").string();
  CHECK(MachineFile(path).add(some_evidence(2, 2.0)).empty());
  // By another open file, as another program has it.
  const int lock = ::open((path + ".lock").c_str(), O_RDWR | O_CREAT, 0666);
  REQUIRE(::flock(lock, LOCK_EX) == 0);
  const std::string warning =
      MachineFile(path).add(some_evidence(3, 2.0), std::chrono::milliseconds(50));
  CHECK(warning ==
        "machine file " + path + " cannot be written: another program holds " + path + ".lock");
  std::string unread;
  CHECK(MachineFile(path).read(unread).size() == 1);
  ::close(lock);
  CHECK(MachineFile(path).add(some_evidence(3, 2.0)).empty());
  CHECK(MachineFile(path).read(unread).size() == 2);
  std::filesystem::remove_all(folder);
}

TEST_CASE("a machine file that cannot be written is no error") {
  const auto folder = fresh_folder();
  write(folder / "file", "");
  CHECK_FALSE(
      MachineFile((folder / "file" / "machine.json").string()).add(some_evidence(2, 2.0)).empty());
  CHECK(MachineFile("").add(some_evidence(2, 2.0)).empty());
  std::filesystem::remove_all(folder);
}

TEST_CASE("several jobs may write the machine file at once, and lose nothing") {
  const auto folder = fresh_folder();
  const std::string path = (folder / "machine.json").string();
  constexpr int jobs = 4;
  constexpr int rows = 12;
  std::vector<pid_t> children;
  for (int job = 0; job < jobs; ++job) {
    const pid_t child = ::fork();
    if (child == 0) {
      bool good = true;
      for (int row = 0; row < rows; ++row) {
        good = good && MachineFile(path).add(some_evidence(100 * job + row + 1, 6.0)).empty();
        std::string warning;
        MachineFile(path).read(warning);
        good = good && warning.empty();
      }
      ::_exit(good ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 1;
    ::waitpid(child, &status, 0);
    CHECK(status == 0);
  }
  std::string warning;
  CHECK(MachineFile(path).read(warning).size() == jobs * rows);
  CHECK(warning.empty());
  std::filesystem::remove_all(folder);
}

TEST_CASE("where the machine file lies") {
  ::setenv("STERNA_MACHINE_FILE", "/a/b.json", 1);
  CHECK(machine_file_path("") == "/a/b.json");
  CHECK(machine_file_path("/c.json") == "/c.json");
  CHECK(machine_file_path("none").empty());
  ::setenv("STERNA_MACHINE_FILE", "", 1);
  CHECK(machine_file_path("").empty());
  ::unsetenv("STERNA_MACHINE_FILE");
  ::setenv("XDG_CACHE_HOME", "/cache", 1);
  CHECK(machine_file_path("") == "/cache/sterna/machine.json");
  ::unsetenv("XDG_CACHE_HOME");
  ::setenv("HOME", "/home/somebody", 1);
  CHECK(machine_file_path("") == "/home/somebody/.cache/sterna/machine.json");
}

TEST_CASE("the work of alltoall: all counts at once among few ranks, in log P steps among many") {
  CHECK(work_of_sparse_method("alltoall", 8, 3, 4800) ==
        "10 messages matched by software, 1 step of global synchronization, 4.86 kB sent, 4.8 kB "
        "copied");
  CHECK(work_of_sparse_method("alltoall", 64, 3, 4800) ==
        "3 messages matched by software, 6 steps of global synchronization, 6.34 kB sent, 4.8 kB "
        "copied");
}

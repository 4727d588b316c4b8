#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>
#include <vector>

#include "md/core/agreement.hpp"
#include "md/core/file_error.hpp"
#include "md/output/json_log.hpp"
#include "output/output_support.hpp"

using namespace sterna;
using namespace sterna::md;

namespace {

std::vector<nlohmann::json> entries_of(const std::string& path) {
  std::istringstream lines(content_of(path));
  std::vector<nlohmann::json> entries;
  for (std::string line; std::getline(lines, line);) entries.push_back(nlohmann::json::parse(line));
  return entries;
}

void log_run(JsonLog& log, std::int64_t from, std::int64_t to) {
  for (std::int64_t step = from; step <= to; step += 10) {
    const std::vector<LoggedScalar> scalars{
        {"temperature", 1.5},
        {"pressure", step == 20 ? std::numeric_limits<double>::quiet_NaN() : 2}};
    log.thermo(step, 0.002 * static_cast<double>(step), scalars);
  }
}

}  // namespace

TEST_CASE("every line is an object; numbers that are not finite are null") {
  const comm::Context context;
  const SharedFolder folder(context);
  JsonLog log(context, folder / "run.log");
  log.start({.program = "sterna 0",
             .communication = context.description(),
             .input_path = "in.toml",
             .input_text = "[run]\nsteps = 3 # \xff\n",
             .settings = {{"halo", "p2p"}},
             .resumed_from = {}});
  log_run(log, 0, 30);
  log.warning(30, "a \"quoted\" text");
  log.checkpoint(30, "run.checkpoint", 1234, 0.5);
  log.end(30, "complete", {{"pair", 1.25}});
  log.sync();
  if (context.rank() == 0) {
    const auto entries = entries_of(folder / "run.log");
    REQUIRE(entries.size() == 8);
    CHECK(entries[0]["event"] == "start");
    CHECK(entries[0]["ranks"] == context.size());
    CHECK(entries[0]["settings"]["halo"] == "p2p");
    CHECK(entries[0]["input_hash"].get<std::string>().size() == 16);
    CHECK(entries[1]["step"] == 0);
    CHECK(entries[1]["pressure"] == 2.0);
    CHECK(entries[3]["pressure"].is_null());
    CHECK(entries[5]["text"] == "a \"quoted\" text");
    CHECK(entries[6]["bytes"] == 1234);
    CHECK(entries[7]["status"] == "complete");
  }
}

TEST_CASE("a resumed log keeps the lines up to the checkpoint") {
  const comm::Context context;
  const SharedFolder folder(context);
  const std::string path = folder / "run.log";
  {
    JsonLog log(context, path);
    log_run(log, 0, 50);
    log.agree_on_failure();
  }
  // A run that was killed in the middle of a line.
  on_first_rank(context,
                [&] { std::ofstream(path, std::ios::app) << "{\"event\": \"thermo\", \"st"; });
  {
    JsonLog log(context, path, 30);
    log_run(log, 40, 60);
    log.sync();
  }
  if (context.rank() == 0) {
    const auto entries = entries_of(path);
    REQUIRE(entries.size() == 7);
    for (std::size_t i = 0; i < entries.size(); ++i) CHECK(entries[i]["step"] == 10 * i);
  }
  comm::barrier(context);
  JsonLog later(context, path, 1000);
  JsonLog first(context, folder / "none.log", 1000);
  later.sync();
  if (context.rank() == 0) CHECK(entries_of(path).size() == 7);
}

TEST_CASE("a resumed log tells of its rows, and a damaged line within is an error") {
  const comm::Context context;
  const SharedFolder folder(context);
  const std::string path = folder / "run.log";
  {
    JsonLog log(context, path);
    log_run(log, 0, 50);
  }
  {
    JsonLog log(context, path, 30);
    if (context.rank() == 0) {
      CHECK(log.kept_rows().last == 30);
      CHECK(log.kept_rows().spacing == 10);
    }
  }
  std::string damaged;
  on_first_rank(context, [&] {
    std::ifstream file(path);
    damaged.assign(std::istreambuf_iterator<char>(file), {});
    damaged[damaged.find('\n') + 3] = '"';
    std::ofstream(path) << damaged;
  });
  try {
    JsonLog log(context, path, 30);
    FAIL("a log was continued that would have lost rows");
  } catch (const FileError& error) {
    CHECK(std::string(error.what()).find("run.log:2: this line is no event of a run") !=
          std::string::npos);
  }
  // Nothing was dropped.
  if (context.rank() == 0) {
    std::ifstream file(path);
    CHECK(std::string(std::istreambuf_iterator<char>(file), {}) == damaged);
  }
}

TEST_CASE("a full disk is an error on all ranks, and earlier lines stay") {
  const comm::Context context;
  const SharedFolder folder(context);
  JsonLog log(context, folder / "run.log");
  log_run(log, 0, 10);
  const auto size = content_of(folder / "run.log").size();
  comm::barrier(context);
  {
    const FileSizeLimit limit(context.rank() == 0 ? size + 10 : std::uint64_t{1} << 40);
    log_run(log, 20, 30);
  }
  const std::string text = failure_of([&] { log.agree_on_failure(); });
  CHECK(contains(text, folder / "run.log"));
  CHECK(contains(text, "File too large"));
  CHECK(contains(failure_of([&] { JsonLog(context, "/nowhere/run.log"); }),
                 "/nowhere/run.log: cannot open: No such file or directory"));
}

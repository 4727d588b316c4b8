#include "md/output/json_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>

#include "md/core/agreement.hpp"
#include "md/core/checksum.hpp"
#include "md/core/file_error.hpp"
#include "md/core/json.hpp"

namespace sterna::md {
namespace {

std::string now() {
  const std::time_t seconds =
      std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

struct KeptLines {
  std::uint64_t bytes = 0;
  KeptSteps rows;
};

/// The lines of the log up to the first line that is incomplete or later than `step`. Throws
/// FileError if the first line is complete but no event, because then the file is no log. Also
/// throws if events up to `step` follow a line that is no event, because they would be lost.
KeptLines lines_until(const std::string& path, std::int64_t step) {
  std::ifstream lines(path, std::ios::binary);
  if (!lines) throw FileError(system_failure(path, "cannot open", errno));
  KeptLines kept;
  std::int64_t broken = 0;  // number of the first line that is no event
  std::int64_t number = 1;
  for (std::string line; std::getline(lines, line) && !lines.eof(); ++number) {
    const auto entry = parse_if_json(line);
    if (!entry.is_object()) {
      if (number == 1) {
        throw FileError(path +
                        ": is no log of a run, so the run cannot go on with it; move it away");
      }
      if (broken == 0) broken = number;
      continue;
    }
    const auto found = entry.find("step");
    const bool has_step = found != entry.end() && found->is_number();
    if (has_step && found->get<std::int64_t>() > step) break;
    if (broken == 0) {
      kept.bytes += line.size() + 1;
      if (!has_step || entry.value("event", Json()) != "thermo") continue;
      kept.rows.add(found->get<std::int64_t>());
    } else if (has_step) {
      throw FileError(
          fmt::format("{}:{}: this line is no event of a run, and later ones are: put it "
                      "right, or move the log away",
                      path, broken));
    }
  }
  return kept;
}

}  // namespace

JsonLog::JsonLog(const comm::Context& context, const std::string& path,
                 std::optional<std::int64_t> resume_step)
    : context_(context) {
  on_first_rank(context, [&] {
    if (resume_step.has_value() && file_exists(path)) {
      file_ = RawFile(path, RawFile::Mode::write);
      const KeptLines kept = lines_until(path, *resume_step);
      end_ = kept.bytes;
      kept_rows_ = kept.rows;
      file_.resize(end_);
    } else {
      file_ = RawFile(path, RawFile::Mode::create);
    }
  });
}

void JsonLog::write(const std::string& event, const Json& fields) {
  if (!file_.is_open() || failed()) return;
  try {
    Json line{{"event", event}};
    line.update(fields);
    // Texts come from files and users, so invalid UTF-8 in them must not stop a run.
    const std::string text = json_text(line) + "\n";
    file_.write_at(end_, std::as_bytes(std::span(text)));
    end_ += text.size();
  } catch (const std::exception& error) {
    failure_ = error.what();
  }
}

void JsonLog::start(const Provenance& provenance) {
  Json fields{{"time_of_day", now()},
              {"program", provenance.program},
              {"communication", provenance.communication},
              {"ranks", context_.size()},
              {"nodes", context_.node_count()},
              {"input", provenance.input_path},
              {"input_hash",
               fmt::format("{:016x}", xxh64(std::as_bytes(std::span(provenance.input_text))))},
              {"input_text", provenance.input_text},
              {"settings", provenance.settings}};
  if (provenance.resumed_from.has_value()) fields["resumed_from"] = *provenance.resumed_from;
  write("start", fields);
}

void JsonLog::thermo(std::int64_t step, double time, std::span<const LoggedScalar> scalars) {
  Json fields{{"step", step}, {"time", time}};
  for (const LoggedScalar& scalar : scalars) fields[scalar.name] = scalar.value;
  write("thermo", fields);
}

void JsonLog::warning(std::int64_t step, const std::string& text) {
  write("warning", {{"step", step}, {"text", text}});
}

void JsonLog::checkpoint(std::int64_t step, const std::string& path, std::uint64_t bytes,
                         double seconds) {
  write("checkpoint", {{"step", step}, {"file", path}, {"bytes", bytes}, {"seconds", seconds}});
}

void JsonLog::end(std::int64_t step, const std::string& status, const Json& timing) {
  write("end", {{"step", step}, {"time_of_day", now()}, {"status", status}, {"timing", timing}});
}

void JsonLog::agree_on_failure() const {
  agree(context_, failure_);
}

void JsonLog::sync() {
  if (file_.is_open() && !failed()) {
    try {
      file_.sync();
    } catch (const FileError& error) {
      failure_ = error.what();
    }
  }
  agree_on_failure();
}

}  // namespace sterna::md

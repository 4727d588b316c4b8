#include "report.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <string_view>
#include <vector>

#include "sterna/comm/collective.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/version.hpp"

namespace sterna::bench {
namespace {

/// "AMD EPYC 9004 Series", or what the kernel calls the machine.
std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t colon = line.find(':');
    if (colon != std::string::npos && colon + 2 < line.size()) return line.substr(colon + 2);
  }
  return "unknown";
}

std::string text_of(const Row& value) {
  if (value.is_number_float()) return fmt::format("{:.4g}", value.get<double>());
  if (value.is_string()) return value.get<std::string>();
  return value.is_null() ? "-" : value.dump();
}

}  // namespace

Row row_of(const std::string& method, const comm::Context& world, std::size_t peers,
           std::size_t bytes, const Timing& timing) {
  return {{"method", method},        {"ranks", world.size()},   {"nodes", world.node_count()},
          {"peers", peers},          {"bytes", bytes},          {"median_us", timing.median_us},
          {"p10_us", timing.p10_us}, {"p90_us", timing.p90_us}, {"mean_us", timing.mean_us},
          {"rounds", timing.rounds}};
}

Report::Report(const comm::Context& world, std::string verb, std::string command)
    : here_(world.rank() == 0) {
  document_ = {{"benchmark", std::move(verb)},
               {"command", std::move(command)},
               {"date", fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(std::time(nullptr)))},
               {"machine", {{"processor", processor()}, {"cores", sysconf(_SC_NPROCESSORS_ONLN)}}},
               {"versions", {{"sterna", version}, {"communication", world.description()}}},
               {"notes", Row::array()},
               {"rows", Row::array()}};
}

void Report::add(Row row) {
  if (here_) document_["rows"].push_back(std::move(row));
}

void Report::note(std::string line) {
  if (here_) document_["notes"].push_back(std::move(line));
}

void Report::add_fault(const std::string& fault) {
  if (here_) faults_ += (faults_.empty() ? "" : "; ") + fault;
}

void Report::print() const {
  if (!here_) return;
  std::vector<std::string> names;
  for (const Row& row : document_["rows"]) {
    for (const auto& field : row.items()) {
      if (std::ranges::find(names, field.key()) == names.end()) names.push_back(field.key());
    }
  }
  std::vector<std::vector<std::string>> lines{names};
  for (const Row& row : document_["rows"]) {
    std::vector<std::string> cells;
    for (const std::string& name : names) cells.push_back(text_of(row.value(name, Row())));
    lines.push_back(std::move(cells));
  }
  std::vector<std::size_t> widths(names.size(), 0);
  for (const auto& cells : lines) {
    for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());
  }
  fmt::print("{}; {}, {} cores\n", document_["versions"]["communication"].get<std::string>(),
             document_["machine"]["processor"].get<std::string>(),
             document_["machine"]["cores"].get<int>());
  for (const auto& cells : lines) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      line += i == 0 ? fmt::format("{:<{}}", cells[i], widths[i])
                     : fmt::format("  {:>{}}", cells[i], widths[i]);
    }
    fmt::print("{}\n", line);
  }
  for (const auto& line : document_["notes"]) fmt::print("{}\n", line.get<std::string>());
}

void Report::write(const comm::Context& world, const std::string& path) const {
  std::string problem;
  if (here_) {
    std::ofstream file(path);
    file << document_.dump(1) << '\n';
    file.close();
    if (!file) problem = fmt::format("the results could not be written to {}", path);
  }
  comm::broadcast(world, 0, problem);
  if (!problem.empty()) throw comm::Error(problem);
}

}  // namespace sterna::bench

#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "measure.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::bench {

using Row = nlohmann::ordered_json;

/// The columns that every row of every verb begins with. Further ones are added by `row[name]`.
Row row_of(const std::string& method, const comm::Context& world, std::size_t peers,
           std::size_t bytes, const Timing& timing);

/// What a verb found: rows, printed as a table and written as JSON with the machine, the versions
/// and the command once. Kept on rank 0, ignored elsewhere.
class Report {
 public:
  Report(const comm::Context& world, std::string verb, std::string command);
  void add(Row row);
  /// A line of text below the table: what could not be measured and why.
  void note(std::string line);
  /// What makes the program end with an error, after everything has been printed and written.
  void add_fault(const std::string& fault);
  const std::string& faults() const { return faults_; }
  /// A column of `fields` for each name that a row has, in the order of appearance.
  void print() const;
  /// Throws comm::Error on all ranks where the file cannot be written. Collective.
  void write(const comm::Context& world, const std::string& path) const;

 private:
  bool here_;
  std::string faults_;
  nlohmann::ordered_json document_;
};

}  // namespace sterna::bench

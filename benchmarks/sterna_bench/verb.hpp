#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "measure.hpp"
#include "report.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/methods.hpp"

namespace sterna::bench {

/// One experiment of `sterna-bench`. A new one is a file in verbs/ and a line in verb_table.cpp.
class Verb {
 public:
  virtual ~Verb() = default;
  /// Its own options, beside --json and those of `Sampling`. Called once, before `run`.
  virtual void add_options(CLI::App& command) = 0;
  /// Collective. Adds a row to `report` for each thing measured. Throws comm::Error where an option
  /// does not fit the job, on all ranks.
  virtual void run(const comm::Context& world, const Sampling& sampling, Report& report) = 0;
};

/// --methods: some of `table`, by name; where not given, `methods` is all of them.
void add_methods_option(CLI::App& command, std::vector<std::string>& methods,
                        std::span<const comm::MethodInfo> table);

struct VerbRow {
  std::string_view name;
  std::string_view description;
  std::unique_ptr<Verb> (*make)();
};
std::span<const VerbRow> verb_table();

}  // namespace sterna::bench

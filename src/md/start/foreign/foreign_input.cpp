#include "md/start/foreign/foreign_input.hpp"

#include <fmt/format.h>

#include "md/core/registry.hpp"
#include "md/start/foreign/ls1/config.hpp"
#include "md/start/foreign/modylas/session.hpp"

namespace sterna::md {
namespace {

const Registry<ForeignProgramRow>& foreign_program_table() {
  static const Registry<ForeignProgramRow> table(
      "program",
      {
          {"ls1-MarDyn", ".xml",
           [](const std::string& path) {
             ReadResult result = ls1::read_config(path);
             return ForeignInput{result.input, std::move(result)};
           },
           ls1::files_of_config},
          {"MODYLAS", ".mddef", [](const std::string& path) { return modylas::read_session(path); },
           modylas::files_of_session},
      });
  return table;
}

}  // namespace

const ForeignProgramRow* foreign_program_of(std::string_view path) {
  for (const ForeignProgramRow& program : foreign_program_table()) {
    if (path.size() > program.ending.size() && path.ends_with(program.ending)) return &program;
  }
  return nullptr;
}

std::vector<std::string> files_behind(const std::string& path) {
  const ForeignProgramRow* const program = foreign_program_of(path);
  return program == nullptr ? std::vector<std::string>() : program->files(path);
}

std::string foreign_programs() {
  std::string text;
  for (const ForeignProgramRow& program : foreign_program_table()) {
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", program.name, program.ending);
  }
  return text;
}

}  // namespace sterna::md

#include "md/start/foreign/ls1/start_file.hpp"

#include <filesystem>

#include "md/input/fields.hpp"
#include "md/start/foreign/ls1/phase_space.hpp"
#include "md/start/readers/reader_table.hpp"

namespace sterna::md {
namespace {

std::unique_ptr<StartFileReader> open_file(std::shared_ptr<const FileHandle> file,
                                           const StartFileOptions& options) {
  if (!ls1_header_path(options).empty()) {
    return ls1::open_binary_phase_space(std::move(file), options);
  }
  LineReader reader(file);
  reader.next();
  if (Fields(reader.line()).next().starts_with('<')) {
    return ls1::open_generated_start(file->path(), options);
  }
  return ls1::open_ascii_phase_space(std::move(file), options);
}

/// "mardyn trunk 20120726" of a phase space, or XML.
bool recognizes_ls1(std::string_view first, std::string_view) {
  const std::string_view word = Fields(first).next();
  return word == "mardyn" || word.starts_with("<?xml") || word.starts_with("<mardyn");
}

}  // namespace

std::string ls1_header_path(const StartFileOptions& options) {
  const std::string& header = options.of_formats.of<Ls1StartOptions>().header;
  return header.empty() ? header : (std::filesystem::path(options.folder) / header).string();
}

StartReaderRow start_reader::ls1() {
  return {.name = "ls1",
          .sentence =
              "a phase space of ls1-MarDyn (ASCII, binary with a `header`, or a config.xml "
              "whose generator makes it)",
          .looks_like = "ls1-MarDyn (a first line such as `mardyn trunk 20120726`)",
          .aliases = {"ls1-mardyn", "inp"},
          .keys = {{.name = "header",
                    .target = option<&Ls1StartOptions::header>,
                    .description =
                        "Path of the XML file that describes a binary phase space of ls1-MarDyn.",
                    .default_text = "none: the file is text",
                    .names_file = true}},
          .recognizes = recognizes_ls1,
          .open = open_file};
}

}  // namespace sterna::md

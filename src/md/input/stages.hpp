#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "md/input/input_reading.hpp"
#include "md/input/read_input.hpp"

namespace sterna::md {

/// The input of one stage of a run.
struct StageInput {
  std::string name;  ///< empty: the file has no stages, and this is all of it
  ReadResult read;
};

/// The stages of an input, in the order in which they run; one without a name where it has none. Of
/// a stage that follows another the start is the checkpoint of that one. Stages repeat what is wrong
/// with what they have in common. Arguments are those of `read_input_text`.
std::vector<StageInput> read_stages(std::string_view text, std::string_view name,
                                    bool look_at_files = true,
                                    std::optional<std::int64_t> steps = std::nullopt);
/// The same for a file.
std::vector<StageInput> read_stages_of_file(const std::string& path);

/// One of the stages of a text, which was read without an error, as an input of its own that stands
/// in the same folder.
std::string stage_text(std::string_view text, std::string_view name, const StageInput& stage);

/// Whether a section is the same in all stages: it would be another system otherwise.
bool is_of_all_stages(std::string_view section);

// ---- for read_input.cpp

/// The names of the [[stage]]s of a document; empty where it has none.
std::vector<std::string> stage_names(const toml::table& document);
/// Makes the document of all stages that of one. What is wrong with the sections of stages is
/// reported.
void take_stage(InputReading& reading, toml::table& document, std::size_t number);

}  // namespace sterna::md

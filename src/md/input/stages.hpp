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
  std::string name;  ///< empty: the file has no stages
  ReadResult read;
};

/// Reads the stages of an input, in the order in which they run; a single one without a name if the
/// input has no stages. The start of a later stage is the checkpoint of the stage before it.
/// Mistakes in common sections occur in the diagnostics of every stage. The arguments are those of
/// `read_input_text`.
std::vector<StageInput> read_stages(std::string_view text, std::string_view name,
                                    bool look_at_files = true,
                                    std::optional<std::int64_t> steps = std::nullopt);
/// As `read_stages`, for a file.
std::vector<StageInput> read_stages_of_file(const std::string& path);

/// One of the stages of a text, which was read without an error, as an input of its own that stands
/// in the same folder.
std::string stage_text(std::string_view text, std::string_view name, const StageInput& stage);

/// Whether a section must be the same in all stages, because a change would make another system.
bool is_of_all_stages(std::string_view section);

// ---- functions for read_input.cpp

/// The names of the [[stage]]s of a document; empty if it has none.
std::vector<std::string> stage_names(const toml::table& document);
/// Turns the document of all stages into the document of one stage. Mistakes in the sections of
/// stages are reported.
void take_stage(InputReading& reading, toml::table& document, std::size_t number);

}  // namespace sterna::md

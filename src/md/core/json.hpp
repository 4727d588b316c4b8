#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace sterna::md {

// The parser and the serializer of the JSON library are templates. They are compiled in json.cpp
// alone: they take longer than most files that would call them.

/// Throws nlohmann::json::parse_error where the text is not JSON.
nlohmann::json parse_json(std::string_view text);
/// `is_discarded()` where the text is not JSON.
nlohmann::json parse_if_json(std::string_view text);

/// Bytes that are not UTF-8 become U+FFFD. On one line, or with `indent` spaces a level.
std::string json_text(const nlohmann::json& json, int indent = -1);
std::string json_text(const nlohmann::ordered_json& json, int indent = -1);

}  // namespace sterna::md

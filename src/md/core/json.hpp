#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace sterna::md {

/// All of the engine's JSON: objects keep the order in which they were written. With a second type
/// for those that need not, every template of the library would be compiled twice.
using Json = nlohmann::ordered_json;

// The JSON library is all templates. Its parser, its serializer and its larger members are compiled
// in json.cpp alone: they take longer than most files that would call them.

/// Throws Json::parse_error where the text is not JSON.
Json parse_json(std::string_view text);
/// `is_discarded()` where the text is not JSON.
Json parse_if_json(std::string_view text);

/// Bytes that are not UTF-8 become U+FFFD. On one line, or with `indent` spaces a level.
std::string json_text(const Json& json, int indent = -1);

}  // namespace sterna::md

extern template nlohmann::basic_json<nlohmann::ordered_map>::basic_json(
    const nlohmann::ordered_json& other);
extern template nlohmann::basic_json<nlohmann::ordered_map>::basic_json(initializer_list_t init,
                                                                        bool type_deduction,
                                                                        value_t manual_type);
extern template void nlohmann::basic_json<nlohmann::ordered_map>::json_value::destroy(value_t type);
extern template nlohmann::ordered_json& nlohmann::basic_json<nlohmann::ordered_map>::operator[](
    std::string key);
extern template void nlohmann::basic_json<nlohmann::ordered_map>::push_back(
    nlohmann::ordered_json&& value);
extern template void nlohmann::basic_json<nlohmann::ordered_map>::push_back(
    const nlohmann::ordered_json& value);
extern template void nlohmann::basic_json<nlohmann::ordered_map>::push_back(
    const object_t::value_type& value);
extern template void nlohmann::basic_json<nlohmann::ordered_map>::push_back(
    initializer_list_t init);

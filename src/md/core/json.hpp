#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace sterna::md {

/// The type of all JSON in the engine; objects keep the order in which they were written. A second,
/// unordered type would make the compiler instantiate every template of the library twice.
using Json = nlohmann::ordered_json;

// The JSON library consists of templates. Its parser, its serializer and its larger members are
// compiled only in json.cpp, because they take longer to compile than most files that call them.

/// Throws Json::parse_error if the text is not JSON.
Json parse_json(std::string_view text);
/// Like `parse_json`, but if the text is not JSON the result `is_discarded()`.
Json parse_if_json(std::string_view text);

/// Bytes that are not UTF-8 become U+FFFD. The text is on one line, or, if `indent` >= 0, has
/// `indent` spaces per level.
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

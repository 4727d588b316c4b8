#include "md/core/json.hpp"

namespace sterna::md {

Json parse_json(std::string_view text) {
  return Json::parse(text);
}

Json parse_if_json(std::string_view text) {
  return Json::parse(text, nullptr, false);
}

std::string json_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace sterna::md

template nlohmann::basic_json<nlohmann::ordered_map>::basic_json(
    const nlohmann::ordered_json& other);
template nlohmann::basic_json<nlohmann::ordered_map>::basic_json(initializer_list_t init,
                                                                 bool type_deduction,
                                                                 value_t manual_type);
template void nlohmann::basic_json<nlohmann::ordered_map>::json_value::destroy(value_t type);
template nlohmann::ordered_json& nlohmann::basic_json<nlohmann::ordered_map>::operator[](
    std::string key);
template void nlohmann::basic_json<nlohmann::ordered_map>::push_back(
    nlohmann::ordered_json&& value);
template void nlohmann::basic_json<nlohmann::ordered_map>::push_back(
    const nlohmann::ordered_json& value);
template void nlohmann::basic_json<nlohmann::ordered_map>::push_back(
    const object_t::value_type& value);
template void nlohmann::basic_json<nlohmann::ordered_map>::push_back(initializer_list_t init);

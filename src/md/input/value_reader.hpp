#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "md/input/input_reading.hpp"

namespace sterna::md {

/// Reads values of keys: converts them to the type of the key's target, in internal units, or
/// reports an error.
class ValueReader {
 public:
  explicit ValueReader(InputReading& reading) : reading_(reading) {}

  /// Reads the value of a key at `place` of the input; `index` is that of the key's target.
  void read(const KeySchema& key, std::size_t index, const toml::node& node,
            const std::string& place);
  /// Reads the unit system; must be called before all other keys are read.
  void read_units(const toml::node& node);

 private:
  void wrong_value(const KeySchema& key, const toml::node& node);
  /// Reports a wrong value in a list.
  void wrong_item(const KeySchema& key, const toml::node& item);
  /// The node as a list of three values; null after an error.
  const toml::array* triple(const KeySchema& key, const toml::node& node);
  /// The node as a list; null after an error, also if the list is empty.
  const toml::array* filled_list(const KeySchema& key, const toml::node& node);

  /// The number in internal units; nothing after an error.
  std::optional<double> quantity(const KeySchema& key, const toml::node& node);
  UnitSystem::Quantity parse_with_unit(const std::string& text, Dimension dimension);
  bool is_good_text(const KeySchema& key, const std::string& text, const toml::node& node);
  /// The index of the choice; nothing after an error.
  std::optional<std::size_t> chosen(const KeySchema& key, const std::string& text,
                                    const toml::node& node);
  /// The text, or the choice that `true` or `false` stands for; nothing after an error.
  std::optional<std::string> text_of(const KeySchema& key, const toml::node& node);
  /// Passes each text of a list to `take`.
  template <class Take>
  bool read_texts(const KeySchema& key, const toml::node& node, Take&& take);
  std::optional<std::vector<int>> atom_list(const KeySchema& key, const toml::array& array);

  void into(UnitSystem* value, const KeySchema& key, const toml::node& node);
  void into(bool* value, const KeySchema& key, const toml::node& node);
  template <class Integer>
  requires std::is_integral_v<Integer>
  void into(Integer* value, const KeySchema& key, const toml::node& node);
  void into(double* value, const KeySchema& key, const toml::node& node);
  void into(std::optional<double>* value, const KeySchema& key, const toml::node& node);
  void into(std::string* value, const KeySchema& key, const toml::node& node);
  void into(Vec3* value, const KeySchema& key, const toml::node& node);
  void into(std::optional<Vec3>* value, const KeySchema& key, const toml::node& node);
  void into(std::array<int, 3>* value, const KeySchema& key, const toml::node& node);
  void into(std::vector<std::string>* value, const KeySchema& key, const toml::node& node);
  void into(std::vector<double>* value, const KeySchema& key, const toml::node& node);
  void into(Input::AtomLists* value, const KeySchema& key, const toml::node& node);
  void into(const ChoiceTarget& target, const KeySchema& key, const toml::node& node);
  void into(const ChoiceListTarget& target, const KeySchema& key, const toml::node& node);

  InputReading& reading_;
  std::string place_;  // of the value that is being read
};

}  // namespace sterna::md

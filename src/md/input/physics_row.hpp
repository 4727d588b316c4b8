#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "md/core/box.hpp"
#include "md/core/registry.hpp"
#include "md/input/check_input.hpp"
#include "md/input/forecast.hpp"
#include "md/input/input_schema.hpp"

namespace sterna::md {

/// A key that a kind of physics adds to a section of others, such as "tersoff" to [[type]].
struct AddedKey {
  std::string_view section;
  std::string_view behind;  ///< the key of the section that it follows on the reference page
  KeySchema key;
};

/// A file of parameters, whose content a resumed run must find unchanged.
struct ParameterFile {
  std::string_view name;    ///< in checkpoints
  std::string_view phrase;  ///< in messages: "the file of parameters"
  /// The content; empty if the input names no such file.
  std::string (*text)(const Input& input) = nullptr;
};

/// What a kind of physics knows of the input: its keys, checks, advice and files. It is declared with
/// its owner, in `forces/KIND/input/` or in `integrate/`. Functions that a kind does not need are null.
struct PhysicsRow {
  std::string_view name;
  std::string_view sentence;  ///< what the input describes by it
  std::vector<InputSection (*)()> sections = {};
  std::vector<AddedKey> (*keys)() = nullptr;
  /// What no key can tell alone. May set values that depend on other keys.
  void (*check)(Input& input, bool look_at_files, const IsGood& is_good,
                const Report& report) = nullptr;
  /// What is asked of an input that has no errors.
  void (*check_good)(const Input& input, const Report& report) = nullptr;
  /// What the file of a [[molecule]], which is the only one of the input then, must be like. May set
  /// values that depend on other keys.
  void (*check_molecule_file)(Input& input, const IsGood& is_good, const Report& report) = nullptr;
  /// What the box of the start, which a file may give, must be like.
  void (*check_in_box)(const Input& input, const Box& box, const Report& report) = nullptr;
  /// Warnings and advice about what is possible but hardly meant so.
  void (*advise)(const Input& input, const SystemFacts& facts, const Report& report) = nullptr;
  std::vector<ParameterFile> files = {};
  /// Endings of the files of lines that its force terms write (`ForceTerm::GrowingText`).
  std::vector<std::string_view> text_files = {};
  /// Publications whose parameters the input takes: one line each, and as BibTeX.
  std::vector<std::string_view> (*citations)(const Input& input) = nullptr;
  std::string (*bibliography)(const Input& input) = nullptr;
  /// Pages of the documentation that are written from its tables: their text by path in `docs/`.
  std::map<std::string, std::string> (*pages)() = nullptr;
};

/// All kinds, as `simulation/owner_tables.cpp` handed them in. A kind may rely on what the checks of
/// those before it have set.
const Registry<PhysicsRow>& physics_rows();

}  // namespace sterna::md

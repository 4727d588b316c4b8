#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sterna::md {

/// A parsed text of the selection language. The language is a subset of that of MDAnalysis (Gowers
/// et al., Proc. 15th Python in Science Conf., 98 (2016)) with the same meaning:
///
///     expression = operand { ("and" | "or") operand }     from left to right, as MDAnalysis does
///     operand    = "not" operand | "(" expression ")" | "all"
///                | ("name" | "type" | "resname" | "moltype" | "molecule") pattern { pattern }
///                | "resid" residues { residues }
///                | ("resnum" | "id" | "bynum" | "index") range { range }
///                | "prop" [ "abs" ] ("x" | "y" | "z" | "mass" | "charge") comparison number
///     pattern    = text with the wildcards * ? [abc] [!abc]; \and is the text "and"
///     range      = number | number (":" | "-" | " to ") number
///     residues   = residue | residue (":" | "-" | " to ") residue
///     residue    = number [ insertion code ]           in the order 52, 52A, 52B, 53
///     comparison = "<" | "<=" | ">" | ">=" | "==" | "!="
class SelectionExpression {
 public:
  /// An error in the text of a selection.
  class Error : public std::runtime_error {
   public:
    Error(std::size_t column, const std::string& message)
        : std::runtime_error(message), column_(column) {}
    std::size_t column() const { return column_; }  ///< from 1, in bytes of the text

   private:
    std::size_t column_;
  };

  enum class Text { name, type, residue, molecule };
  enum class Number { residue, id, index };
  enum class Property { x, y, z, mass, charge };
  enum class Comparison { less, less_or_equal, greater, greater_or_equal, equal, not_equal };

  /// One step of an evaluation on a stack of at most 64 truth values. A test pushes its result;
  /// `and` and `or` replace the top two values by one.
  struct Step {
    enum class Kind { all, text, number, property, negate, both, either };
    Kind kind = Kind::all;
    Text text = Text::name;
    std::vector<std::string> patterns = {};
    Number number = Number::residue;
    /// Both ends are included; for residues they are values of `residue_order`.
    std::vector<std::pair<std::int64_t, std::int64_t>> ranges = {};
    Property property = Property::x;
    bool absolute = false;
    Comparison comparison = Comparison::less;
    double value = 0.0;  ///< in the unit of the text

    bool matches(std::string_view candidate) const;
    bool contains(std::int64_t candidate) const;
    /// For `==` the comparison is that of numpy.isclose.
    bool holds(double candidate) const;
  };

  /// Throws Error.
  explicit SelectionExpression(std::string_view text);
  /// An expression for all atoms of molecules with this name, which may contain any characters.
  static SelectionExpression of_molecule(std::string_view name);

  const std::vector<Step>& steps() const { return steps_; }
  /// Whether the expression asks for positions.
  bool depends_on_position() const;

 private:
  SelectionExpression() = default;

  std::vector<Step> steps_;
};

/// Whether the whole text matches a pattern with the wildcards * ? [abc] [!abc].
bool matches_pattern(std::string_view pattern, std::string_view text);

}  // namespace sterna::md

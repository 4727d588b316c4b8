#pragma once

#include <exception>

namespace sterna::md {

/// Thrown where a document leads the TOML parser to break its own preconditions.
class TomlParserFault : public std::exception {
 public:
  const char* what() const noexcept override { return "the TOML parser broke a precondition"; }
};

constexpr void toml_precondition(bool holds) {
  if (!holds) throw TomlParserFault();
}

}  // namespace sterna::md

// toml++ 3.3 takes for granted, in release builds even for the optimizer, what a malformed document
// can violate: "[[=" is undefined behavior (marzer/tomlplusplus issues 294 and 301). So its checks
// stay in, in every build, and throw. Include toml++ through this header only: all translation
// units must see the same.
#ifdef NDEBUG
#define STERNA_HAD_NDEBUG
#undef NDEBUG
#endif
#define TOML_ASSERT(condition) ::sterna::md::toml_precondition(static_cast<bool>(condition))
#include <toml++/toml.h>
#ifdef STERNA_HAD_NDEBUG
#undef STERNA_HAD_NDEBUG
#define NDEBUG
#endif

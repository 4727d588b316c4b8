#pragma once

#include <stdexcept>
#include <utility>

#include "md/input/diagnostics.hpp"

namespace sterna::md {

/// A mistake in a start file; `what()` is the rendered diagnostic.
class StartFileError : public std::runtime_error {
 public:
  explicit StartFileError(Diagnostic diagnostic)
      : std::runtime_error(render(diagnostic)), diagnostic_(std::move(diagnostic)) {}
  const Diagnostic& diagnostic() const { return diagnostic_; }

 private:
  Diagnostic diagnostic_;
};

}  // namespace sterna::md

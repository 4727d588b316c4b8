#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "md/domain/decomposition.hpp"
#include "md/input/input.hpp"
#include "md/simulation/simulated_system.hpp"
#include "md/simulation/starting/start_times.hpp"
#include "md/simulation/system.hpp"
#include "md/start/readers/start_file_reader.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// Collective. Throws StartInterrupted on all ranks if a signal asked any of them to stop.
void stop_start_if_asked(const comm::Context& context);

/// The sources of a start.
struct StartRequest {
  const comm::Context& context;
  const Input& input;
  SimulatedSystem& system;
  StartTimes& times;
  /// Collective. Makes the regions of the ranks. Called once, when the box and the number of
  /// particles are known.
  std::function<const Decomposition&()> decompose;
  /// Rank 0: called with warnings about a start file for the user.
  std::function<void(const std::string&)> warn;
};

/// Brings the particles of a start to the ranks that own them. They are generated as the input
/// says, read from a file, or given by a program.
class StartLoader {
 public:
  explicit StartLoader(StartRequest request) : request_(std::move(request)) {}

  /// Collective. `given`: the particles of a program; null if the input describes them. Throws
  /// FileError, InputError and StartInterrupted on all ranks.
  void load(const System* given);

 private:
  void generate();
  void take(const System::Particles& given);
  /// The first mistake of these particles; empty if there is none.
  std::string what_is_wrong(const System::Particles& given) const;

  // start_file.cpp
  void read_file();
  /// Reads pieces on all ranks at once, each with a reader that finds the same facts in the file;
  /// rank 0 passes its own reader. False, without particles, if this is impossible.
  bool read_pieces(std::unique_ptr<StartFileReader>& reader, const std::string& facts);
  void read_stream();

  /// Whether the type is that of atoms, which do not turn and have no orientation of their own.
  bool is_atom(std::int64_t type) const {
    return type < static_cast<std::int64_t>(request_.system.interaction.type_count());
  }

  StartRequest request_;
  const Decomposition* decomposition_ = nullptr;  ///< null before `StartRequest::decompose`
};

}  // namespace sterna::md

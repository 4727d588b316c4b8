#include "md/start/foreign/modylas/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <numbers>
#include <optional>
#include <stdexcept>
#include <utility>

#include "md/core/display_text.hpp"
#include "md/forces/coulomb/fmm/fmm_options.hpp"
#include "md/input/input_schema.hpp"
#include "md/start/foreign/foreign_draft.hpp"
#include "md/start/foreign/modylas/force_field.hpp"
#include "md/start/foreign/modylas/position_constrain.hpp"
#include "md/start/foreign/modylas/values.hpp"

namespace sterna::md::modylas {
namespace {

constexpr std::int64_t most_steps = 1'000'000'000'000'000;
constexpr double femtoseconds = 1e15;  // femtoseconds in a second

class SessionReader {
 public:
  SessionReader(Values& values, ForeignDraft& draft) : values_(values), draft_(draft) {}

  void read() {
    const Block& root = values_.document().root();
    set("units", draft_.input.units, *UnitSystem::by_name("real"), root.tag);
    version(root);
    if (const Block* block = values_.find(root, "output")) output(*block);
    if (const Block* block = values_.require(root, "integrator")) integrator(*block);
    if (const Block* block = values_.require(root, "ensemble")) ensemble(*block);
    if (const Block* block = values_.find(root, "scaling14")) {
      divide_lj = values_.positive(*block, "special_divide_lj");
      divide_coulomb = values_.positive(*block, "special_divide_coulomb");
      unknown(*block, {});
    }
    if (const Block* block = values_.require(root, "intermolecular interaction")) {
      interaction(*block);
    }
    values_.find(root, "mpi");
    if (const Block* block = values_.find(root, "debug")) {
      if (values_.yes_or_no(*block, "0step_stop").value_or(false)) draft_.input.run.steps = 0;
      unknown(*block, {});
    }
    for (const std::string_view name : {"tip4p", "COM"}) {
      if (const Block* block = values_.find(root, name)) {
        values_.error(block->tag, fmt::format("<{}> is not taken over", name));
      }
    }
    unknown(root, {"allocation parameters"});
  }

  /// Completes the input with facts of the force field.
  void complete(const ForceFieldFacts& facts) {
    if (!facts.has_charges) {
      draft_.input.time_steps.far_field = 0;
      return;
    }
    Input::Electrostatics& electrostatics = draft_.input.electrostatics;
    set("electrostatics.kind", electrostatics.kind, "fmm", electrostatics_word_);
    set("electrostatics.accuracy", electrostatics.accuracy, accuracy_, electrostatics_word_);
    // Energies are compared with MODYLAS to more digits than single precision has after excluded
    // pairs are subtracted.
    set("electrostatics.precision", draft_.input.section<FmmOptions>().precision,
        WantedFmmPrecision::full, electrostatics_word_);
    set("electrostatics.surroundings", electrostatics.surroundings,
        surface_term_ ? ElectrostaticsSurroundings::vacuum : ElectrostaticsSurroundings::conductor,
        electrostatics_word_);
    if (facts.tail_mixes_arithmetically && tail_) {
      values_.warning(tail_word_,
                      "MODYLAS mixes sigma arithmetically in the correction beyond the "
                      "cutoff, although geometrically in pairs; Sterna mixes both "
                      "geometrically");
    }
  }

  std::optional<double> divide_lj, divide_coulomb;

 private:
  /// Reports unknown keys as errors, as MODYLAS does.
  void unknown(const Block& block, std::initializer_list<std::string_view> without_meaning) {
    values_.report_unused(block, Severity::error,
                          "Sterna does not know it, so the run might be another one",
                          without_meaning);
  }

  template <class Target, class Value>
  void set(std::string_view key, Target& target, Value&& value, std::string_view word) {
    target = std::forward<Value>(value);
    draft_.decide(key, values_.document().diagnostic(word, Severity::error, {}));
  }

  void version(const Block& root) {
    const Block* block = values_.find(root, "input");
    const std::string_view given = block != nullptr ? values_.word(*block, "version") : "";
    if (given == "1.0.0") return;
    values_.error(given.empty() ? root.tag : given,
                  "expected <input> version = 1.0.0 </input>; sessions with other names of blocks "
                  "are not read");
  }

  void output(const Block& block) {
    Input::Output& output = draft_.input.output;
    for (const char* key : {"ascii", "backup"}) values_.yes_or_no(block, key);
    bool frames = false;
    for (const char* key : {"mdtrj", "dcd", "xtc"}) {
      frames = values_.yes_or_no(block, key).value_or(false) || frames;
    }
    if (values_.yes_or_no(block, "system_dipole").value_or(false)) {
      values_.warning(block.tag, "system_dipole: Sterna's section [dielectric] writes the dipole");
    }
    if (const auto interval = interval_of(block, "monitor")) {
      set("output.thermo_interval", output.thermo_interval, *interval, block.tag);
    }
    if (const auto interval = interval_of(block, "restart")) {
      set("output.checkpoint_interval", output.checkpoint_interval, *interval, block.tag);
    }
    std::optional<std::int64_t> every;
    for (const char* name : {"trajectory", "trjdcd", "trjxtc"}) {
      const auto interval = interval_of(block, name);
      if (interval) every = every ? std::min(*every, *interval) : *interval;
    }
    std::vector<std::string> fields{"position"};
    if (const auto interval = interval_of(block, "force")) {
      fields.emplace_back("force");
      every = every ? std::min(*every, *interval) : *interval;
    }
    if (frames && !every) every = 1;
    if (every) {
      fields.insert(fields.begin() + 1, "velocity");
      set("output.trajectory_interval", output.trajectory_interval, *every, block.tag);
      set("output.trajectory_fields", output.trajectory_fields, fields, block.tag);
    }
    unknown(block, {});
  }

  std::optional<std::int64_t> interval_of(const Block& output, std::string_view name) {
    const Block* block = values_.find(output, name);
    if (block == nullptr) return std::nullopt;
    if (const auto start = values_.integer(*block, "start", 0, most_steps); start && *start > 0) {
      values_.warning(block->tag,
                      fmt::format("<{}>: Sterna begins at step 0, not at {}", name, *start));
    }
    const auto interval = values_.integer(*block, "interval", 1, most_steps);
    unknown(*block, {});
    return interval.value_or(1);
  }

  void integrator(const Block& block) {
    Input::Run& run = draft_.input.run;
    // A minimization has no time step.
    const Block* ensemble = values_.find(values_.document().root(), "ensemble");
    const bool moves = ensemble == nullptr || values_.peek(*ensemble, "ensemble") != "opt";
    const auto short_step = values_.positive(block, "dt");
    const auto long_step = values_.positive(block, "dt_long");
    if (!short_step && !long_step) {
      if (values_.ok()) values_.error(block.tag, "<integrator> lacks dt_long");
    } else if (moves) {
      set("run.timestep", run.timestep, femtoseconds * long_step.value_or(short_step.value_or(1.0)),
          block.tag);
    }
    if (const auto steps = values_.integer(block, "steps", 0, most_steps)) {
      set("run.steps", run.steps, *steps, block.tag);
    } else if (values_.ok()) {
      values_.error(block.tag, "<integrator> lacks steps");
    }
    if (const auto first = values_.integer(block, "initial_step", 0, most_steps);
        first && *first > 0) {
      values_.warning(block.tag, fmt::format("initial_step = {}: Sterna counts from 0", *first));
    }
    const Block* const steps = values_.find(block, "multiple time step");
    if (steps != nullptr) multiple_time_steps(*steps, moves);
    if (const Block* optimize = values_.find(block, "optimize")) {
      step_length_ = values_.positive(*optimize, "step_length").value_or(step_length_);
      unknown(*optimize, {"convergence", "up_rate", "down_rate"});
    }
    if (const Block* shake = values_.find(block, "shake")) {
      // MODYLAS's tolerance is of squared lengths, so half of it is the tolerance of lengths.
      if (const auto tolerance = values_.positive(*shake, "shake_tolerance")) {
        set("run.constraint_tolerance", run.constraint_tolerance, 0.5 * *tolerance, shake->tag);
      }
      unknown(*shake, {"maxiteration"});
    }
    unknown(block, {});
  }

  /// Reads multiple time steps. MODYLAS counts the long steps, Sterna the short ones.
  void multiple_time_steps(const Block& block, bool moves) {
    constexpr std::int64_t most = 100;
    const auto count = [&](std::string_view key, std::string_view other) {
      const auto value = values_.integer(block, key, 1, most);
      return value ? *value : values_.integer(block, other, 1, most).value_or(1);
    };
    const std::int64_t middle = count("nshort_per_middle", "nstep_skip_middle");
    const std::int64_t all = middle * count("nmiddle_per_long", "nstep_skip_long");
    unknown(block, {});
    if (!moves || all == 1) return;
    if (all > most) {
      values_.error(block.tag, fmt::format("the longest time step has {} of the shortest; expected "
                                           "at most {}",
                                           all, most));
      return;
    }
    Input::TimeSteps& steps = draft_.input.time_steps;
    set("multiple_time_steps.pairs", steps.pairs, middle, block.tag);
    set("multiple_time_steps.far_field", steps.far_field, all, block.tag);
    draft_.input.run.timestep /= static_cast<double>(all);
    draft_.input.run.steps *= all;
    Input::Output& output = draft_.input.output;
    for (std::int64_t* interval :
         {&output.thermo_interval, &output.checkpoint_interval, &output.trajectory_interval}) {
      *interval *= all;
    }
    values_.warning(block.tag, fmt::format("Sterna counts short time steps: {} of them are one of "
                                           "MODYLAS's, and its log has the short ones' numbers",
                                           all));
  }

  void ensemble(const Block& block) {
    const auto kind = values_.choice(block, "ensemble",
                                     {"opt", "nve", "nvt", "npt_a", "npt_z", "npt_pr", "npxpypzt",
                                      "nptlz", "nptlzxy", "nlxlypzt", "nlxlylzt", "nvlxlylzt"});
    if (!kind) {
      if (values_.ok()) values_.error(block.tag, "<ensemble> lacks ensemble = nve or another one");
      unknown(block, {});
      return;
    }
    enum Known : std::size_t {
      opt,
      nve,
      nvt,
      npt_a,
      npt_z,
      npt_pr,
      npxpypzt,
      nptlz,
      nptlzxy,
      nlxlypzt
    };
    if (*kind == nptlz || *kind == nptlzxy || *kind > nlxlypzt) {
      values_.error(block.tag,
                    "this ensemble is not taken over; expected opt, nve, nvt, npt_a, npt_z, "
                    "npxpypzt, nlxlypzt or npt_pr");
      return;
    }
    constexpr double usual_temperature = 300.0;  // K
    const double temperature =
        values_.number(block, "temperature", 0.0, 1e9).value_or(usual_temperature);
    if (values_.yes_or_no(block, "maxwell_velocities").value_or(false)) {
      set("start.temperature", draft_.input.start.temperature, temperature, block.tag);
    }
    const bool scaled = values_.yes_or_no(block, "velocity_scaling").value_or(false);
    if (scaled && *kind == nve) thermostat("velocity_scaling", temperature, block.tag);
    const Block* chain = values_.find(block, "thermostat");
    double period = 1e-12;  // s
    if (chain != nullptr) {
      period = values_.positive(*chain, "tau_Q").value_or(period);
      values_.yes_or_no(*chain, "initialize");
      unknown(*chain, {});
    }
    if (*kind >= nvt) {
      thermostat("nose_hoover_chain", temperature, chain != nullptr ? chain->tag : block.tag);
      // MODYLAS gives the inverse of the angular frequency instead of the period.
      set("thermostat[0].time_constant", draft_.input.thermostats[0].time_constant,
          2.0 * std::numbers::pi * femtoseconds * period,
          chain != nullptr ? chain->tag : block.tag);
    }
    if (*kind == opt) minimization(block);
    using enum BoxCoupling;
    if (*kind == npt_a) barostat(block, isotropic);
    if (*kind == npt_z) barostat(block, semi_isotropic);
    if (*kind == npt_pr) barostat(block, triclinic);
    if (*kind == npxpypzt) barostat(block, anisotropic);
    if (*kind == nlxlypzt) barostat(block, uniaxial);
    unknown(block, {"pressure", "Pref_inner", "Pref_outer", "Pref_outermost", "barostat",
                    "velocity_scaling", "bond_breaking_distance"});
  }

  void barostat(const Block& block, Input::Coupling coupling) {
    Input::Barostat& barostat = draft_.input.barostat;
    const Block* const box = values_.find(block, "barostat");
    const std::string_view word = box != nullptr ? box->tag : block.tag;
    constexpr double largest = 1e15;
    auto pressure = values_.number(block, "pressure", -largest, largest);
    for (const char* key : {"Pref_inner", "Pref_outer", "Pref_outermost"}) {
      const auto part = values_.number(block, key, -largest, largest);
      // If the total pressure is missing, it is the sum of its parts.
      if (part && values_.peek(block, "pressure").empty())
        pressure = pressure.value_or(0.0) + *part;
    }
    std::optional<double> period, chain_period;
    if (box != nullptr) {
      period = values_.positive(*box, "tau_W");
      chain_period = values_.positive(*box, "tau_Q");
      values_.yes_or_no(*box, "initialize");
      unknown(*box, {});
    }
    if (!pressure && values_.ok()) values_.error(block.tag, "<ensemble> lacks pressure");
    if (!period && values_.ok()) values_.error(word, "<ensemble> lacks tau_W in <barostat>");
    if (!pressure || !period) return;
    constexpr double atmosphere = 101325.0;  // Pa
    const double time = 2.0 * std::numbers::pi * femtoseconds * *period;
    set("barostat.kind", barostat.kind, "martyna_tobias_klein", word);
    set("barostat.coupling", barostat.coupling, coupling, word);
    set("barostat.pressure", barostat.pressure, *pressure / atmosphere, word);
    set("barostat.time_constant", barostat.time_constant, time, word);
    if (chain_period) {
      const KeySchema* const key = find_key("barostat", "chain_time_constant");
      *std::get<double*>(key->target(draft_.input, 0)) =
          2.0 * std::numbers::pi * femtoseconds * *chain_period;
      draft_.decide("barostat.chain_time_constant",
                    values_.document().diagnostic(word, Severity::error, {}));
    }
    // The interval is about a hundredth of the time constant, but from 2 to 10 of the longest
    // steps, so that it costs little.
    const std::int64_t longest = draft_.input.time_steps.longest();
    const double steps = 0.01 * time / (draft_.input.run.timestep * static_cast<double>(longest));
    const auto interval =
        2 * longest * static_cast<std::int64_t>(std::clamp(0.5 * steps, 1.0, 5.0));
    set("barostat.interval", barostat.interval, interval, word);
  }

  void minimization(const Block& block) {
    values_.warning(block.tag, "opt: Sterna minimizes by FIRE instead of steepest descent");
    set("run.integrator", draft_.input.run.integrator, "minimize", block.tag);
    set("minimize.maximum_displacement", draft_.input.minimize.maximum_displacement, step_length_,
        block.tag);
  }

  void thermostat(const char* kind, double temperature, std::string_view word) {
    Input::Thermostat& thermostat = draft_.input.thermostats.emplace_back();
    set("thermostat[0].kind", thermostat.kind, kind, word);
    set("thermostat[0].temperature", thermostat.temperature, temperature, word);
  }

  void interaction(const Block& block) {
    Input::Interaction& interaction = draft_.input.interaction;
    tail_word_ = block.tag;
    if (const Block* pairs = values_.require(block, "twobody")) {
      tail_word_ = pairs->tag;
      if (const auto cutoff = values_.positive(*pairs, "cutoff")) {
        set("interaction.cutoff", interaction.cutoff, *cutoff, pairs->tag);
      } else if (values_.ok()) {
        values_.error(pairs->tag, "<twobody> lacks cutoff");
      }
      tail_ = values_.yes_or_no(*pairs, "LJcorrection").value_or(true);
      unknown(*pairs, {});
    }
    set("interaction.truncation", interaction.truncation, Truncation::truncated, tail_word_);
    set("interaction.tail_correction", interaction.tail_correction,
        tail_ ? TailCorrection::homogeneous : TailCorrection::none, tail_word_);
    if (const auto sign = values_.yes_or_no(block, "non_even_dihedral_potential"); sign && !*sign) {
      values_.error(block.tag, "non_even_dihedral_potential = no is not taken over");
    }
    const auto method = values_.choice(block, "type", {"fmm", "pme", "ewald", "cluster"});
    electrostatics_word_ = block.tag;
    if (method && *method == 3) values_.error(block.tag, "type = cluster is not taken over");
    const Block* fmm = values_.find(block, "fmm");
    if (fmm != nullptr) {
      electrostatics_word_ = fmm->tag;
      surface_term_ = values_.yes_or_no(*fmm, "sterm").value_or(false);
      const auto order = values_.integer(*fmm, "nmax", 1, 50);
      // The relative error of forces by MODYLAS's expansions of this order, with cells of two
      // neighbors.
      if (order)
        accuracy_ =
            std::clamp(std::pow(10.0, -0.5 * (static_cast<double>(*order) + 4)), 1e-8, 1e-4);
      unknown(*fmm, {"ULswitch", "nlevel"});
    }
    for (const char* name : {"pme", "ewald"}) {
      if (const Block* waves = values_.find(block, name)) electrostatics_word_ = waves->tag;
    }
    unknown(block, {"ncell", "ncellx", "ncelly", "ncellz"});
  }

  Values& values_;
  ForeignDraft& draft_;
  double step_length_ = 0.2;  // angstrom
  double accuracy_ = 1e-4;
  bool surface_term_ = false, tail_ = true;
  std::string_view electrostatics_word_, tail_word_;
};

/// The paths at which MODYLAS looks for a list of held atoms.
std::array<std::string, 2> lists_of_held_atoms(const std::filesystem::path& session) {
  return {std::filesystem::path(session).replace_extension(".posiconst").string(),
          (session.parent_path() / "posi_const.dat").string()};
}

/// The file that lists held atoms; nothing if there is none.
std::optional<std::string> list_of_held_atoms(const std::string& path, const LoadText& load) {
  for (std::string& file : lists_of_held_atoms(path)) {
    try {
      load(file);
      return std::move(file);
    } catch (const std::runtime_error&) {
      // A file that exists but cannot be read is reported by its reader.
      if (std::filesystem::exists(file)) return std::move(file);
    }
  }
  return std::nullopt;
}

Diagnostic unreadable(const std::string& path, const std::string& reason) {
  Diagnostic diagnostic;
  diagnostic.file = path;
  diagnostic.message = reason;
  return diagnostic;
}

/// Decides what no keyword of a session says: where the particles are, how the run begins, and its
/// name, which is that of the session.
void decide_by_name(const std::string& path, const Document& definition, ForeignDraft& draft) {
  const Diagnostic place = definition.diagnostic(definition.root().tag, Severity::error, {});
  const std::filesystem::path session = path;
  Input::Start& start = draft.input.start;
  start.kind = StartKind::file;
  start.format = "modylas";
  start.file = session.filename().replace_extension(".mdxyz").string();
  for (const char* key : {"kind", "format", "file"}) {
    draft.decide(fmt::format("start.{}", key), place);
  }
  if (!start.temperature && !draft.input.minimizes()) {
    start.constraints = StartConstraints::first_step;
    draft.decide("start.constraints", place);
  }
  const auto has_constraints = [](const Input::Molecule& molecule) {
    return !molecule.constraints.empty();
  };
  if (std::ranges::any_of(draft.input.molecules, has_constraints)) {
    // Water is constrained as in MODYLAS, instead of being made a rigid rotor.
    draft.input.run.constraint_algorithm = ConstraintAlgorithm::settle;
    draft.decide("run.constraint_algorithm", place);
  }
  draft.input.run.name = session.stem().string();
  draft.decide("run.name", place);
}

}  // namespace

ForeignInput read_session(const std::string& path, const LoadText& load) {
  ForeignDraft draft;
  draft.input.path = path;
  std::vector<Diagnostic> found;
  const auto with_ending = [&](const char* ending) {
    return std::filesystem::path(path).replace_extension(ending).string();
  };
  std::string reading = path;
  const auto take = [&](Values& values) {
    std::ranges::move(values.diagnostics(), std::back_inserter(found));
  };
  try {
    const Document definition(path, load(path));
    Values values(definition);
    SessionReader session(values, draft);
    session.read();
    reading = with_ending(".mdff");
    const Document force_field(reading, load(reading));
    Values of_force_field(force_field);
    PositionConstrain held;
    std::optional<Document> list;
    std::optional<Values> of_list;
    // MODYLAS looks for a separate list only if the force field holds no atoms.
    const bool has_block = of_force_field.find(force_field.root(), "position constrain") != nullptr;
    const std::optional<std::string> listed =
        has_block ? std::nullopt : list_of_held_atoms(path, load);
    if (listed) {
      std::string text = load(*listed);
      reading = *listed;
      of_list.emplace(list.emplace(*listed, std::move(text)));
      held.read_file(*of_list, std::filesystem::path(*listed).filename().string());
      reading = force_field.path();
    }
    const ForceFieldFacts facts =
        read_force_field(of_force_field, session.divide_lj, session.divide_coulomb, held, draft);
    session.complete(facts);
    take(values);
    take(of_force_field);
    if (of_list) take(*of_list);
    decide_by_name(path, definition, draft);
  } catch (const DocumentError& error) {
    found.push_back(error.diagnostic());
  } catch (const std::runtime_error& error) {
    found.push_back(unreadable(reading, error.what()));
  }
  ReadResult checked = draft.check(std::move(found));
  return {std::move(draft.input), std::move(checked)};
}

std::vector<std::string> files_of_session(const std::string& path) {
  std::vector<std::string> files;
  for (const char* ending : {".mdff", ".mdxyz"}) {
    files.push_back(std::filesystem::path(path).replace_extension(ending).string());
  }
  std::ranges::move(lists_of_held_atoms(path), std::back_inserter(files));
  return files;
}

}  // namespace sterna::md::modylas

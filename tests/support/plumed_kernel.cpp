// A kernel with the interface of PLUMED's, for tests where PLUMED is not installed. It checks the order
// and the completeness of all calls, and computes a few statements of PLUMED's language:
//
//   LABEL: DISTANCE ATOMS=i,j          nearest image of a box of any shape
//   LABEL: POSITION ATOM=i             along x
//   LABEL: ENERGY
//   RESTRAINT ARG=l AT=x KAPPA=k       k/2 (l - x)^2
//   PUSH ARG=l RATE=r                  r t l, which changes in time
//   GROW ARG=l BY=k STRIDE=n FILE=f    K l, K grows by k after each n steps but the first; f has all K
//   PRINT ARG=l STRIDE=n FILE=f
//   STOP AT=step                       asks the program to end
//   INCLUDE FILE=f, _SET_SUFFIX s
//
// RESTRAINT and PRINT are as in PLUMED; PUSH, GROW and STOP stand for what changes in time, what has a
// memory, and COMMITTOR. The file that the environment variable TEST_PLUMED_CALLS names gets the words
// of all calls.
#include <sys/stat.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using Words = std::map<std::string, std::string>;

struct Statement {
  std::string label, kind;
  Words words;
  std::FILE* file = nullptr;
  bool has_head = false;
  double constant = 0.0;  // of GROW
  double value = 0.0, force = 0.0;

  double number(const std::string& key) const {
    const auto found = words.find(key);
    if (found == words.end()) error("keyword " + key + " is compulsory for this action");
    char* end = nullptr;
    const double value = std::strtod(found->second.c_str(), &end);
    if (*end != '\0') error("keyword " + key + " could not be read correctly");
    return value;
  }
  [[noreturn]] void error(const std::string& text) const {
    throw std::runtime_error(
        "\n+++ PLUMED error\n+++ at test_kernel.cpp:1\n+++ message follows +++\n"
        "ERROR in input to action " +
        kind + " with label " + label + " : " + text);
  }
};

class Kernel {
 public:
  ~Kernel() {
    for (const auto& one : statements_) {
      if (one->file != nullptr) std::fclose(one->file);
    }
    if (log_ != nullptr) std::fprintf(log_, "the kernel ends\n");
    const char* const path = std::getenv("TEST_PLUMED_CALLS");
    if (path == nullptr) return;
    std::ofstream out(path, std::ios::app);
    for (const std::string& word : calls_) out << word << "\n";
    out << "end\n";
  }

  void command(const std::string& word, const void* value) {
    calls_.push_back(word);
    if (set_up(word, value) || give(word, value) || act(word, value)) return;
    throw std::runtime_error("cannot interpret cmd(\"" + word + "\")");
  }

 private:
  static void require(bool holds, const std::string& text) {
    if (!holds) throw std::runtime_error("order of calls: " + text);
  }
  template <class T>
  static T of(const void* value) {
    require(value != nullptr, "a null pointer");
    return *static_cast<const T*>(value);
  }

  // Before "init".
  bool set_up(const std::string& word, const void* value) {
    static const std::set<std::string> known{
        "setRealPrecision", "setNaturalUnits", "setMDEnergyUnits",
        "setMDLengthUnits", "setMDTimeUnits",  "setMDMassUnits",
        "setMDChargeUnits", "setMDEngine",     "setLog",
        "setTimestep",      "setKbT",          "setNatoms",
        "setRestart",       "setPlumedDat",    "init"};
    if (!known.contains(word)) return false;
    require(!is_initialized_, word + " after init");
    require(told_.insert(word).second, word + " twice");
    if (word == "setRealPrecision") {
      require(told_.size() == 1, "setRealPrecision comes first");
      require(of<int>(value) == sizeof(double), "reals of another size");
    }
    if (word.starts_with("setMD") && word.ends_with("Units")) {
      require(of<double>(value) == 1.0, word + " is not 1");
    }
    if (word == "setMDEngine") require(!told_.contains("setNatoms"), "the name follows the atoms");
    if (word == "setLog") log_ = static_cast<std::FILE*>(const_cast<void*>(value));
    if (word == "setTimestep") timestep_ = of<double>(value);
    if (word == "setKbT") thermal_energy_ = of<double>(value);
    if (word == "setNatoms") count_ = static_cast<std::size_t>(of<int>(value));
    if (word == "setRestart") restarts_ = of<int>(value) != 0;
    if (word == "setPlumedDat") path_ = static_cast<const char*>(value);
    if (word == "init") initialize();
    return true;
  }

  void initialize() {
    for (const char* const needed : {"setRealPrecision", "setMDEngine", "setLog", "setTimestep",
                                     "setNatoms", "setRestart", "setPlumedDat"}) {
      require(told_.contains(needed), std::string(needed) + " is missing");
    }
    const bool natural = told_.contains("setNaturalUnits");
    require(natural != told_.contains("setMDLengthUnits"), "units are told twice or never");
    is_initialized_ = true;
    std::fprintf(log_, "test kernel: %zu atoms, timestep %.9g, kT %.9g, restart %d, units %s\n",
                 count_, timestep_, thermal_energy_, restarts_ ? 1 : 0,
                 natural ? "natural" : "nm ps kJ/mol");
    read(path_);
  }

  std::string with_suffix(const std::string& path) const {
    const auto dot = path.find_last_of('.');
    const auto slash = path.find_last_of('/');
    const bool has_ending = dot != std::string::npos && (slash == std::string::npos || dot > slash);
    return has_ending ? path.substr(0, dot) + suffix_ + path.substr(dot) : path + suffix_;
  }

  void read(const std::string& path) {
    std::ifstream in(with_suffix(path));
    if (!in) in.open(path);
    if (!in) throw std::runtime_error("file " + path + " cannot be found");
    std::string line;
    while (std::getline(in, line)) {
      std::istringstream words(line.substr(0, line.find('#')));
      std::vector<std::string> all;
      for (std::string word; words >> word;) all.push_back(word);
      if (!all.empty()) statement(all);
    }
  }

  void statement(std::vector<std::string> all) {
    auto made = std::make_unique<Statement>();
    made->label = "@" + std::to_string(statements_.size());
    if (all.front().back() == ':') {
      made->label = all.front().substr(0, all.front().size() - 1);
      all.erase(all.begin());
    }
    if (all.size() < 2 && all.front() != "ENERGY") {
      throw std::runtime_error("I cannot understand line: " + all.front());
    }
    made->kind = all.front();
    if (made->kind == "_SET_SUFFIX") {
      suffix_ = all[1];
      return;
    }
    for (std::size_t n = 1; n < all.size(); ++n) {
      const auto equals = all[n].find('=');
      if (equals == std::string::npos) made->error("cannot understand the word " + all[n]);
      made->words[all[n].substr(0, equals)] = all[n].substr(equals + 1);
    }
    if (made->kind == "INCLUDE") return read(made->words["FILE"]);
    check(*made);
    statements_.push_back(std::move(made));
  }

  void check(Statement& made) {
    static const std::map<std::string, std::set<std::string>> keys{
        {"DISTANCE", {"ATOMS"}},
        {"POSITION", {"ATOM"}},
        {"ENERGY", {}},
        {"STOP", {"AT"}},
        {"PUSH", {"ARG", "RATE"}},
        {"RESTRAINT", {"ARG", "AT", "KAPPA"}},
        {"PRINT", {"ARG", "STRIDE", "FILE"}},
        {"GROW", {"ARG", "BY", "STRIDE", "FILE"}}};
    const auto known = keys.find(made.kind);
    if (known == keys.end()) {
      throw std::runtime_error("I cannot understand line: " + made.kind +
                               "\nMaybe a missing space or a typo?");
    }
    for (const auto& [key, value] : made.words) {
      if (!known->second.contains(key)) made.error("cannot understand the keyword " + key);
    }
    for (const std::string& key : known->second) {
      if (!made.words.contains(key))
        made.error("keyword " + key + " is compulsory for this action");
    }
    if (made.words.contains("ARG")) variable(made);
    for (const std::size_t atom : atoms_of(made)) {
      if (atom >= count_) made.error("atom out of range");
    }
    if (!made.words.contains("FILE")) return;
    const std::string path = with_suffix(made.words["FILE"]);
    if (restarts_ && made.kind == "GROW") {
      std::ifstream before(path);
      for (double constant; before >> constant;) made.constant = constant;
    }
    if (struct stat status; !restarts_ && ::stat(path.c_str(), &status) == 0) {
      std::rename(path.c_str(), ("bck.0." + path).c_str());
    }
    made.file = std::fopen(path.c_str(), restarts_ ? "a" : "w");
    if (made.file == nullptr) made.error("the file cannot be opened: " + path);
  }

  Statement& variable(const Statement& of) {
    for (const auto& one : statements_) {
      if (one->label == of.words.at("ARG")) return *one;
    }
    of.error("cannot find action named " + of.words.at("ARG"));
  }

  static std::vector<std::size_t> atoms_of(const Statement& of) {
    std::vector<std::size_t> atoms;
    for (const char* const key : {"ATOMS", "ATOM"}) {
      const auto found = of.words.find(key);
      if (found == of.words.end()) continue;
      std::istringstream list(found->second);
      for (std::string one; std::getline(list, one, ',');) atoms.push_back(std::stoul(one) - 1);
    }
    return atoms;
  }

  // The arrays of a step.
  bool give(const std::string& word, const void* value) {
    static const std::set<std::string> known{"setMasses", "setCharges", "setBox",   "setPositions",
                                             "setForces", "setVirial",  "setEnergy"};
    if (!known.contains(word)) return false;
    require(is_prepared_ && !is_shared_, word + " without a step");
    require(value != nullptr, word + " of a null pointer");
    given_[word] = value;
    return true;
  }

  bool act(const std::string& word, const void* value) {
    require(is_initialized_, word + " before init");
    void* const out = const_cast<void*>(value);
    if (word == "setStopFlag") {
      stop_ = static_cast<int*>(out);
    } else if (word == "setStepLong") {
      const long step = of<long>(value);
      require(step >= 0, "a step below 0");
      // The same step may be computed again, but does not begin again.
      if (step != step_) is_prepared_ = is_updated_ = false;
      step_ = step;
      given_.clear();
      is_shared_ = false;
    } else if (word == "prepareDependencies") {
      require(!is_prepared_, "a step is prepared twice");
      is_prepared_ = true;
    } else if (word == "createFullList") {
      require(is_prepared_, "a list before the step is prepared");
      make_list();
      *static_cast<int*>(out) = static_cast<int>(list_.size());
    } else if (word == "getFullList") {
      *static_cast<const int**>(out) = list_.empty() ? nullptr : list_.data();
    } else if (word == "clearFullList") {
      list_.clear();
    } else if (word == "isEnergyNeeded") {
      require(is_prepared_, "isEnergyNeeded before the step is prepared");
      *static_cast<int*>(out) = needs_energy() ? 1 : 0;
    } else if (word == "doCheckPoint") {
      flushes_ = of<int>(value) != 0;
    } else if (word == "shareData") {
      for (const char* const one :
           {"setMasses", "setCharges", "setBox", "setPositions", "setForces", "setVirial"}) {
        require(given_.contains(one), std::string(one) + " is missing");
      }
      require(given_.contains("setEnergy") == needs_energy(), "setEnergy only where it is needed");
      is_shared_ = true;
    } else if (word == "performCalc" || word == "performCalcNoUpdate") {
      require(is_shared_, word + " without data");
      calculate();
      if (word == "performCalc") update();
      is_shared_ = false;
      given_.clear();
    } else if (word == "getBias") {
      *static_cast<double*>(out) = bias_;
    } else {
      return false;
    }
    return true;
  }

  bool needs_energy() const {
    for (const auto& one : statements_) {
      if (one->kind == "ENERGY") return true;
    }
    return false;
  }

  // In its first step PLUMED asks for all atoms.
  void make_list() {
    std::set<int> atoms;
    for (const auto& one : statements_) {
      for (const std::size_t atom : atoms_of(*one)) atoms.insert(static_cast<int>(atom));
    }
    list_.assign(atoms.begin(), atoms.end());
    if (has_begun_) return;
    list_.resize(count_);
    for (std::size_t n = 0; n < count_; ++n) list_[n] = static_cast<int>(n);
  }

  std::array<double, 3> distance(std::size_t i, std::size_t j) const {
    const auto* const x = static_cast<const double*>(given_.at("setPositions"));
    const auto* const box = static_cast<const double*>(given_.at("setBox"));
    std::array<double, 3> best{};
    double shortest = -1.0;
    for (int a = -2; a <= 2; ++a) {
      for (int b = -2; b <= 2; ++b) {
        for (int c = -2; c <= 2; ++c) {
          std::array<double, 3> image{};
          double square = 0.0;
          for (std::size_t k = 0; k < 3; ++k) {
            image[k] = x[3 * j + k] - x[3 * i + k] + a * box[k] + b * box[3 + k] + c * box[6 + k];
            square += image[k] * image[k];
          }
          if (shortest >= 0.0 && square >= shortest) continue;
          shortest = square;
          best = image;
        }
      }
    }
    return best;
  }

  void calculate() {
    const auto* const x = static_cast<const double*>(given_.at("setPositions"));
    bias_ = 0.0;
    for (const auto& one : statements_) {
      const auto atoms = atoms_of(*one);
      one->force = 0.0;
      if (one->kind == "DISTANCE") {
        const auto r = distance(atoms[0], atoms[1]);
        one->value = std::sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
      }
      if (one->kind == "POSITION") one->value = x[3 * atoms[0]];
      if (one->kind == "ENERGY") one->value = *static_cast<const double*>(given_.at("setEnergy"));
    }
    for (const auto& one : statements_) {
      if (one->kind == "RESTRAINT") {
        Statement& of = variable(*one);
        const double off = of.value - one->number("AT"), k = one->number("KAPPA");
        bias_ += 0.5 * k * off * off;
        of.force -= k * off;
      }
      if (one->kind == "PUSH" || one->kind == "GROW") {
        Statement& of = variable(*one);
        const double by = one->kind == "GROW"
                              ? one->constant
                              : one->number("RATE") * timestep_ * static_cast<double>(step_);
        bias_ += by * of.value;
        of.force -= by;
      }
    }
    apply();
    has_begun_ = true;
  }

  void apply() {
    auto* const forces = static_cast<double*>(const_cast<void*>(given_.at("setForces")));
    auto* const virial = static_cast<double*>(const_cast<void*>(given_.at("setVirial")));
    const auto* const x = static_cast<const double*>(given_.at("setPositions"));
    for (const auto& one : statements_) {
      if (one->kind != "ENERGY" || one->force == 0.0) continue;
      for (std::size_t k = 0; k < 3 * count_; ++k) forces[k] *= 1.0 - one->force;
      for (std::size_t k = 0; k < 9; ++k) virial[k] *= 1.0 - one->force;
    }
    for (const auto& one : statements_) {
      const auto atoms = atoms_of(*one);
      if (one->kind == "POSITION") {
        forces[3 * atoms[0]] += one->force;
        for (std::size_t k = 0; k < 3; ++k) virial[3 * k] -= x[3 * atoms[0] + k] * one->force;
      }
      if (one->kind != "DISTANCE") continue;
      const auto r = distance(atoms[0], atoms[1]);
      for (std::size_t k = 0; k < 3; ++k) {
        const double force = one->force * r[k] / one->value;
        forces[3 * atoms[1] + k] += force;
        forces[3 * atoms[0] + k] -= force;
        for (std::size_t m = 0; m < 3; ++m) virial[3 * m + k] -= r[m] * force;
      }
    }
  }

  void update() {
    require(!is_updated_, "a step is updated twice");
    is_updated_ = true;
    for (const auto& one : statements_) {
      if (one->kind == "STOP" && step_ == static_cast<long>(one->number("AT"))) {
        require(stop_ != nullptr, "setStopFlag is missing");
        *stop_ = 1;
      }
      if (one->file == nullptr || step_ % static_cast<long>(one->number("STRIDE")) != 0) continue;
      if (one->kind == "PRINT") {
        if (!one->has_head)
          std::fprintf(one->file, "#! FIELDS time %s\n", one->words["ARG"].c_str());
        one->has_head = true;
        std::fprintf(one->file, " %.9g %.17g\n", timestep_ * static_cast<double>(step_),
                     variable(*one).value);
      } else if (has_updated_) {
        one->constant += one->number("BY");
        std::fprintf(one->file, "%.17g\n", one->constant);
      }
    }
    has_updated_ = true;
    if (!flushes_) return;
    for (const auto& one : statements_) {
      if (one->file != nullptr) std::fflush(one->file);
    }
    flushes_ = false;
  }

  std::vector<std::unique_ptr<Statement>> statements_;
  std::vector<std::string> calls_;
  std::set<std::string> told_;
  std::map<std::string, const void*> given_;
  std::vector<int> list_;
  std::string path_, suffix_;
  std::FILE* log_ = nullptr;
  std::size_t count_ = 0;
  double timestep_ = 0.0, thermal_energy_ = 0.0, bias_ = 0.0;
  long step_ = -1;
  int* stop_ = nullptr;
  bool restarts_ = false, is_initialized_ = false, is_prepared_ = false, is_shared_ = false;
  bool is_updated_ = false, has_begun_ = false, has_updated_ = false, flushes_ = false;
};

struct Handler {
  void* receiver;
  void (*tell)(void*, int, const char*, const void*);
};

void* create() {
  return new Kernel;
}
void command(void* kernel, const char* word, const void* value) {
  static_cast<Kernel*>(kernel)->command(word, value);
}
void finalize(void* kernel) {
  delete static_cast<Kernel*>(kernel);
}
void guarded_command(void* kernel, const char* word, const void* value, Handler handler) {
  try {
    command(kernel, word, value);
  } catch (const std::exception& error) {
    handler.tell(handler.receiver, 1, error.what(), nullptr);
  }
}

}  // namespace

extern "C" {
struct {
  int version;
  void* (*create)();
  void (*command)(void*, const char*, const void*);
  void (*finalize)(void*);
  void (*guarded_command)(void*, const char*, const void*, Handler);
} plumed_symbol_table = {
#ifdef TEST_OLD_KERNEL
    1,
#else
    2,
#endif
    create, command, finalize, guarded_command};
}

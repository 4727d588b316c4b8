#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace sterna::md {

/// An error that PLUMED's kernel reports, in its words.
class PlumedError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// PLUMED's kernel (Tribello, Bonomi, Branduardi, Camilloni and Bussi, Comput. Phys. Commun. 185, 604
/// (2014)): a shared library that is loaded when it is first needed, and stays.
class PlumedKernel {
 public:
  /// `file`: of the library; empty: the one that PLUMED_KERNEL names or, without that, the one that
  /// the system finds as libplumedKernel.so. Throws std::runtime_error, in words for the user, if it
  /// cannot be loaded or is no kernel.
  static std::shared_ptr<const PlumedKernel> load(const std::string& file);

  const std::string& file() const { return file_; }

 private:
  friend class Plumed;
  struct Handler {
    void* receiver;
    void (*tell)(void* receiver, int code, const char* message, const void* options);
  };
  struct Functions {
    void* (*create)();
    void (*command)(void*, const char*, const void*);
    void (*finalize)(void*);
  };
  using GuardedCommand = void (*)(void*, const char*, const void*, Handler);
  /// What the library exports as `plumed_symbol_table`, as far as its second version.
  struct SymbolTable {
    int version;
    Functions functions;
    GuardedCommand guarded_command;
  };

  std::string file_;
  Functions functions_{};
  GuardedCommand guarded_command_ = nullptr;  ///< null: the kernel is older than 2.5
};

/// One object of the kernel: an input of PLUMED that is computed.
class Plumed {
 public:
  /// Throws PlumedError if the kernel makes none.
  explicit Plumed(std::shared_ptr<const PlumedKernel> kernel);
  ~Plumed();
  Plumed(const Plumed&) = delete;
  Plumed& operator=(const Plumed&) = delete;

  /// Gives a command, such as "setNatoms", with the address of its argument. Throws PlumedError, with
  /// the kernel's message.
  void command(const char* word, const void* argument = nullptr);
  void command(const char* word, const std::string& text) { command(word, text.c_str()); }

  /// What the kernel has written to its log since the last call. `collect_log` must come before the
  /// kernel's "init".
  void collect_log();
  std::string take_log();

 private:
  class Log;
  std::shared_ptr<const PlumedKernel> kernel_;
  std::unique_ptr<Log> log_;  ///< outlives the object, which writes to it to its end
  void* object_ = nullptr;
};

/// The part of a kernel's message that a user needs: without places in PLUMED's source, on one line.
std::string plumed_message(std::string_view text);

}  // namespace sterna::md

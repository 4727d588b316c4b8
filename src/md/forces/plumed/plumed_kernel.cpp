#include "md/forces/plumed/plumed_kernel.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <utility>

#include "md/core/display_text.hpp"

namespace sterna::md {
namespace {

std::string file_of_kernel(const std::string& given) {
  if (!given.empty()) return given;
  const char* const named = std::getenv("PLUMED_KERNEL");
  return named != nullptr && *named != '\0' ? named : "libplumedKernel.so";
}

}  // namespace

std::shared_ptr<const PlumedKernel> PlumedKernel::load(const std::string& file) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<const PlumedKernel>> loaded;
  const std::lock_guard lock(mutex);
  const std::string name = file_of_kernel(file);
  if (const auto before = loaded.find(name); before != loaded.end()) return before->second;
  // PLUMED carries libraries of its own (BLAS, LAPACK), whose symbols must stay its own.
  void* const handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    throw std::runtime_error(
        fmt::format("the kernel of PLUMED cannot be loaded: {}. The environment variable "
                    "PLUMED_KERNEL, or \"kernel\" in [plumed], names its file libplumedKernel.so",
                    printable(::dlerror())));
  }
  const auto* const table = static_cast<const SymbolTable*>(::dlsym(handle, "plumed_symbol_table"));
  if (table == nullptr) {
    ::dlclose(handle);
    throw std::runtime_error(fmt::format(
        "{} has no plumed_symbol_table; expected the kernel of PLUMED 2.5 or later", name));
  }
  // The table may be filled by a function of the library, if no constructor has done so.
  if (void* const fill = ::dlsym(handle, "plumed_symbol_table_init"); fill != nullptr) {
    reinterpret_cast<void (*)()>(fill)();
  }
  auto kernel = std::make_shared<PlumedKernel>();
  kernel->file_ = name;
  kernel->functions_ = table->functions;
  if (table->version >= 2) kernel->guarded_command_ = table->guarded_command;
  if (kernel->functions_.create == nullptr || kernel->functions_.command == nullptr ||
      kernel->functions_.finalize == nullptr) {
    throw std::runtime_error(
        fmt::format("{} lacks functions of PLUMED's interface in its plumed_symbol_table", name));
  }
  return loaded.emplace(name, std::move(kernel)).first->second;
}

/// A stream in memory that takes the log.
class Plumed::Log {
 public:
  Log() : stream_(::open_memstream(&bytes_, &size_)) {
    if (stream_ == nullptr) throw PlumedError("there is no memory for the log of PLUMED");
  }
  ~Log() {
    std::fclose(stream_);
    std::free(bytes_);
  }
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  std::FILE* stream() const { return stream_; }
  std::string take() {
    std::fflush(stream_);
    std::string text(bytes_, size_);
    std::rewind(stream_);
    return text;
  }

 private:
  char* bytes_ = nullptr;
  std::size_t size_ = 0;
  std::FILE* stream_;
};

Plumed::Plumed(std::shared_ptr<const PlumedKernel> kernel) : kernel_(std::move(kernel)) {
  object_ = kernel_->functions_.create();
  if (object_ == nullptr) throw PlumedError("the kernel of PLUMED makes no object");
}

Plumed::~Plumed() {
  try {
    kernel_->functions_.finalize(object_);
  } catch (...) {
    // Whatever the kernel has to say at its end changes nothing any more.
  }
}

void Plumed::command(const char* word, const void* argument) {
  if (kernel_->guarded_command_ == nullptr) {
    try {
      kernel_->functions_.command(object_, word, argument);
    } catch (const std::exception& error) {
      throw PlumedError(plumed_message(error.what()));
    }
    return;
  }
  struct Failure {
    bool has_come = false;
    std::string text;
  } failure;
  const PlumedKernel::Handler handler{
      &failure, [](void* receiver, int, const char* message, const void*) {
        auto* const into = static_cast<Failure*>(receiver);
        into->has_come = true;
        into->text = message != nullptr ? message : "an error without a message";
      }};
  kernel_->guarded_command_(object_, word, argument, handler);
  if (failure.has_come) throw PlumedError(plumed_message(failure.text));
}

void Plumed::collect_log() {
  log_ = std::make_unique<Log>();
  command("setLog", log_->stream());
}

std::string Plumed::take_log() {
  return log_ ? log_->take() : std::string();
}

std::string plumed_message(std::string_view text) {
  // A failed assertion names file and line of PLUMED's source first.
  constexpr std::string_view follows = "message follows +++";
  if (const auto at = text.rfind(follows); at != std::string_view::npos) {
    text.remove_prefix(at + follows.size());
  }
  std::string message;
  std::size_t begin = 0;
  while (begin < text.size()) {
    std::size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) end = text.size();
    std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    while (!line.empty() && std::isspace(static_cast<unsigned char>(line.front())) != 0) {
      line.remove_prefix(1);
    }
    while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back())) != 0) {
      line.remove_suffix(1);
    }
    // Lines such as "+++ PLUMED error" and "(core/Action.cpp:259) void PLMD::Action::error()" tell
    // where PLUMED has found the mistake.
    const bool is_place = line.starts_with("+++") ||
                          (line.starts_with("(") && line.find(".cpp:") != std::string_view::npos);
    if (line.empty() || is_place) continue;
    if (!message.empty()) message += "; ";
    message += line;
  }
  return message.empty() ? printable(text) : printable(message);
}

}  // namespace sterna::md

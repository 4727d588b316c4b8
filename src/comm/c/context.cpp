#include <mpi.h>

#include <cmath>
#include <memory>
#include <string>

#include "comm/c/call.hpp"
#include "comm/context/agreement.hpp"
#include "sterna/comm/collective.hpp"
#include "sterna/comm/environment.hpp"

namespace sterna::comm::c {
namespace {

thread_local std::string last_message;

/// Not null if sterna_initialize has started MPI.
std::unique_ptr<Environment> environment;

bool mpi_has(int (*asked)(int*)) {
  int yes = 0;
  asked(&yes);
  return yes != 0;
}

std::unique_ptr<ContextObject> make_context(MPI_Comm communicator) {
  static std::uint64_t contexts_made = 0;
  const auto context = Context::from_communicator(&communicator);
  communicate(context, [&] {
    contexts_made = static_cast<std::uint64_t>(largest(context.implementation(),
                                                       static_cast<std::int64_t>(contexts_made + 1),
                                                       "making a context"));
  });
  return std::make_unique<ContextObject>(ContextObject{context, contexts_made});
}

/// Makes a context of the communicator that `find` returns; it is called once MPI is known to run.
template <class Find>
int create(sterna_context* context, Find&& find) {
  return call([&] {
    require(context, "context");
    if (!mpi_has(MPI_Initialized) || mpi_has(MPI_Finalized)) {
      throw Error("MPI does not run: call MPI_Init or sterna_initialize before");
    }
    const MPI_Comm communicator = find();
    if (communicator == MPI_COMM_NULL) throw Error("the communicator is MPI_COMM_NULL");
    // Open MPI turns a number that is no handle of its Fortran interface into a null pointer.
    if (communicator == MPI_Comm{}) throw Error("the communicator does not exist");
    context->id = ContextObject::table().add(make_context(communicator));
  });
}

}  // namespace

int report(int status, const char* message) noexcept {
  try {
    last_message = message;
  } catch (...) {
    last_message.clear();
  }
  return status;
}

void require(const void* pointer, const char* what) {
  if (pointer == nullptr) throw Error(std::string("null pointer for ") + what);
}

void require_list(int count, const void* list, const char* what) {
  if (count < 0) throw Error(std::string("a negative number of ") + what);
  if (count > 0) require(list, what);
}

void check_on_all(const Context& context, const std::string& name,
                  const std::function<void()>& check) {
  std::string fault;
  try {
    check();
  } catch (const Error& error) {
    fault = error.what();
  }
  const std::string agreed = agree_on_reason(context.implementation(), fault, name);
  if (!agreed.empty()) throw Error(name + ": " + agreed);
}

HandleTable<ContextObject>& ContextObject::table() {
  // The table is never destroyed: at the end of the process MPI has ended, so contexts cannot be
  // freed.
  static auto* const contexts = new HandleTable<ContextObject>(1);
  return *contexts;
}

}  // namespace sterna::comm::c

using namespace sterna::comm;
using namespace sterna::comm::c;

const char* sterna_error_message(void) {
  return last_message.c_str();
}

const char* sterna_status_name(int status) {
  switch (status) {
    case STERNA_SUCCESS:
      return "STERNA_SUCCESS";
    case STERNA_ERROR_HANDLE:
      return "STERNA_ERROR_HANDLE";
    case STERNA_ERROR_ARGUMENT:
      return "STERNA_ERROR_ARGUMENT";
    case STERNA_ERROR_RANGE:
      return "STERNA_ERROR_RANGE";
    case STERNA_ERROR_MEMORY:
      return "STERNA_ERROR_MEMORY";
    case STERNA_ERROR_COMMUNICATION:
      return "STERNA_ERROR_COMMUNICATION";
    case STERNA_ERROR_INTERNAL:
      return "STERNA_ERROR_INTERNAL";
    default:
      return "unknown status";
  }
}

int sterna_initialize(void) {
  return call([] {
    if (mpi_has(MPI_Finalized)) throw Error("MPI has ended and cannot start again");
    if (mpi_has(MPI_Initialized)) return;
    int argument_count = 0;
    char** arguments = nullptr;
    environment = std::make_unique<Environment>(argument_count, arguments);
  });
}

int sterna_finalize(void) {
  return call([] { environment.reset(); });
}

void sterna_abort(const char* message, int exit_code) {
  Environment::abort(text_or(message, "ended by sterna_abort"), exit_code);
}

int sterna_context_create(const void* mpi_communicator, sterna_context* context) {
  return create(context, [&] {
    return mpi_communicator == nullptr ? MPI_COMM_WORLD : communicator_at(mpi_communicator);
  });
}

int sterna_context_create_from_fortran(int mpi_communicator, sterna_context* context) {
  return create(context, [&] { return MPI_Comm_f2c(mpi_communicator); });
}

int sterna_context_destroy(sterna_context* context) {
  return destroy<ContextObject>(context);
}

int sterna_context_rank(sterna_context context, int* rank) {
  return call_on<ContextObject>(context.id, [&](ContextObject& object) {
    require(rank, "rank");
    *rank = object.context.rank();
  });
}

int sterna_context_size(sterna_context context, int* size) {
  return call_on<ContextObject>(context.id, [&](ContextObject& object) {
    require(size, "size");
    *size = object.context.size();
  });
}

int sterna_context_set_timeout(sterna_context context, double seconds) {
  return call_on<ContextObject>(context.id, [&](ContextObject& object) {
    if (!(seconds > 0.0)) throw Error("a timeout must be more than 0 s");
    object.context.set_timeout(Seconds(seconds));
  });
}

int sterna_barrier(sterna_context context) {
  return call_on<ContextObject>(context.id, [](ContextObject& object) { barrier(object.context); });
}

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <string>

#include "comm/c/handle_table.hpp"
#include "comm/context/context_implementation.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/sterna_comm.h"

namespace sterna::comm::c {

/// An error whose status is known at the place that throws it.
class StatusError : public Error {
 public:
  StatusError(int status, const std::string& message) : Error(message), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

/// Stores the message for sterna_error_message and returns `status`.
int report(int status, const char* message) noexcept;

/// Throws Error if `pointer` is null; `what` names the argument.
void require(const void* pointer, const char* what);
/// Throws Error if a list is null although its `count` is not 0.
void require_list(int count, const void* list, const char* what);

/// Throws on all ranks what `check` throws on one of them. Collective. Without it, ranks would wait
/// for a rank whose call has already returned.
void check_on_all(const Context& context, const std::string& name,
                  const std::function<void()>& check);

/// Returns `text`, or `otherwise` if it is null.
inline std::string text_or(const char* text, const char* otherwise) {
  return text == nullptr ? otherwise : text;
}

/// Runs the body of a function of the C interface, and turns an exception into a status and a
/// message.
template <class Body>
int call(Body&& body) noexcept {
  try {
    body();
    return STERNA_SUCCESS;
  } catch (const StatusError& error) {
    return report(error.status(), error.what());
  } catch (const MemoryError& error) {
    return report(STERNA_ERROR_MEMORY, error.what());
  } catch (const Error& error) {
    return report(STERNA_ERROR_ARGUMENT, error.what());
  } catch (const std::bad_alloc&) {
    return report(STERNA_ERROR_MEMORY, "no memory left");
  } catch (const std::exception& error) {
    return report(STERNA_ERROR_INTERNAL, error.what());
  } catch (...) {
    return report(STERNA_ERROR_INTERNAL, "an unknown exception");
  }
}

/// Runs `body`, which communicates in `context`. An error after which waits are no longer possible
/// becomes a communication error.
template <class Body>
void communicate(const Context& context, Body&& body) {
  try {
    body();
  } catch (const StatusError&) {
    throw;
  } catch (const Error& error) {
    if (context.implementation().failed) {
      throw StatusError(STERNA_ERROR_COMMUNICATION, error.what());
    }
    throw;
  }
}

/// The object that a handle of a kind names. `Object::table()` is the table and `Object::kind` the
/// name of the kind.
template <class Object>
Object& object_of(std::uint64_t id) {
  Object* const object = Object::table().find(id);
  if (object != nullptr) return *object;
  throw StatusError(STERNA_ERROR_HANDLE,
                    std::string(id == 0 ? "a null handle where a " : "this handle names no ") +
                        Object::kind + (id == 0 ? " is needed" : " (any more)"));
}

/// Runs a call on one object, which has a `context`.
template <class Object, class Body>
int call_on(std::uint64_t id, Body&& body) noexcept {
  return call([&] {
    Object& object = object_of<Object>(id);
    communicate(object.context, [&] { body(object); });
  });
}

/// Destroys the object of a handle and makes the handle null.
template <class Object, class Handle>
int destroy(Handle* handle) noexcept {
  return call([&] {
    require(handle, "handle");
    object_of<Object>(handle->id);
    const auto object = Object::table().take(handle->id);
    handle->id = 0;
  });
}

/// The object that a context handle names.
struct ContextObject {
  static constexpr const char* kind = "context";
  static HandleTable<ContextObject>& table();

  Context context;
  /// a number that all ranks of this context share, and no other context of theirs has
  std::uint64_t number;
  std::uint64_t regions_made = 0;
};

}  // namespace sterna::comm::c

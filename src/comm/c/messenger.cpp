#include "sterna/comm/messenger.hpp"

#include <memory>

#include "comm/c/call.hpp"

namespace sterna::comm::c {
namespace {

struct MessengerObject {
  static constexpr const char* kind = "messenger";
  static HandleTable<MessengerObject>& table();

  MessengerObject(const Context& world, const MessengerOptions& options)
      : context(world), messenger(world, options) {}

  Context context;
  Messenger messenger;
};

struct RequestObject {
  static constexpr const char* kind = "request";
  static HandleTable<RequestObject>& table();

  std::uint64_t messenger;  ///< handle of the messenger
  Future done;
};

HandleTable<MessengerObject>& MessengerObject::table() {
  static auto* const messengers = new HandleTable<MessengerObject>(5);
  return *messengers;
}

HandleTable<RequestObject>& RequestObject::table() {
  static auto* const requests = new HandleTable<RequestObject>(6);
  return *requests;
}

void check_message(const MessengerObject& object, int rank, const void* buffer, std::size_t bytes,
                   const sterna_request* request) {
  require(request, "request");
  if (bytes > 0) require(buffer, "the buffer");
  if (rank < 0 || rank >= object.context.size()) {
    throw Error("rank " + std::to_string(rank) + " is no rank of the context");
  }
}

/// Calls `advance(messenger, future)`, which makes progress. If the future is then ready, the
/// request ends.
template <class Advance>
int end_request(sterna_request* request, int* done, std::size_t* bytes,
                Advance&& advance) noexcept {
  return call([&] {
    require(request, "request");
    const RequestObject& object = object_of<RequestObject>(request->id);
    MessengerObject& messenger = object_of<MessengerObject>(object.messenger);
    communicate(messenger.context, [&] {
      try {
        advance(messenger.messenger, object.done);
      } catch (const Error&) {
        if (!object.done.ready()) throw;  // if it is ready, the request has ended with an error
      }
    });
    if (done != nullptr) *done = object.done.ready() ? 1 : 0;
    if (!object.done.ready()) return;
    const auto ended = RequestObject::table().take(request->id);
    request->id = 0;
    communicate(messenger.context, [&] {
      const Completed& completed = ended->done.value();
      if (bytes != nullptr) *bytes = completed.buffer.size();
    });
  });
}

}  // namespace
}  // namespace sterna::comm::c

using namespace sterna::comm;
using namespace sterna::comm::c;

int sterna_messenger_create(sterna_context context, const char* name, sterna_messenger* messenger) {
  return call_on<ContextObject>(context.id, [&](ContextObject& owner) {
    const MessengerOptions options{.name = text_or(name, "messages")};
    check_on_all(owner.context, options.name, [&] { require(messenger, "messenger"); });
    messenger->id =
        MessengerObject::table().add(std::make_unique<MessengerObject>(owner.context, options));
  });
}

int sterna_messenger_destroy(sterna_messenger* messenger) {
  return destroy<MessengerObject>(messenger);
}

int sterna_send(sterna_messenger messenger, int rank, uint64_t tag, const void* data, size_t bytes,
                sterna_request* request) {
  return call_on<MessengerObject>(messenger.id, [&](MessengerObject& object) {
    check_message(object, rank, data, bytes, request);
    const Future done;
    const std::span lent(static_cast<const std::byte*>(data), bytes);
    object.messenger.send<std::byte>(rank, tag, nocopy(lent, on_source(done)));
    request->id = RequestObject::table().add(
        std::make_unique<RequestObject>(RequestObject{messenger.id, done}));
  });
}

int sterna_receive(sterna_messenger messenger, int rank, uint64_t tag, void* buffer,
                   size_t capacity, sterna_request* request) {
  return call_on<MessengerObject>(messenger.id, [&](MessengerObject& object) {
    check_message(object, rank, buffer, capacity, request);
    const std::span memory(static_cast<std::byte*>(buffer), capacity);
    const Future done = object.messenger.receive<std::byte>(rank, tag, memory);
    request->id = RequestObject::table().add(
        std::make_unique<RequestObject>(RequestObject{messenger.id, done}));
  });
}

int sterna_request_wait(sterna_request* request, size_t* bytes) {
  return end_request(request, nullptr, bytes, [](Messenger& messenger, const Future& done) {
    messenger.wait(done, "a message");
  });
}

int sterna_request_test(sterna_request* request, int* done, size_t* bytes) {
  if (done == nullptr) return call([] { require(nullptr, "done"); });
  return end_request(request, done, bytes,
                     [](Messenger& messenger, const Future&) { messenger.progress(); });
}

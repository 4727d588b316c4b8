#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "sterna/comm/error.hpp"

namespace sterna::comm {

/// A stage that has completed: its buffer, its peer, and the error if it failed.
struct Completed {
  std::span<const std::byte> buffer;
  int peer = -1;      ///< the other rank; -1 for several ranks (a broadcast)
  std::string error;  ///< empty if the operation succeeded

  template <class T>
  std::span<const T> items() const {
    return {reinterpret_cast<const T*>(buffer.data()), buffer.size() / sizeof(T)};
  }
};

/// A result that will be available later. Copies share one state. `Messenger::wait` waits for it,
/// and a C++20 coroutine may `co_await` it (one coroutine at a time). `value` throws Error if the
/// operation failed.
class Future {
 public:
  bool ready() const { return state_->value.has_value(); }
  const Completed& value() const {
    if (!ready()) throw Error("the value of a future was asked for before it is there");
    if (!state_->value->error.empty()) throw Error(state_->value->error);
    return *state_->value;
  }
  void complete(Completed value) const {
    state_->value = std::move(value);
    if (const auto waiting = std::exchange(state_->waiting, nullptr)) waiting.resume();
  }

  /// True if a coroutine awaits it.
  bool awaited() const { return static_cast<bool>(state_->waiting); }
  bool await_ready() const { return ready(); }
  void await_suspend(std::coroutine_handle<> handle) const { state_->waiting = handle; }
  const Completed& await_resume() const { return value(); }

 private:
  struct State {
    std::optional<Completed> value;
    std::coroutine_handle<> waiting;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

/// Counts completions, and keeps each of them until `next` takes it. Copies share one state.
class Counter {
 public:
  std::uint64_t count() const { return state_->count; }
  /// Takes the earliest completion that was not taken yet.
  std::optional<Completed> next() const {
    if (state_->completed.empty()) return std::nullopt;
    Completed first = std::move(state_->completed.front());
    state_->completed.pop_front();
    return first;
  }
  void complete(Completed value) const {
    ++state_->count;
    state_->completed.push_back(std::move(value));
  }

 private:
  struct State {
    std::uint64_t count = 0;
    std::deque<Completed> completed;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

/// The stage at which the sender gets a completion. `source`: the sender may change the buffer
/// again. `remote`: the receiver has the data. `operation`: the entry has run at the receiver.
enum class Stage { source, remote, operation };

/// A request for a completion; `on_source`, `on_remote` and `on_operation` make it.
struct Completion {
  Stage stage;
  std::variant<Future, Counter, std::function<void(Completed)>> target;

  void complete(const Completed& completed) const {
    std::visit(
        [&](const auto& who) {
          if constexpr (std::is_invocable_v<decltype(who), Completed>) {
            who(completed);
          } else {
            who.complete(completed);
          }
        },
        target);
  }
  /// True if the completion runs code of the caller; that code may run only from within `progress`.
  bool runs_code() const {
    const auto* const future = std::get_if<Future>(&target);
    return future != nullptr ? future->awaited() : !std::holds_alternative<Counter>(target);
  }
};

/// The completions requested for one array. The first one takes no memory of its own, because few
/// arrays have more than one.
class Completions {
 public:
  template <class Request>
  void add(Request&& completion) {
    if (!first_) {
      first_.emplace(std::forward<Request>(completion));
    } else {
      more_.push_back(std::forward<Request>(completion));
    }
  }
  bool empty() const { return !first_; }
  template <class Function>
  void for_each(Function&& function) const {
    if (first_) function(*first_);
    for (const Completion& completion : more_) function(completion);
  }

 private:
  std::optional<Completion> first_;
  std::vector<Completion> more_;
};

/// Each `target` is a Future, a Counter, or a function that takes a Completed. The function is
/// called from within `progress` and `wait`; it may call entries, but must not wait.
template <class Target>
Completion on_source(Target&& target) {
  return {Stage::source, std::forward<Target>(target)};
}
template <class Target>
Completion on_remote(Target&& target) {
  return {Stage::remote, std::forward<Target>(target)};
}
template <class Target>
Completion on_operation(Target&& target) {
  return {Stage::operation, std::forward<Target>(target)};
}

/// A coroutine that runs until it awaits a Future, and is resumed from within `progress` and
/// `wait`. `Messenger::wait` waits for its end and throws the exception that it threw. The object
/// must live until the coroutine has ended.
class Task {
 public:
  struct promise_type {
    std::exception_ptr fault;
    Task get_return_object() {
      return Task(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { fault = std::current_exception(); }
  };

  explicit Task(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&&) = delete;
  ~Task() {
    if (handle_) handle_.destroy();
  }
  bool done() const { return handle_.done(); }
  /// Throws the exception of a finished coroutine, if it threw one.
  void check() const {
    if (handle_.promise().fault) std::rethrow_exception(handle_.promise().fault);
  }

 private:
  std::coroutine_handle<promise_type> handle_;
};

}  // namespace sterna::comm

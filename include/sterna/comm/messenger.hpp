#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "sterna/comm/buffer.hpp"
#include "sterna/comm/completion.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/item_bytes.hpp"
#include "sterna/comm/no_copy.hpp"

namespace sterna::comm {

/// Who called an entry, and the number that the call carries (0 where it carries none).
struct Sender {
  int rank;
  std::uint64_t reference;
};

/// As the first argument of a call: its reference number, by which `when` brings calls together.
struct Reference {
  std::uint64_t number;
};

struct MessengerOptions {
  std::string name = "messages";  ///< in errors
  /// "auto": shm in the node, rdma beyond, two_sided where that does not work. A name: only that.
  std::string transport = "auto";
  /// Lent arrays below this many bytes are copied. Otherwise as `tune_messages` has measured, or
  /// 1 KiB in a node and 2 KiB beyond where it has not.
  std::optional<std::size_t> copy_below = std::nullopt;
  /// In a node, lent arrays that lie in no pool are copied by the sender; from so many bytes on by
  /// the kernel (process_vm_readv), where it may: slower, but without memory in between.
  std::size_t kernel_copies_from = std::size_t{256} << 20U;
  /// Notices lent arrays that were changed too early, fills buffers that were let go with 0xdb,
  /// and reports buffers still held at the end. Otherwise as the library was built (debug).
  std::optional<bool> check = std::nullopt;
};

namespace detail {

struct CallIn {
  Sender sender;
  std::span<const std::byte> small;
  std::span<ArrayIn> arrays;
};
using Handler = std::function<void(CallIn&)>;
using Hook = std::function<void(const CallIn&, std::span<ByteReceiveBuffer>)>;

/// How an argument of an entry's signature travels. Small ones by value.
template <class A>
struct Argument {
  static_assert(std::is_trivially_copyable_v<A>,
                "an argument is trivially copyable, NoCopy, std::span, std::vector or std::string");
  static constexpr bool is_array = false;
  using Given = const A&;
  using Stored = A;
};
template <class T>
struct Argument<NoCopy<T>> {
  static constexpr bool is_array = true;
  using Given = NoCopy<T>;
  using Stored = Buffer<T>;
  static ArrayOut out(NoCopy<T>&& array) { return std::move(array).release(); }
  static Arrived<T> in(ArrayIn& array) { return Arrived<T>(array); }
  static ReceiveBuffer<T> hook_argument(ByteReceiveBuffer& buffer) {
    return ReceiveBuffer<T>(buffer);
  }
};
/// Copied when called; the entry reads it where it lies.
template <class T>
struct Argument<std::span<const T>> {
  static constexpr bool is_array = true;
  using Given = std::span<const T>;
  using Stored = std::vector<T>;
  static ArrayOut out(std::span<const T> items) {
    return {ArrayOut::Mode::copied, std::as_bytes(items), {}, nullptr, {}};
  }
  static std::span<const T> in(ArrayIn& array) {
    return {reinterpret_cast<const T*>(array.data), array.bytes / sizeof(T)};
  }
  static std::size_t hook_argument(const ByteReceiveBuffer& buffer) {
    return buffer.bytes / sizeof(T);
  }
};
template <class Container>
struct ContainerArgument {
  using T = typename Container::value_type;
  static_assert(std::is_trivially_copyable_v<T>);
  static constexpr bool is_array = true;
  using Given = const Container&;
  using Stored = Container;
  static ArrayOut out(const Container& items) {
    return {ArrayOut::Mode::copied, std::as_bytes(std::span<const T>(items)), {}, nullptr, {}};
  }
  static Container in(ArrayIn& array) {
    const auto* const first = reinterpret_cast<const T*>(array.data);
    return Container(first, first + array.bytes / sizeof(T));
  }
  static std::size_t hook_argument(const ByteReceiveBuffer& buffer) {
    return buffer.bytes / sizeof(T);
  }
};
template <class T>
struct Argument<std::vector<T>> : ContainerArgument<std::vector<T>> {};
template <>
struct Argument<std::string> : ContainerArgument<std::string> {};

/// Where each argument of a signature lies: its index among the arrays, or its offset in the small
/// bytes.
template <class... Args>
struct Layout {
  static constexpr std::size_t arguments = sizeof...(Args);
  static constexpr std::size_t arrays = (std::size_t{Argument<Args>::is_array} + ... + 0);
  static constexpr std::size_t small = ((Argument<Args>::is_array ? 0 : sizeof(Args)) + ... + 0);
  static_assert(arrays <= 8, "at most 8 arrays in a call");
  static_assert(small <= 1024, "at most 1024 bytes of small arguments: make it an array");

  static constexpr std::size_t position(std::size_t argument) {
    constexpr std::size_t sizes[] = {(Argument<Args>::is_array ? 0 : sizeof(Args))..., 0};
    constexpr bool is_array[] = {Argument<Args>::is_array..., false};
    std::size_t bytes = 0;
    std::size_t number = 0;
    for (std::size_t i = 0; i < argument; ++i) {
      bytes += sizes[i];
      number += is_array[i] ? 1 : 0;
    }
    return is_array[argument] ? number : bytes;
  }
};

template <class A, std::size_t Position, class Access>
decltype(auto) read_argument(const CallIn& call, Access&& array) {
  if constexpr (Argument<A>::is_array) {
    return array(Position);
  } else {
    A value;
    std::memcpy(&value, call.small.data() + Position, sizeof value);
    return value;
  }
}

}  // namespace detail

/// A call that waits for a `when`: its arguments, arrays owned.
template <class... Args>
struct Message {
  Sender sender;
  std::tuple<typename detail::Argument<Args>::Stored...> arguments;
  template <std::size_t I>
  auto& get() {
    return std::get<I>(arguments);
  }
};

/// An array that is sent to this rank, in whatever memory it arrives: in a node, the buffer that
/// its sender gave away.
template <class T>
class Delivery {
 public:
  /// Ready when the array is here.
  const Future& arrived() const { return arrived_; }
  /// Throws Error where it is not here, or failed.
  Buffer<T> take() {
    arrived_.value();
    return Buffer<T>(std::move(*taken_));
  }

 private:
  friend class Messenger;
  Delivery(Future arrived, std::shared_ptr<BufferBytes> taken)
      : arrived_(std::move(arrived)), taken_(std::move(taken)) {}

  Future arrived_;
  std::shared_ptr<BufferBytes> taken_;
};

template <class... Args>
class Entry;

/// Calls of functions on other ranks: a rank names an entry and its arguments, and the other rank
/// runs the function of that name. Entries may be registered in any order; the
/// same name with another signature elsewhere is an error, and calls of one that is not registered
/// yet wait for it. Entries run one at a time, from within `progress` and `wait` of the rank they
/// are called on; they may call, but must not wait. The calls of one rank to another run in the
/// order they were made, except that one whose arrays are not there yet, or have no target yet,
/// holds up none of the others.
/// Made and destroyed collectively. Throws Error for what goes wrong here; a call that fails at the
/// receiver completes with the error.
class Messenger {
 public:
  explicit Messenger(const Context& context, const MessengerOptions& options = {});
  /// The messenger of all who need none of their own; it lives as long as one of them holds it.
  /// Collective. Its keys are those that were reserved.
  static std::shared_ptr<Messenger> shared(const Context& context);
  ~Messenger();
  Messenger(const Messenger&) = delete;
  Messenger& operator=(const Messenger&) = delete;

  int rank() const;
  int size() const;

  /// `handler(Sender, arguments...)`. Of a `NoCopy<T>` it takes a std::span<const T> or a
  /// Buffer<T>.
  template <class... Args, class Function>
  Entry<Args...> entry(const std::string& name, Function handler);
  /// An entry whose calls are kept for `when` or `Entry::next`.
  template <class... Args>
  Entry<Args...> entry(const std::string& name);

  /// Runs `action(Message<...>&...)` each time that all these entries were called with the same
  /// reference number.
  template <class Action, class... Entries>
  void when(Action action, const Entries&... entries);

  /// Memory from this rank's pool. Throws MemoryError where memory does not suffice.
  template <class T>
  Buffer<T> buffer(std::size_t count) {
    return Buffer<T>(allocate(item_bytes(count, sizeof(T))));
  }

  /// Names memory for the array whose hook says `posted(key)`, first come first served. The future
  /// is ready, and names what was filled, when the entry has run.
  template <class T>
  Future post(std::uint64_t key, std::span<T> memory) {
    return post_bytes(-1, key, std::as_writable_bytes(memory));
  }
  /// Point to point without an entry: an array under a key, into memory that its receiver names
  /// before or after it arrives. Several under one key arrive in order.
  template <class T>
  void send(int destination, std::uint64_t key, NoCopy<T> array) {
    send_bytes(destination, key, std::move(array).release());
  }
  template <class T>
  Future receive(int source, std::uint64_t key, std::span<T> memory) {
    return post_bytes(source, key, std::as_writable_bytes(memory));
  }

  /// The same without naming memory.
  template <class T>
  Delivery<T> receive(int source, std::uint64_t key) {
    auto taken = std::make_shared<BufferBytes>();
    Future arrived = take_bytes(source, key, taken);
    return Delivery<T>(std::move(arrived), std::move(taken));
  }
  /// 2^32 keys from this one on that were not reserved before; called by all ranks in the same
  /// order.
  std::uint64_t reserve_keys();

  /// Runs what has arrived and completes what has ended. Never waits.
  void progress();
  /// Wait, making progress; `what` is named in the error where the deadline passes or a rank died.
  const Completed& wait(const Future& future, std::string_view what = "a completion");
  void wait(const Counter& counter, std::uint64_t count, std::string_view what = "completions");
  void wait(const Task& task, std::string_view what = "a task");
  void wait_until(const std::function<bool()>& condition, std::string_view what);
  /// The same for something that `rank` does: it is an error when that one dies.
  void wait_for(int rank, std::string_view what, const std::function<bool()>& condition);
  /// For set-up: a text to a rank, under a key, and the wait for the one that came from there.
  void send_setup(int peer, std::uint64_t key, const std::string& setup);
  std::string wait_for_setup(int peer, std::uint64_t key);
  /// The next setup message from there under this key is of no use any more.
  void drop_setup(int peer, std::uint64_t key);
  /// Collective: waits until every call of any rank has run, with all that followed from it.
  void finish();

  /// How calls travel to `rank`: "self", "shm", "rdma", "two_sided".
  std::string_view route(int rank) const;
  /// Buffers of this rank's pool that are held somewhere.
  std::size_t outstanding_buffers() const;
  /// Lent and awaited arrays whose end was not reported to this rank.
  std::size_t open_operations() const;
  /// Gives the pages of large free buffers of this rank's pool back to the system.
  void release_unused_memory();
  /// Holds memory that others may still write to, until all ranks are through.
  void keep_until_end(std::shared_ptr<void> memory);

  class Implementation;

 private:
  template <class...>
  friend class Entry;

  std::uint64_t add_entry(const std::string& name, std::string_view signature,
                          detail::Handler handler);
  void set_hook(std::uint64_t entry, detail::Hook hook);
  void call(int destination, std::uint64_t entry, std::uint64_t reference,
            std::span<const std::byte> small, std::span<detail::ArrayOut> arrays);
  void broadcast(std::uint64_t entry, std::uint64_t reference, std::span<const std::byte> small,
                 std::span<detail::ArrayOut> arrays);
  BufferBytes allocate(std::size_t bytes);
  Future post_bytes(int source, std::uint64_t key, std::span<std::byte> memory);
  Future take_bytes(int source, std::uint64_t key, std::shared_ptr<BufferBytes> taken);
  void send_bytes(int destination, std::uint64_t key, detail::ArrayOut array);

  std::unique_ptr<Implementation> implementation_;
};

/// A function that other ranks can call; copies name the same one.
template <class... Args>
class Entry {
  using Layout = detail::Layout<Args...>;
  using Indices = std::index_sequence_for<Args...>;
  /// Calls that were not taken yet, by reference number, and who waits for new ones.
  struct Inbox {
    std::map<std::uint64_t, std::deque<Message<Args...>>> calls;
    std::vector<std::function<void(std::uint64_t)>> watchers;
  };

 public:
  /// Runs the entry on `destination`, which may be this rank.
  void operator()(int destination, typename detail::Argument<Args>::Given... arguments) const {
    send(Indices{}, destination, 0, arguments...);
  }
  void operator()(int destination, Reference reference,
                  typename detail::Argument<Args>::Given... arguments) const {
    send(Indices{}, destination, reference.number, arguments...);
  }
  /// Runs it on every rank, this one too, along a tree of ranks; called by one rank. Arrays are
  /// lent until all have run: in a node all read them where they lie.
  void broadcast(typename detail::Argument<Args>::Given... arguments) const {
    send(Indices{}, everywhere, 0, arguments...);
  }
  void broadcast(Reference reference, typename detail::Argument<Args>::Given... arguments) const {
    send(Indices{}, everywhere, reference.number, arguments...);
  }

  /// `hook(Sender, arguments...)` runs when a call arrives, before its arrays are there. It gets a
  /// `ReceiveBuffer<T>&` for each `NoCopy<T>` and the number of items of other arrays. Each rank
  /// may set a hook of its own, or none.
  template <class Function>
  void provide(Function hook) const {
    messenger_->set_hook(
        id_, [hook](const detail::CallIn& call, std::span<detail::ByteReceiveBuffer> buffers) {
          run_hook(Indices{}, hook, call, buffers);
        });
  }

  /// The earliest call with this reference number that was not taken, of an entry without handler.
  std::optional<Message<Args...>> next(std::uint64_t reference = 0) const {
    const auto found = inbox_->calls.find(reference);
    if (found == inbox_->calls.end()) return std::nullopt;
    std::optional<Message<Args...>> first(std::move(found->second.front()));
    found->second.pop_front();
    if (found->second.empty()) inbox_->calls.erase(found);
    return first;
  }

 private:
  friend class Messenger;
  static constexpr int everywhere = std::numeric_limits<int>::min();  // no mistaken rank is this

  Entry(Messenger* messenger, std::uint64_t id, std::shared_ptr<Inbox> inbox)
      : messenger_(messenger), id_(id), inbox_(std::move(inbox)) {}

  template <std::size_t... I>
  void send(std::index_sequence<I...>, int destination, std::uint64_t reference,
            typename detail::Argument<Args>::Given&... arguments) const {
    std::byte small[Layout::small + 1];
    detail::ArrayOut arrays[Layout::arrays + 1];
    (put_argument<Args, Layout::position(I)>(small, arrays, arguments), ...);
    const std::span<const std::byte> small_bytes(small, Layout::small);
    const std::span<detail::ArrayOut> out(arrays, Layout::arrays);
    if (destination == everywhere) {
      messenger_->broadcast(id_, reference, small_bytes, out);
    } else {
      messenger_->call(destination, id_, reference, small_bytes, out);
    }
  }

  template <class A, std::size_t Position, class Given>
  static void put_argument(std::byte* small, detail::ArrayOut* arrays, Given& argument) {
    if constexpr (detail::Argument<A>::is_array) {
      arrays[Position] = detail::Argument<A>::out(std::move(argument));
    } else {
      std::memcpy(small + Position, &argument, sizeof(A));
    }
  }

  template <class A, std::size_t Position>
  static decltype(auto) argument_of(detail::CallIn& call) {
    return detail::read_argument<A, Position>(call, [&](std::size_t position) {
      if constexpr (detail::Argument<A>::is_array) {
        return detail::Argument<A>::in(call.arrays[position]);
      } else {
        return 0;
      }
    });
  }

  template <std::size_t... I, class Function>
  static void run(std::index_sequence<I...>, Function& handler, detail::CallIn& call) {
    handler(call.sender, argument_of<Args, Layout::position(I)>(call)...);
  }

  template <class A, std::size_t Position>
  static decltype(auto) hook_argument(const detail::CallIn& call,
                                      std::span<detail::ByteReceiveBuffer> buffers) {
    return detail::read_argument<A, Position>(call, [&](std::size_t position) {
      if constexpr (detail::Argument<A>::is_array) {
        return detail::Argument<A>::hook_argument(buffers[position]);
      } else {
        return 0;
      }
    });
  }

  template <std::size_t... I, class Function>
  static void run_hook(std::index_sequence<I...>, const Function& hook, const detail::CallIn& call,
                       std::span<detail::ByteReceiveBuffer> buffers) {
    std::tuple arguments(hook_argument<Args, Layout::position(I)>(call, buffers)...);
    hook(call.sender, std::get<I>(arguments)...);
  }

  template <std::size_t... I>
  static void store(std::index_sequence<I...>, Inbox& inbox, detail::CallIn& call) {
    inbox.calls[call.sender.reference].push_back(
        {call.sender, {argument_of<Args, Layout::position(I)>(call)...}});
    // A callback may make new ones.
    for (std::size_t i = 0; i < inbox.watchers.size(); ++i) {
      inbox.watchers[i](call.sender.reference);
    }
  }

  Messenger* messenger_;
  std::uint64_t id_;
  std::shared_ptr<Inbox> inbox_;
};

/// What copying costs a short lent array, and what it costs to leave it where it is.
struct MessageTiming {
  std::string transport;  ///< as `Messenger::route`
  std::size_t bytes;
  double copied_us, in_place_us;  ///< one way, median
};

/// Collective. Measures both for each transport by which messages travel here, between two of the
/// ranks; messengers made later copy what is faster copied. It is kept in the machine file too.
std::vector<MessageTiming> tune_messages(const Context& context);

template <class... Args, class Function>
Entry<Args...> Messenger::entry(const std::string& name, Function handler) {
  using Result = Entry<Args...>;
  auto run = [handler = std::move(handler)](detail::CallIn& call) mutable {
    Result::run(typename Result::Indices{}, handler, call);
  };
  return Result(this, add_entry(name, typeid(std::tuple<Args...>*).name(), std::move(run)),
                nullptr);
}

template <class... Args>
Entry<Args...> Messenger::entry(const std::string& name) {
  using Result = Entry<Args...>;
  auto inbox = std::make_shared<typename Result::Inbox>();
  auto store = [inbox](detail::CallIn& call) {
    Result::store(typename Result::Indices{}, *inbox, call);
  };
  return Result(this, add_entry(name, typeid(std::tuple<Args...>*).name(), std::move(store)),
                inbox);
}

template <class Action, class... Entries>
void Messenger::when(Action action, const Entries&... entries) {
  // The messenger's entries own the inboxes, and the inboxes these checks.
  auto check = [action = std::make_shared<Action>(std::move(action)),
                inboxes = std::make_tuple(entries.inbox_.get()...)](std::uint64_t reference) {
    std::apply(
        [&](auto*... inbox) {
          while ((inbox->calls.contains(reference) && ...)) {
            const auto take = [reference](auto& calls) {
              const auto found = calls.find(reference);
              auto first = std::move(found->second.front());
              found->second.pop_front();
              if (found->second.empty()) calls.erase(found);
              return first;
            };
            auto messages = std::make_tuple(take(inbox->calls)...);
            std::apply([&](auto&... message) { (*action)(message...); }, messages);
          }
        },
        inboxes);
  };
  (entries.inbox_->watchers.push_back(check), ...);
  // What came before is looked at once, by the reference numbers of the first entry.
  const auto& first = std::get<0>(std::tie(entries...));
  std::vector<std::uint64_t> present;
  for (const auto& [reference, calls] : first.inbox_->calls) present.push_back(reference);
  for (const std::uint64_t reference : present) check(reference);
}

}  // namespace sterna::comm

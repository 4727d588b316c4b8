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

/// The rank that called an entry, and the number that the call carries (0 if it has none).
struct Sender {
  int rank;
  std::uint64_t reference;
};

/// The reference number of a call, given as its first argument; `when` collects calls by this
/// number.
struct Reference {
  std::uint64_t number;
};

struct MessengerOptions {
  std::string name = "messages";  ///< name in errors
  /// "auto" takes shm within the node, rdma beyond it, and two_sided if these do not work. A name
  /// takes that transport only.
  std::string transport = "auto";
  /// Lent arrays of fewer bytes than this are copied. By default this is the limit that
  /// `tune_messages` has measured, or else 1 KiB within a node and 2 KiB beyond.
  std::optional<std::size_t> copy_below = std::nullopt;
  /// Within a node the sender copies lent arrays that are in no pool. From this many bytes on the
  /// kernel copies them (process_vm_readv), if it may: slower, but without memory in between.
  std::size_t kernel_copies_from = std::size_t{256} << 20U;
  /// True: reports lent arrays that were changed too early, fills released buffers with 0xdb, and
  /// reports buffers still held at the end. By default this is on in debug builds of the library.
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

/// How an argument of an entry's signature travels. Small arguments travel by value.
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
/// The call copies the array; the entry reads it where it arrives.
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

/// The place of each argument of a signature: its index among the arrays, or its offset in the
/// small bytes.
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

/// A call that waits for a `when`, with its arguments and the arrays that it owns.
template <class... Args>
struct Message {
  Sender sender;
  std::tuple<typename detail::Argument<Args>::Stored...> arguments;
  template <std::size_t I>
  auto& get() {
    return std::get<I>(arguments);
  }
};

/// An array that is sent to this rank. It may be in any memory, within a node also in the buffer
/// that its sender gave away.
template <class T>
class Delivery {
 public:
  /// The future is ready when the array has arrived.
  const Future& arrived() const { return arrived_; }
  /// Throws Error if the array has not arrived, or failed.
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

/// Calls functions on other ranks: a rank names an entry and its arguments, and the other rank runs
/// the function of that name. Ranks may register entries in any order. It is an error to register a
/// name with different signatures. Calls of an entry that is not registered yet wait for it.
///
/// Entries run one at a time, from within `progress` and `wait` of the rank they are called on.
/// They may call other entries, but must not wait. The calls of one rank to another run in the
/// order in which they were made. An exception is a call whose arrays have not arrived or have no
/// target yet: it delays no other call.
///
/// The messenger is made and destroyed collectively. It throws Error for failures on this rank; a
/// call that fails at the receiver completes with the error.
class Messenger {
 public:
  explicit Messenger(const Context& context, const MessengerOptions& options = {});
  /// Returns the messenger that all callers share who need none of their own. It lives as long as
  /// one of them holds it. Collective. Callers use keys that they have reserved.
  static std::shared_ptr<Messenger> shared(const Context& context);
  ~Messenger();
  Messenger(const Messenger&) = delete;
  Messenger& operator=(const Messenger&) = delete;

  int rank() const;
  int size() const;

  /// Registers `handler(Sender, arguments...)`. For a `NoCopy<T>` the handler takes a
  /// std::span<const T> or a Buffer<T>.
  template <class... Args, class Function>
  Entry<Args...> entry(const std::string& name, Function handler);
  /// Registers an entry whose calls are kept for `when` or `Entry::next`.
  template <class... Args>
  Entry<Args...> entry(const std::string& name);

  /// Runs `action(Message<...>&...)` each time that all these entries have been called with the
  /// same reference number.
  template <class Action, class... Entries>
  void when(Action action, const Entries&... entries);

  /// Allocates memory from this rank's pool. Throws MemoryError if memory does not suffice.
  template <class T>
  Buffer<T> buffer(std::size_t count) {
    return Buffer<T>(allocate(item_bytes(count, sizeof(T))));
  }

  /// Names memory for the array whose hook says `posted(key)`; memory is used in the order in which
  /// it was named. The future becomes ready, and names the filled memory, when the entry has run.
  template <class T>
  Future post(std::uint64_t key, std::span<T> memory) {
    return post_bytes(-1, key, std::as_writable_bytes(memory));
  }
  /// Sends an array under a key, point to point and without an entry, into memory that the receiver
  /// names before or after the array arrives. Arrays with one key arrive in order.
  template <class T>
  void send(int destination, std::uint64_t key, NoCopy<T> array) {
    send_bytes(destination, key, std::move(array).release());
  }
  template <class T>
  Future receive(int source, std::uint64_t key, std::span<T> memory) {
    return post_bytes(source, key, std::as_writable_bytes(memory));
  }

  /// Receives such an array without naming memory.
  template <class T>
  Delivery<T> receive(int source, std::uint64_t key) {
    auto taken = std::make_shared<BufferBytes>();
    Future arrived = take_bytes(source, key, taken);
    return Delivery<T>(std::move(arrived), std::move(taken));
  }
  /// Returns the first of 2^32 keys that were not reserved before. All ranks call it in the same
  /// order.
  std::uint64_t reserve_keys();

  /// Runs the calls that have arrived and the completions that are due. Never waits.
  void progress();
  /// The functions `wait` make progress while they wait. The error names `what` if the deadline
  /// passes or a rank has died.
  const Completed& wait(const Future& future, std::string_view what = "a completion");
  void wait(const Counter& counter, std::uint64_t count, std::string_view what = "completions");
  void wait(const Task& task, std::string_view what = "a task");
  void wait_until(const std::function<bool()>& condition, std::string_view what);
  /// Waits for an action of `rank`; it is an error if that rank dies.
  void wait_for(int rank, std::string_view what, const std::function<bool()>& condition);
  /// Functions for set-up: send a text to a rank under a key, and wait for the text from a rank.
  void send_setup(int peer, std::uint64_t key, const std::string& setup);
  std::string wait_for_setup(int peer, std::uint64_t key);
  /// Discards the next setup message from that rank under this key when it arrives.
  void drop_setup(int peer, std::uint64_t key);
  /// Waits until every call of any rank has run, with all calls that followed from it. Collective.
  void finish();

  /// The transport of calls to `rank`: "self", "shm", "rdma", "two_sided".
  std::string_view route(int rank) const;
  /// The number of buffers of this rank's pool that are still held, on any rank.
  std::size_t outstanding_buffers() const;
  /// The number of lent and awaited arrays whose end was not reported to this rank.
  std::size_t open_operations() const;
  /// Gives the pages of large free buffers of this rank's pool back to the operating system.
  void release_unused_memory();
  /// Keeps memory that others may still write to, until all ranks have reached the messenger's end.
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

/// A function that other ranks can call. Copies of an Entry name the same function.
template <class... Args>
class Entry {
  using Layout = detail::Layout<Args...>;
  using Indices = std::index_sequence_for<Args...>;
  /// The calls that were not taken yet, by reference number, and the functions to call for new
  /// ones.
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
  /// Runs the entry on every rank, this one included, along a tree of ranks; one rank calls it.
  /// Arrays are lent until all ranks have run the entry. Within a node all ranks read them in
  /// place.
  void broadcast(typename detail::Argument<Args>::Given... arguments) const {
    send(Indices{}, everywhere, 0, arguments...);
  }
  void broadcast(Reference reference, typename detail::Argument<Args>::Given... arguments) const {
    send(Indices{}, everywhere, reference.number, arguments...);
  }

  /// Sets `hook(Sender, arguments...)`, which runs when a call arrives, before its arrays do. It
  /// gets a `ReceiveBuffer<T>&` for each `NoCopy<T>` and the number of items of other arrays. Each
  /// rank may set a hook of its own, or none.
  template <class Function>
  void provide(Function hook) const {
    messenger_->set_hook(
        id_, [hook](const detail::CallIn& call, std::span<detail::ByteReceiveBuffer> buffers) {
          run_hook(Indices{}, hook, call, buffers);
        });
  }

  /// Takes the earliest call with this reference number, for an entry without handler.
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
  // unlike any rank, also a mistaken one
  static constexpr int everywhere = std::numeric_limits<int>::min();

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
    // The loop goes by index, because a callback may add further watchers.
    for (std::size_t i = 0; i < inbox.watchers.size(); ++i) {
      inbox.watchers[i](call.sender.reference);
    }
  }

  Messenger* messenger_;
  std::uint64_t id_;
  std::shared_ptr<Inbox> inbox_;
};

/// The cost of copying a lent array of this size, and the cost of leaving it in place.
struct MessageTiming {
  std::string transport;  ///< a name as `Messenger::route` returns it
  std::size_t bytes;
  double copied_us, in_place_us;  ///< median times of one way
};

/// Measures both costs for each transport that carries messages here, between two of the ranks.
/// Messengers made later copy the arrays for which copying is faster. The machine file keeps the
/// result, too. Collective.
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
  // The messenger's entries own the inboxes, and the inboxes own these checks. So a check holds
  // plain pointers to the inboxes.
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
  // Earlier calls are checked once, by the reference numbers of the first entry.
  const auto& first = std::get<0>(std::tie(entries...));
  std::vector<std::uint64_t> present;
  for (const auto& [reference, calls] : first.inbox_->calls) present.push_back(reference);
  for (const std::uint64_t reference : present) check(reference);
}

}  // namespace sterna::comm

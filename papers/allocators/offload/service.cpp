#include "allocators/offload/service.hpp"

#include "allocators/layers/areas.hpp"
#include "allocators/offload/server_process.hpp"

#include <mutex>
#include <new>

namespace abut::offload {

constinit Service service;

namespace {

// A thread that has ended, or is about to begin with its first request.
Client *const kGone = reinterpret_cast<Client *>(1);

thread_local constinit Client *this_client __attribute__((tls_model("initial-exec"))) = nullptr;

constexpr size_t kLargestStashed = 16 * Client::kSizes;

// Blocks that are looked after while the lock is held once.
constexpr uint32_t kBatch = 32;

constexpr unsigned size_of(size_t bytes) { return static_cast<unsigned>((bytes - 1) / 16); }

} // namespace

void Service::open(allocators::Instance heap, layers::Grain grain, Refuse refuse) {
  heap_ = heap;
  grain_ = grain;
  refuse_ = refuse;
}

Client *Service::client() {
  if (this_client != nullptr) return this_client != kGone ? this_client : nullptr;
  this_client = kGone; // what acquiring one asks of the heap is served in line
  Client *fresh = acquire();
  if (fresh == nullptr) return nullptr;
  if (!os::call_at_thread_exit(leave, fresh)) {
    close(*fresh);
    return nullptr;
  }
  this_client = fresh;
  return fresh;
}

Client *Service::acquire() {
  for (Client *one = clients_.load(std::memory_order_acquire); one; one = one->next) {
    bool free = false;
    if (one->in_use.compare_exchange_strong(free, true, std::memory_order_acquire)) return one;
  }
  const std::lock_guard held(*this);
  void *memory = os::map(round_up(sizeof(Client), kPageBytes));
  if (memory == nullptr) return nullptr;
  auto *fresh = new (memory) Client;
  fresh->in_use.store(true, std::memory_order_relaxed);
  fresh->next = clients_.load(std::memory_order_relaxed);
  clients_.store(fresh, std::memory_order_release);
  return fresh;
}

void Service::leave(void *client) {
  this_client = kGone;
  service.close(*static_cast<Client *>(client));
}

// All that a thread has goes back to the heap; the next thread may have its rings.
void Service::close(Client &client) {
  const std::lock_guard held(*this);
  client.wanted.store(0, std::memory_order_relaxed);
  give_frees(client);
  give_stashes(client);
  client.in_use.store(false, std::memory_order_release);
}

void *Service::allocate(size_t bytes, size_t align) {
  Client *mine = bytes <= kLargestStashed && align <= layers::bytes_of(grain_) ? client() : nullptr;
  if (mine == nullptr) {
    const std::lock_guard held(*this);
    return heap_.allocate(bytes, align);
  }
  const unsigned size = size_of(bytes);
  void *block = mine->stashes[size].pop();
  const bool is_low = ++mine->taken[size] >= Client::kStash / 2 || block == nullptr;
  if (is_low && running_.load(std::memory_order_relaxed)) {
    mine->taken[size] = 0;
    mine->wanted.fetch_or(1U << size, std::memory_order_release);
    call();
  }
  return block != nullptr ? block : allocate_now(*mine, size);
}

// The thread does the service's work, a little more than it needs.
void *Service::allocate_now(Client &client, unsigned size) {
  const std::lock_guard held(*this);
  drain(client);
  if (void *block = client.stashes[size].pop()) return block;
  refill(client, size, kBatch / 2);
  return client.stashes[size].pop();
}

void Service::release(void *block) {
  // A mapping goes back at once: it may be large.
  const bool is_mapping = layers::kind_of(block) == layers::AreaKind::none;
  Client *mine = is_mapping ? nullptr : client();
  if (mine == nullptr) {
    const std::lock_guard held(*this);
    return give(block);
  }
  while (!mine->frees.push(block)) {
    const std::lock_guard held(*this);
    drain(*mine);
  }
  if (++mine->posted >= 256) {
    mine->posted = 0;
    call();
  }
}

size_t Service::usable(const void *block) {
  const std::lock_guard held(*this);
  return heap_.usable(block);
}

// Blocks that wait for other threads stay: only a thread itself may take from its stashes.
void Service::settle() {
  const std::lock_guard held(*this);
  for (Client *one = clients_.load(std::memory_order_acquire); one; one = one->next)
    give_frees(*one);
  if (this_client != nullptr && this_client != kGone) give_stashes(*this_client);
  heap_.settle();
}

void Service::give_frees(Client &client) {
  while (void *block = client.frees.pop()) give(block);
}

void Service::give_stashes(Client &client) {
  for (auto &stash : client.stashes)
    while (void *block = stash.pop()) give(block);
}

// Wakes the service where it sleeps.
void Service::call() {
  if (asleep_.load(std::memory_order_relaxed) == 0) return;
  if (asleep_.exchange(0, std::memory_order_acq_rel) != 0) wake_waiter(asleep_);
}

void Service::give(void *block) {
  const layers::Release result = heap_.release(block);
  if (result != layers::Release::done) refuse_(block, result);
}

// What was freed last is still in the cache of the processor that freed it: it waits for that thread's next request, and
// its lines stay where they are.
bool Service::hand_back(Client &client, void *block) {
  const size_t bytes = heap_.usable(block);
  if (bytes >= kMeasured || stash_of_[bytes / 8] == 0) return false;
  auto &stash = client.stashes[stash_of_[bytes / 8] - 1];
  return stash.size() < Client::kStash / 2 && stash.push(block);
}

void Service::drain(Client &client) {
  for (uint32_t i = 0; i < kBatch; ++i) {
    void *block = client.frees.pop();
    if (block == nullptr) return;
    if (!hand_back(client, block)) give(block);
  }
}

void Service::refill(Client &client, unsigned size, uint32_t most) {
  auto &stash = client.stashes[size];
  uint32_t have = stash.size();
  for (; have < Client::kStash && most != 0; ++have, --most) {
    void *block = heap_.allocate(16 * size_t{size + 1}, layers::bytes_of(grain_));
    if (block == nullptr) return;
    const size_t bytes = heap_.usable(block);
    if (bytes < kMeasured) stash_of_[bytes / 8] = static_cast<uint8_t>(size + 1);
    stash.push(block);
  }
  // The rest has to wait: nobody may hold the lock for long.
  if (have < Client::kStash / 2) client.wanted.fetch_or(1U << size, std::memory_order_relaxed);
}

// Looks after every client once; false where there was nothing to do.
bool Service::serve_round() {
  bool any = false;
  for (Client *one = clients_.load(std::memory_order_acquire); one; one = one->next) {
    const bool has_frees = one->frees.size() != 0;
    if (!has_frees && one->wanted.load(std::memory_order_relaxed) == 0) continue;
    const std::lock_guard held(*this);
    if (!one->in_use.load(std::memory_order_acquire)) continue;
    uint32_t wanted = one->wanted.exchange(0, std::memory_order_acq_rel);
    for (; wanted != 0; wanted &= wanted - 1)
      refill(*one, static_cast<unsigned>(__builtin_ctz(wanted)), kBatch);
    drain(*one);
    any = true;
  }
  return any;
}

// In the server, until it has to leave: with the lock free then, and the heap complete.
void Service::serve() {
  // About how long it looks for work before it sleeps: tens of microseconds. With one processor for all, to look for work is
  // to keep others from theirs.
  const uint32_t most_idle = has_one_processor() ? 0 : 2000;
  this_client = kGone; // whatever it asks of the heap itself is served in line
  for (uint32_t idle = 0; leaving_.load(std::memory_order_relaxed) == 0; ++idle) {
    if (serve_round()) {
      idle = 0;
      rounds_.fetch_add(1, std::memory_order_relaxed);
    } else if (idle < most_idle) {
      pause_briefly();
    } else {
      asleep_.store(1, std::memory_order_seq_cst);
      if (leaving_.load(std::memory_order_seq_cst) == 0 && !serve_round()) wait_while(asleep_, 1);
      asleep_.store(0, std::memory_order_relaxed);
      idle = 0;
    }
  }
}

void Service::before_fork() {
  leave_server();
  if (is_interrupted()) return;
  lock();
  os::holds_every_lock = true;
}

void Service::after_fork(bool in_child) {
  os::holds_every_lock = false;
  lock_.unlock();
  if (!in_child) return;
  for (Client *one = clients_.load(std::memory_order_acquire); one; one = one->next)
    if (one != this_client && one->in_use.load(std::memory_order_relaxed)) close(*one);
}

} // namespace abut::offload

// A heap that another process serves, on another processor (Rezaei and Kavi's intelligent memory manager on machines that
// have none): what the application's caches hold is the application's.
//
// Each thread has a ring of blocks for each small size, which the service keeps filled, and a ring of what it frees,
// which the service empties. Its side of a request is a few loads and stores. Whoever holds the lock is the service: a
// thread that finds its ring of blocks empty, or that of its frees full, does the work itself rather than wait. So a
// child of a fork, which has no server, goes on with the same heap served in line, and nothing waits for a process that
// does not run.
//
// The server works on memory that both processes have (shared_range.hpp). If it is killed while it does not hold the lock,
// the heap is whole, and served in line from then on; while it does, the program ends, too.
#pragma once

#include "allocators/catalogue.hpp"
#include "allocators/offload/ring.hpp"
#include "allocators/offload/side_lock.hpp"
#include "os/os.hpp"

namespace abut::offload {

// What one thread of the application shares with the service.
struct Client {
  static constexpr unsigned kSizes = 32;  // 16, 32 ... 512 bytes
  static constexpr uint32_t kStash = 128; // blocks of a size that wait

  Ring<kStash> stashes[kSizes];
  Ring<1024> frees;
  alignas(kLineBytes) std::atomic<uint32_t> wanted{
      0};                      // the sizes that have few blocks left, one bit each
  uint32_t taken[kSizes] = {}; // since its bit was set last
  uint32_t posted = 0;         // frees since the service was last notified
  std::atomic<bool> in_use{false};
  Client *next = nullptr;
};

// What the service does with an address that is no block: ends the process, or frees it otherwise.
using Refuse = void (*)(void *block, layers::Release result);

// It is on pages of its own, so that two processes can have it in common.
class alignas(kPageBytes) Service {
public:
  // Has all memory of the process, from then on, in common with the process that start() forks to serve it. Before open();
  // false where that cannot be, and nothing has changed.
  bool share();

  // Takes over `heap`, whose blocks are at multiples of `grain`. Nothing is served in the background until start().
  void open(allocators::Instance heap, layers::Grain grain, Refuse refuse);

  // False where there is no process to be had: all is served in line then.
  bool start();

  void *allocate(size_t bytes, size_t align);
  void release(void *block);
  size_t usable(const void *block);
  // What all threads have freed is freed then, and no block waits for this thread.
  void settle();

  // Around a fork. A program leaves its server before it forks: both would write to the same heap otherwise.
  void before_fork();
  void after_fork(bool in_child);

  // How often the server found something to do; for tests.
  uint64_t rounds() const { return rounds_.load(std::memory_order_relaxed); }
  bool is_running() const { return running_.load(std::memory_order_relaxed); }

  // The server process, 0 where there is none.
  uint32_t server() const { return server_.load(std::memory_order_relaxed); }

  // Of the heap, for whoever does the service's work.
  void lock();
  void unlock() { lock_.unlock(); }

private:
  static void leave(void *client);

  Client *client();
  Client *acquire();
  void close(Client &client);
  void serve();
  bool serve_round();
  void refill(Client &client, unsigned size, uint32_t most);
  void drain(Client &client);
  void give_frees(Client &client);
  void give_stashes(Client &client);
  bool hand_back(Client &client, void *block);
  void *allocate_now(Client &client, unsigned size);
  void give(void *block);
  void call();

  // How the server begins and ends (server.cpp).
  static void serve_program(void *self);
  static void left_alone();
  void look_at(Side holder);
  bool is_interrupted() const;
  void leave_server();

  SideLock lock_;
  allocators::Instance heap_;
  layers::Grain grain_ = layers::Grain::sixteen;
  Refuse refuse_ = nullptr;
  std::atomic<Client *> clients_{nullptr};
  std::atomic<bool> running_{false};
  std::atomic<uint32_t> asleep_{0};
  std::atomic<uint32_t> leaving_{0}; // the server is to end when it holds no lock
  std::atomic<uint32_t> server_{0};
  // By eights of bytes, the number of the stash for such blocks, and one; 0 for none. For whoever holds the lock.
  static constexpr size_t kMeasured = 1024;
  uint8_t stash_of_[kMeasured / 8] = {};
  std::atomic<uint64_t> rounds_{0};
};

extern constinit Service service;

} // namespace abut::offload

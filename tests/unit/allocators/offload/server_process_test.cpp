// A heap served by a process of its own: threads, forks, the ends of either process, and mistakes.
//
// Each test has a program of its own, a child, because what a program shares with its server it shares for good.
#include "allocators/offload/server_process.hpp"

#include "allocators/offload/service.hpp"
#include "support/child.hpp"
#include "support/random.hpp"

#include <chrono>
#include <csignal>
#include <cstring>
#include <ctime>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace abut::offload {
namespace {

using support::require;

pid_t program = 0;
int releases_until_death = 0; // in the server

constexpr layers::Grain kGrain = layers::Grain::sixteen;

const allocators::Calls &real_calls() { return *allocators::find_allocator("vam")->calls; }

// Blocks of the heap that are in use, which both processes count; they do so with the lock held.
int64_t *live_blocks = nullptr;

void *allocate_counted(void *self, size_t bytes, size_t align) {
  ++*live_blocks;
  return real_calls().allocate(self, bytes, align);
}

layers::Release release_or_die(void *self, void *block) {
  if (getpid() != program && releases_until_death > 0 && --releases_until_death == 0)
    raise(SIGKILL); // with the lock held
  --*live_blocks;
  return real_calls().release(self, block);
}

Service &started_server() {
  program = getpid();
  static allocators::Calls calls;
  calls = real_calls();
  calls.allocate = allocate_counted;
  calls.release = release_or_die;
  live_blocks = static_cast<int64_t *>(
      mmap(nullptr, kPageBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  static const allocators::Entry kEntry = {"vam", "", "", "", &calls};
  require(service.share(), "memory can be shared");
  allocators::Instance heap;
  require(heap.open(kEntry, kGrain), "the heap opens");
  service.open(heap, kGrain, [](void *, layers::Release) { std::abort(); });
  require(service.start(), "there is a server");
  return service;
}

// `steps` requests, of 1 to 5000 bytes and most of them short; at the end all blocks are freed. Ends the process where a
// block is not what it should be.
void churn(Service &served, unsigned seed, int steps) {
  support::Random random(seed);
  struct Block {
    unsigned char *memory;
    size_t bytes;
  };
  std::vector<Block> live;
  for (int step = 0; step < steps; ++step) {
    if (live.size() > 300 || (!live.empty() && random.below(2) == 0)) {
      const size_t at = random.below(live.size());
      const Block block = live[at];
      const auto mark = static_cast<unsigned char>(block.bytes);
      require(block.memory[0] == mark && block.memory[block.bytes - 1] == mark,
              "a block keeps what is written to it");
      served.release(block.memory);
      live[at] = live.back();
      live.pop_back();
      continue;
    }
    const size_t bytes = 1 + random.below(random.below(10) == 0 ? 5000 : 600);
    auto *memory = static_cast<unsigned char *>(served.allocate(bytes, 16));
    require(memory != nullptr, "there is memory");
    std::memset(memory, static_cast<int>(bytes), bytes);
    live.push_back({memory, bytes});
  }
  for (const Block &block : live) served.release(block.memory);
}

// However busy the machine is, it happens in the end.
void wait_until(const std::function<bool()> &happened, const char *claim) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (!happened()) {
    require(std::chrono::steady_clock::now() < end, claim);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

// In a thread of its own, which has asked no other service for anything yet.
support::Outcome in_program(const std::function<void()> &body) {
  return support::in_child([&] { std::thread(body).join(); });
}
void expect_success(const std::function<void()> &body) {
  const support::Outcome outcome = in_program(body);
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
}

// Nanoseconds of the processor that a process has used.
int64_t time_of(uint32_t process) {
  clockid_t clock{};
  timespec time{};
  require(clock_getcpuclockid(static_cast<pid_t>(process), &clock) == 0, "the process is there");
  require(clock_gettime(clock, &time) == 0, "its time can be read");
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// Threads leave nothing in the heap that was not there after a first one: nor does what another thread frees.
void expect_nothing_left(Service &served) {
  std::vector<void *> blocks;
  const auto alone = [](const std::function<void()> &body) { std::thread(body).join(); };
  alone([&] { churn(served, 9, 1000); });
  served.settle();
  const int64_t before = *live_blocks;
  std::vector<std::thread> threads;
  for (unsigned seed = 1; seed <= 4; ++seed)
    threads.emplace_back([&served, seed] { churn(served, seed, 20'000); });
  for (std::thread &thread : threads) thread.join();
  alone([&] {
    for (int i = 0; i < 5000; ++i) blocks.push_back(served.allocate(48, 16));
  });
  alone([&] {
    for (void *block : blocks) served.release(block);
  });
  served.settle();
  require(*live_blocks == before, "threads leave nothing behind");
}

TEST(ServerProcess, ServesThreadsFromOutsideTheProgram) {
  expect_success([] {
    Service &served = started_server();
    require(served.server() != static_cast<uint32_t>(getpid()), "it is another process");
    require(waitpid(-1, nullptr, WNOHANG) == -1, "the program has no child");
    expect_nothing_left(served);
    wait_until([&] { return churn(served, 5, 500), served.rounds() > 0; }, "the server works");
  });
}

// Until it has used no processor for a while.
void wait_until_it_sleeps(const Service &served) {
  wait_until(
      [&] {
        const int64_t before = time_of(served.server());
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        return time_of(served.server()) == before;
      },
      "the server sleeps");
}

// At rest it holds no lock: nothing is lost when it is killed, and the heap served in line.
TEST(ServerProcess, SleepsWhenNothingIsAskedAndMayBeKilledThen) {
  expect_success([] {
    Service &served = started_server();
    auto *block = static_cast<char *>(served.allocate(100, 16));
    std::strcpy(block, "kept");
    churn(served, 1, 20'000);
    wait_until_it_sleeps(served);
    const uint64_t before = served.rounds();
    wait_until([&] { return churn(served, 2, 500), served.rounds() > before; }, "it wakes");
    wait_until_it_sleeps(served);
    kill(static_cast<pid_t>(served.server()), SIGKILL);
    churn(served, 2, 50'000);
    require(std::strcmp(block, "kept") == 0, "the heap is the same");
    served.release(block);
  });
}

TEST(ServerProcess, IsKilledAtWorkAndTheProgramEnds) {
  const support::Outcome outcome = in_program([] {
    releases_until_death = 100;
    Service &served = started_server();
    wait_until([&] { return churn(served, 1, 5000), false; }, "the heap is half changed");
  });
  EXPECT_NE(outcome.text().find("the heap's server was killed at work"), std::string::npos)
      << outcome.text();
}

// Whichever of them comes to it: the program, or its server, and then the program, too.
TEST(ServerProcess, EndsTheProgramWhereWhatIsFreedIsNoBlock) {
  const support::Outcome outcome = in_program([] {
    Service &served = started_server();
    served.release(static_cast<char *>(served.allocate(64, 16)) + 8);
    for (unsigned seed = 1; seed <= 20; ++seed) churn(served, seed, 5000);
  });
  EXPECT_TRUE(outcome.killed_by(SIGABRT)) << outcome.text();
}

TEST(ServerProcess, IsLeftBeforeAForkWhichCopiesTheHeap) {
  expect_success([] {
    Service &served = started_server();
    const uint32_t server = served.server();
    auto *block = static_cast<char *>(served.allocate(100, 16));
    std::strcpy(block, "of both");
    churn(served, 1, 5000);
    served.before_fork();
    const pid_t child = fork();
    served.after_fork(child == 0);
    if (child == 0) {
      require(std::strcmp(block, "of both") == 0, "the child has the blocks");
      std::strcpy(block, "of the child");
      churn(served, 2, 20'000);
      _exit(0);
    }
    wait_until([&] { return !is_running(server); }, "the server has ended");
    churn(served, 3, 20'000);
    int status = -1;
    require(waitpid(child, &status, 0) == child && status == 0, "the child goes on");
    require(std::strcmp(block, "of both") == 0, "the parent's blocks are its own");
  });
}

// Runs `end` in a program with a server, and waits until the server has ended.
void expect_end_of_server(const std::function<void()> &end) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const uint32_t server = started_server().server();
    if (write(ends[1], &server, sizeof server) != sizeof server) _exit(2);
    std::thread([] { churn(service, 1, 2000); }).join();
    end();
    _exit(0);
  }
  uint32_t server = 0;
  ASSERT_EQ(read(ends[0], &server, sizeof server), ssize_t{sizeof server});
  wait_until([&] { return !is_running(server); }, "the server has ended");
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  close(ends[0]);
  close(ends[1]);
}

TEST(ServerProcess, EndsWithTheProgram) {
  expect_end_of_server([] {});
  expect_end_of_server([] { raise(SIGKILL); });
  expect_end_of_server([] { execl("/bin/sleep", "sleep", "1000", nullptr); });
}

TEST(ServerProcess, EndsWhenTheProgramClosesItsFiles) {
  expect_success([] {
    Service &served = started_server();
    for (int file = 3; file < 1024; ++file) close(file);
    wait_until([&] { return !served.is_running(); }, "the server leaves");
    churn(served, 1, 20'000);
  });
}

} // namespace
} // namespace abut::offload

// Allocates at every moment of a process's life and ends it in the way that its argument names.
// Usage: life_of_a_process return|exit|quick_exit|main_thread_first|busy_threads
#include "stress/block.hpp"
#include "support/child.hpp"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <pthread.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

using stress::Block;
using support::require;

namespace {

// Allocates when it is constructed, when it is destroyed, and frees then what it made first.
class Witness {
public:
  Witness() {
    for (std::uint64_t i = 0; i < 100; ++i) blocks_.push_back(Block::make(i * 53 + 1, i));
  }
  ~Witness() {
    std::map<int, std::string> late;
    for (int i = 0; i < 100; ++i) late[i] = std::string(static_cast<std::size_t>(i), 'l');
    for (Block &block : blocks_) {
      require(block.intact(), "a block lives until a static destructor frees it");
      block.release();
    }
  }

private:
  std::vector<Block> blocks_;
};

Witness static_witness;
thread_local Witness thread_witness;
Block from_main;

__attribute__((constructor(101))) void first_constructor() { from_main = Block::make(4000, 77); }

__attribute__((destructor(101))) void last_destructor() {
  require(from_main.intact(), "a block lives until the program's last destructor frees it");
  from_main.release();
}

void at_exit() {
  static Witness made_during_exit; // destroyed by the exit that is going on
  Block::make(100'000, 1).release();
}

void say_and_exit() {
  Block::make(500, 2).release();
  // quick_exit runs no destructor: this handler is the last word.
  std::puts("the last destructor is done");
  std::fflush(stdout);
}

[[noreturn]] void churn_for_ever() {
  for (std::uint64_t i = 0;; ++i) Block::make(i * 71 % 50'000 + 1, i).release();
}

void touch(const Witness &witness) { asm volatile("" : : "r"(&witness) : "memory"); }

} // namespace

int main(int count, char **arguments) {
  require(count == 2, "one argument: how to end");
  const std::string end = arguments[1];
  std::atexit(at_exit);
  at_quick_exit(say_and_exit);
  touch(thread_witness);
  std::thread([] { touch(thread_witness); }).join();
  if (end == "exit") std::exit(0);
  if (end == "quick_exit") std::quick_exit(0);
  if (end == "main_thread_first") {
    std::thread([] {
      usleep(20'000); // most likely main is gone by then; it is right either way
      touch(thread_witness);
    }).detach();
    pthread_exit(nullptr);
  }
  if (end == "busy_threads")
    for (int i = 0; i < 4; ++i) std::thread(churn_for_ever).detach();
  return 0;
}

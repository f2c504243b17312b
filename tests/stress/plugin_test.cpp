// dlopen and dlclose of code that allocates.
#include "stress/plugin.hpp"
#include "support/child.hpp"

#include <cstdlib>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <thread>
#include <vector>

using stress::Plugin;
using support::require;

namespace {

TEST(Plugin, AllocatesWhatTheProgramFreesAndTheOtherWayRound) {
  for (int round = 0; round < 200; ++round) {
    const Plugin plugin;
    auto *allocate = plugin.find<void *(std::size_t)>("plugin_allocate");
    auto *release = plugin.find<void(void *)>("plugin_free");
    for (std::size_t size = 1; size < 1'000'000; size = size * 3 + 1) {
      std::free(allocate(size));
      release(std::malloc(size));
    }
  }
}

TEST(Plugin, LeavesItsBlocksUsableWhenItIsUnloaded) {
  std::vector<char *> blocks;
  std::vector<std::unique_ptr<std::string>> strings;
  for (int round = 0; round < 100; ++round) {
    const Plugin plugin;
    blocks.push_back(
        plugin.find<char *(const char *)>("plugin_duplicate")("a text of the plug-in"));
    strings.emplace_back(plugin.find<std::string *(const char *)>("plugin_new_string")(
        "a string of more than 16 bytes"));
  }
  for (char *block : blocks) {
    EXPECT_STREQ(block, "a text of the plug-in");
    std::free(block);
  }
  for (const auto &text : strings) EXPECT_EQ(*text, "a string of more than 16 bytes");
}

TEST(Plugin, IsLoadedAndUnloadedByManyThreadsAtOnce) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([] {
      for (int round = 0; round < 100; ++round) {
        const Plugin plugin;
        require(plugin.find<std::size_t()>("plugin_words")() > 100,
                "the plug-in's vector is alive");
        std::free(plugin.find<void *(std::size_t)>("plugin_allocate")(1000));
      }
    });
  for (std::thread &thread : threads) thread.join();
}

TEST(Plugin, MayWaitForAThreadThatAllocatesWhileItIsLoaded) {
  const support::Outcome outcome = support::in_child(
      [] {
        for (int round = 0; round < 20; ++round) {
          void *library = dlopen(STRESS_WAITS_FOR_THREAD, RTLD_NOW);
          require(library != nullptr, "the plug-in loads");
          auto *got = reinterpret_cast<int (*)()>(dlsym(library, "waits_for_thread_got"));
          require(got() == 1, "its thread has allocated");
          dlclose(library);
        }
      },
      60);
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
}

// A program that a plug-in's TLS destructors outlive, and that exits with the plug-in still loaded.
TEST(Plugin, MayBeLoadedStillWhenTheProgramExits) {
  const support::Outcome outcome = support::in_child([] {
    auto *plugin = new Plugin;
    require(plugin->find<std::size_t()>("plugin_words")() > 100, "the plug-in's vector is alive");
    std::exit(0);
  });
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
}

} // namespace

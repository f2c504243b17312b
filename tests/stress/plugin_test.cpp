// dlopen and dlclose of code that allocates, plainly and with RTLD_DEEPBIND.
#include "support/child.hpp"

#include <csignal>
#include <cstdlib>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <memory>
#include <string>
#include <thread>
#include <vector>

using support::require;

namespace {

class Plugin {
public:
  explicit Plugin(int mode = RTLD_NOW) : handle_(dlopen(STRESS_PLUGIN, mode)) {
    require(handle_ != nullptr, "the plug-in loads");
  }
  Plugin(const Plugin &) = delete;
  Plugin &operator=(const Plugin &) = delete;
  ~Plugin() { dlclose(handle_); }

  template <typename Function>
  Function *find(const char *name) const {
    return reinterpret_cast<Function *>(dlsym(handle_, name));
  }

private:
  void *handle_;
};

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

// A program that a plug-in's TLS destructors outlive, and that exits with the plug-in still loaded.
TEST(Plugin, MayBeLoadedStillWhenTheProgramExits) {
  const support::Outcome outcome = support::in_child([] {
    auto *plugin = new Plugin;
    require(plugin->find<std::size_t()>("plugin_words")() > 100, "the plug-in's vector is alive");
    std::exit(0);
  });
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
}

TEST(DeepBoundPlugin, KeepsToItself) {
  const support::Outcome outcome = support::in_child([] {
    for (int round = 0; round < 50; ++round) {
      const Plugin plugin(RTLD_NOW | RTLD_DEEPBIND);
      auto *allocate = plugin.find<void *(std::size_t)>("plugin_allocate");
      auto *reallocate = plugin.find<void *(void *, std::size_t)>("plugin_reallocate");
      auto *release = plugin.find<void(void *)>("plugin_free");
      for (std::size_t size = 1; size < 10'000'000; size = size * 3 + 1) {
        void *block = reallocate(allocate(size), size * 2);
        require(static_cast<unsigned char *>(block)[size - 1] == 0x5a,
                "realloc keeps the contents");
        release(block);
      }
      require(plugin.find<std::size_t()>("plugin_words")() > 100, "the plug-in's vector is alive");
    }
  });
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
}

// With RTLD_DEEPBIND the plug-in's malloc is the C library's, and its blocks are foreign to a
// preloaded heap: the program's calls on them must reach their maker.
void use_and_free_a_deep_block(std::size_t size) {
  const Plugin plugin(RTLD_NOW | RTLD_DEEPBIND);
  auto *allocate = plugin.find<void *(std::size_t)>("plugin_allocate");
  auto *release = plugin.find<void(void *)>("plugin_free");
  void *block = allocate(size);
  require(malloc_usable_size(block) >= size, "the usable size is that of the block");
  block = std::realloc(block, size * 2);
  require(static_cast<unsigned char *>(block)[size - 1] == 0x5a, "realloc keeps the contents");
  std::free(block);
  for (int i = 0; i < 1000; ++i) // both heaps still work
    release(allocate(size));
  std::free(std::malloc(size));
}

TEST(DeepBoundPlugin, AllocatesWhatTheProgramFrees) {
  for (const std::size_t size : {24u, 5000u, 300'000u}) {
    const support::Outcome outcome = support::in_child([size] { use_and_free_a_deep_block(size); });
    EXPECT_TRUE(outcome.succeeded()) << size << ": " << outcome.text();
  }
}

// The C library serves other threads from arenas that cannot be told from any other mapping: a
// refusal in words will do, silent damage will not.
TEST(DeepBoundPlugin, OfAnotherThreadIsServedOrRefusedInWords) {
  for (const std::size_t size : {24u, 5000u, 300'000u}) {
    const support::Outcome outcome = support::in_child(
        [size] { std::thread([size] { use_and_free_a_deep_block(size); }).join(); });
    const bool refused_in_words = outcome.killed_by(SIGABRT) && outcome.error.starts_with("abut: ");
    EXPECT_TRUE(outcome.succeeded() || refused_in_words) << size << ": " << outcome.text();
  }
}

} // namespace

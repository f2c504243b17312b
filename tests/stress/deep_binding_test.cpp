// Libraries that are loaded with RTLD_DEEPBIND, which would find the C library's malloc before the preloaded one; and that
// dlopen searches for the caller, whoever preloads one of his own.
#include "stress/plugin.hpp"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <malloc.h>
#include <string>
#include <thread>

using stress::Plugin;
using support::require;

namespace {

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

// Where RTLD_DEEPBIND is kept, the plug-in's malloc is the C library's, and its blocks are foreign to a
// preloaded heap: the program's calls on them must reach their maker.
void use_and_free_a_deep_block(std::size_t size) {
  const Plugin plugin(RTLD_NOW | RTLD_DEEPBIND);
  auto *allocate = plugin.find<void *(std::size_t)>("plugin_allocate");
  auto *release = plugin.find<void(void *)>("plugin_free");
  void *block = allocate(size);
  const std::size_t usable = plugin.find<std::size_t(void *)>("plugin_usable")(block);
  require(usable >= size && malloc_usable_size(block) == usable, "the size is that of its maker");
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

// The C library serves other threads from arenas that look like any other mapping: a
// refusal in words will do, silent damage will not.
TEST(DeepBoundPlugin, OfAnotherThreadIsServedOrRefusedInWords) {
  for (const std::size_t size : {24u, 5000u, 300'000u}) {
    const support::Outcome outcome = support::in_child(
        [size] { std::thread([size] { use_and_free_a_deep_block(size); }).join(); });
    const bool refused_in_words = outcome.killed_by(SIGABRT) && outcome.error.starts_with("abut: ");
    EXPECT_TRUE(outcome.succeeded() || refused_in_words) << size << ": " << outcome.text();
  }
}

// From here on: what holds as long as the option `deepbind` does not say otherwise.
void release_both_ways(const Plugin &plugin) {
  auto *allocate = plugin.find<void *(std::size_t)>("plugin_allocate");
  auto *reallocate = plugin.find<void *(void *, std::size_t)>("plugin_reallocate");
  auto *release = plugin.find<void(void *)>("plugin_free");
  for (std::size_t size = 1; size < 10'000'000; size = size * 3 + 1) {
    release(std::malloc(size));
    release(aligned_alloc(4096, size));
    std::free(reallocate(std::malloc(size), size * 2));
    std::free(std::realloc(allocate(size), size * 2));
    release(std::realloc(allocate(size), size * 2));
    release(::operator new(size));
  }
}

TEST(DeepBinding, SharesTheProgramsHeap) {
  const support::Outcome outcome = support::in_child([] {
    release_both_ways(Plugin(RTLD_NOW | RTLD_DEEPBIND));
    release_both_ways(Plugin(RTLD_LAZY | RTLD_GLOBAL | RTLD_DEEPBIND));
    std::thread([] { release_both_ways(Plugin(RTLD_NOW | RTLD_DEEPBIND)); }).join();
  });
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
}

// The C library itself calls the preloaded malloc, whoever called the C library.
TEST(DeepBinding, SharesTheBlocksOfTheCLibrary) {
  const support::Outcome outcome = support::in_child([] {
    const Plugin plugin(RTLD_NOW | RTLD_DEEPBIND);
    auto *release = plugin.find<void(void *)>("plugin_free");
    auto *duplicate = plugin.find<char *(const char *)>("plugin_duplicate");
    auto *read_line = plugin.find<char *(const char *, std::size_t)>("plugin_read_line");
    auto *print = plugin.find<char *(int)>("plugin_print");
    const std::string text = std::string(3000, 'x') + "\nmore";
    for (int round = 0; round < 100; ++round) {
      release(duplicate("freed where it was asked for"));
      std::free(duplicate("freed by the program"));
      release(strdup("the program's, freed by the plug-in"));
      char *line = read_line(text.data(), text.size());
      require(std::strlen(line) == 3001, "the line is whole");
      (round % 2 == 0 ? std::free : release)(line);
      char *printed = print(5000);
      require(std::strncmp(printed, "0,1,2,3,", 8) == 0, "what was printed is there");
      (round % 2 == 0 ? std::free : release)(std::realloc(printed, 100'000));
    }
  });
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
}

TEST(DeepBinding, IsLeftOutByDlmopenToo) {
  const support::Outcome outcome = support::in_child([] {
    void *library = dlmopen(LM_ID_BASE, STRESS_PLUGIN, RTLD_NOW | RTLD_DEEPBIND);
    require(library != nullptr, "the plug-in loads");
    auto *release = reinterpret_cast<void (*)(void *)>(dlsym(library, "plugin_free"));
    release(std::malloc(100));
    dlclose(library);
  });
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
}

// Finds what its folder of libraries has, by its name alone; the program does not search there.
class Opener {
public:
  void *open(const char *name, int flags) const {
    return find<void *(const char *, int)>("opener_open")(name, flags);
  }
  void *open_in(Lmid_t space, const char *name, int flags) const {
    return find<void *(long, const char *, int)>("opener_open_in")(space, name, flags);
  }

private:
  template <typename Function>
  Function *find(const char *name) const {
    return reinterpret_cast<Function *>(dlsym(library_, name));
  }
  void *library_ = dlopen(STRESS_OPENER, RTLD_NOW);
};

int answer_of(void *library) {
  return reinterpret_cast<int (*)()>(dlsym(library, "beside_answer"))();
}

TEST(Loading, SearchesWhereTheCallerSays) {
  const Opener opener;
  EXPECT_EQ(dlopen(STRESS_BESIDE, RTLD_NOW), nullptr);
  EXPECT_NE(std::strstr(dlerror(), STRESS_BESIDE), nullptr);
  for (const int flags : {RTLD_NOW, RTLD_NOW | RTLD_DEEPBIND}) {
    void *found = opener.open(STRESS_BESIDE, flags);
    ASSERT_NE(found, nullptr) << dlerror();
    EXPECT_EQ(answer_of(found), 42);
    dlclose(found);
    found = opener.open_in(LM_ID_BASE, STRESS_BESIDE, flags);
    ASSERT_NE(found, nullptr) << dlerror();
    dlclose(found);
  }
  const std::string folder = STRESS_BESIDE_FOLDER;
  const std::string by_origin = "$ORIGIN/.." + folder.substr(folder.rfind('/')) + "/" STRESS_BESIDE;
  void *found = opener.open(by_origin.c_str(), RTLD_NOW);
  ASSERT_NE(found, nullptr) << dlerror();
  dlclose(found);
}

TEST(Loading, HandsOtherFlagsOn) {
  const Opener opener;
  EXPECT_EQ(opener.open(STRESS_BESIDE, RTLD_NOW | RTLD_NOLOAD), nullptr);
  EXPECT_EQ(dlsym(RTLD_DEFAULT, "beside_answer"), nullptr);
  void *found = opener.open(STRESS_BESIDE, RTLD_LAZY | RTLD_GLOBAL | RTLD_DEEPBIND);
  ASSERT_NE(found, nullptr) << dlerror();
  EXPECT_NE(dlsym(RTLD_DEFAULT, "beside_answer"), nullptr);
  EXPECT_NE(opener.open(STRESS_BESIDE, RTLD_NOW | RTLD_NOLOAD | RTLD_DEEPBIND), nullptr);
  dlclose(found);
  dlclose(found);
  EXPECT_EQ(opener.open(STRESS_BESIDE, 0), nullptr) << "neither RTLD_LAZY nor RTLD_NOW";
  EXPECT_NE(dlopen(nullptr, RTLD_NOW | RTLD_DEEPBIND), nullptr);
}

// A namespace of its own has a C library of its own, and that one's heap.
TEST(Loading, LeavesOtherNamespacesToThemselves) {
  const support::Outcome outcome = support::in_child([] {
    for (const int flags : {RTLD_NOW, RTLD_NOW | RTLD_DEEPBIND}) {
      void *library = Opener().open_in(LM_ID_NEWLM, STRESS_PLUGIN, flags);
      require(library != nullptr, "the plug-in loads");
      auto *allocate = reinterpret_cast<void *(*)(std::size_t)>(dlsym(library, "plugin_allocate"));
      auto *release = reinterpret_cast<void (*)(void *)>(dlsym(library, "plugin_free"));
      for (std::size_t size = 1; size < 10'000'000; size = size * 3 + 1) release(allocate(size));
      std::free(std::malloc(1000));
      dlclose(library);
    }
  });
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
}

} // namespace

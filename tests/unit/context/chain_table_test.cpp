#include "context/chain_table.hpp"

#include "context/probe.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <thread>
#include <vector>

namespace abut::context {
namespace {

TEST(ChainTable, OneReturnAddressIsOneContext) {
  const auto table = std::make_unique<ChainTable>();
  const auto find = [](Frame frame, void *t) -> void * {
    return static_cast<ChainTable *>(t)->find(frame);
  };
  void *first[3];
  for (void *&entry : first) entry = probe(find, table.get());
  void *second = probe(find, table.get());
  EXPECT_EQ(first[0], first[2]);
  EXPECT_NE(first[0], second);
  EXPECT_EQ(table->entries(), 2U);
  EXPECT_EQ(static_cast<Entry *>(second)->payload.load(), 0U);
}

struct Probed {
  ChainTable table;
  Entry *entry = nullptr;
};

[[gnu::noinline]] void inner(Probed &probed) {
  probe(
      [](Frame frame, void *argument) -> void * {
        auto &to = *static_cast<Probed *>(argument);
        to.entry = to.table.find(frame);
        return nullptr;
      },
      &probed);
  asm volatile("" ::: "memory");
}

[[gnu::noinline]] void middle(Probed &probed) {
  inner(probed);
  asm volatile("" ::: "memory");
}

// The entries that two callers of middle() get.
std::pair<Entry *, Entry *> two_callers(Probed &probed) {
  middle(probed);
  Entry *first = probed.entry;
  middle(probed);
  return {first, probed.entry};
}

class ChainLength : public testing::TestWithParam<std::pair<ChainMode, bool>> {};

TEST_P(ChainLength, DecidesWhetherCallersAreToldApart) {
  const auto probed = std::make_unique<Probed>();
  probed->table.configure(GetParam().first);
  const auto [first, second] = two_callers(*probed);
  EXPECT_EQ(first != second, GetParam().second);
}

INSTANTIATE_TEST_SUITE_P(Modes, ChainLength,
                         testing::Values(std::pair(ChainMode::one, false),
                                         std::pair(ChainMode::two, false),
                                         std::pair(ChainMode::three, true),
                                         std::pair(ChainMode::four, true),
                                         std::pair(ChainMode::full, true)));

struct Stepped : Probed {
  std::vector<uint16_t> ids;
  Address outermost = 0;
};

[[gnu::noinline]] void step_outwards(Stepped &stepped) {
  probe(
      [](Frame frame, void *argument) -> void * {
        auto &to = *static_cast<Stepped *>(argument);
        to.table.each_step(frame,
                           [](uint64_t, const ChainStep &) { ADD_FAILURE() << "not known"; });
        to.entry = to.table.find(frame);
        to.table.each_step(frame, [&](uint64_t key, const ChainStep &chain_step) {
          EXPECT_EQ(key & ((uint64_t{1} << os::kAddressBits) - 1), *frame.sp);
          to.ids.push_back(chain_step.id);
          to.outermost = *frame.sp;
          if (chain_step.rule) {
            EXPECT_TRUE(step(chain_step.rule, frame));
          }
        });
        return nullptr;
      },
      &stepped);
  asm volatile("" ::: "memory");
}

TEST(ChainTable, TellsTheStepsOfAChainThatItKnows) {
  const auto stepped = std::make_unique<Stepped>();
  stepped->table.configure(ChainMode::three);
  step_outwards(*stepped);
  ASSERT_EQ(stepped->ids.size(), 3U);
  EXPECT_EQ(stepped->ids.back(), stepped->entry->id);
  EXPECT_EQ(stepped->outermost, stepped->entry->return_address());
}

TEST(ChainTable, AFullTableGivesOneLeafForTheRest) {
  const auto table = std::make_unique<ChainTable>();
  Address made_up = 0x1000;
  while (!table->full()) {
    ASSERT_NE(table->find({&made_up, 0}), table->catch_all());
    made_up += 16;
  }
  EXPECT_EQ(table->find({&made_up, 0}), table->catch_all());
  made_up = 0x1000;
  EXPECT_NE(table->find({&made_up, 0}), table->catch_all());
}

TEST(ChainTable, ThreadsAgreeOnEveryEntry) {
  const auto table = std::make_unique<ChainTable>();
  constexpr unsigned kThreads = 4, kChains = 2000;
  std::vector<std::vector<Entry *>> found(kThreads);
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (auto &entries : found)
    threads.emplace_back([&entries, &table] {
      for (Address made_up = 0x1000; entries.size() < kChains; made_up += 16)
        entries.push_back(table->find({&made_up, 0}));
    });
  for (std::thread &thread : threads) thread.join();
  for (const auto &entries : found) EXPECT_EQ(entries, found[0]);
  EXPECT_EQ(table->entries(), kChains);
}

} // namespace
} // namespace abut::context

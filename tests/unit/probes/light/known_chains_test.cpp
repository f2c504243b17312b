#include "probes/light/known_chains.hpp"

#include "context/probe.hpp"

#include <alloca.h>
#include <gtest/gtest.h>
#include <memory>

namespace abut::light {
namespace {

using context::ChainTable;
using context::Frame;

struct Asked {
  ChainTable table;
  KnownChains known;
  bool remembers = false;
  uint16_t id = 0;       // as the table has it
  uint16_t known_id = 0; // at first glance, before anything is remembered
};

[[gnu::noinline]] void ask(Asked &asked) {
  probe(
      [](Frame frame, void *argument) -> void * {
        auto &to = *static_cast<Asked *>(argument);
        to.known_id = to.known.context_at(frame);
        to.id = to.table.find(frame)->id;
        if (to.remembers) to.known.remember(to.table, frame);
        return nullptr;
      },
      &asked);
  asm volatile("" ::: "memory");
}

[[gnu::noinline]] void ask_from_rsp(Asked &asked) {
  ask(asked);
  asm volatile("" ::: "memory");
}

// Where their frames end, rbp alone tells: the inner one's own, and for the outer one what the inner one saved.
[[gnu::noinline]] void ask_from_rbp(Asked &asked, size_t bytes) {
  volatile auto *room = static_cast<volatile char *>(alloca(bytes));
  room[0] = 1;
  ask(asked);
  asm volatile("" ::: "memory");
}
[[gnu::noinline]] void outer_of_rbp(Asked &asked, size_t bytes) {
  volatile auto *room = static_cast<volatile char *>(alloca(bytes));
  room[0] = 1;
  ask_from_rbp(asked, 2 * bytes);
  asm volatile("" ::: "memory");
}

[[gnu::noinline]] void outer_of_rsp(Asked &asked) {
  ask_from_rsp(asked);
  asm volatile("" ::: "memory");
}

std::unique_ptr<Asked> asked_in(context::ChainMode mode) {
  auto asked = std::make_unique<Asked>();
  asked->table.configure(mode);
  return asked;
}

TEST(KnownChains, WhatIsRememberedIsKnownAndNothingElse) {
  const auto asked = asked_in(context::ChainMode::four);
  ask(*asked);
  EXPECT_EQ(asked->known_id, 0);
  for (int round = 0; round < 3; ++round) {
    asked->remembers = round == 0;
    outer_of_rsp(*asked);
    EXPECT_EQ(asked->known_id, round == 0 ? 0 : asked->id);
  }
  const uint16_t id = asked->id;
  ask_from_rsp(*asked); // another call, and another chain
  EXPECT_NE(asked->id, id);
  EXPECT_EQ(asked->known_id, 0);
}

TEST(KnownChains, AFrameThatRbpTellsTheEndOfIsFollowed) {
  const auto asked = asked_in(context::ChainMode::four);
  for (size_t bytes = 16; bytes < 4096; bytes *= 2) {
    asked->remembers = bytes == 16;
    outer_of_rbp(*asked, bytes);
    EXPECT_EQ(asked->known_id, bytes == 16 ? 0 : asked->id) << bytes;
  }
}

// Both chains begin with the same step. For the first, rbp need not be restored there; for the other it must.
TEST(KnownChains, AStepOfBothKindsOfChainsServesBoth) {
  const auto asked = asked_in(context::ChainMode::four);
  uint16_t plain = 0, framed = 0;
  for (int round = 0; round < 4; ++round) {
    asked->remembers = round == 0;
    outer_of_rsp(*asked);
    EXPECT_EQ(asked->known_id, round == 0 ? 0 : plain) << round;
    plain = asked->id;
    asked->remembers = round == 1;
    outer_of_rbp(*asked, size_t{64} << round);
    EXPECT_EQ(asked->known_id, round < 2 ? 0 : framed) << round;
    framed = asked->id;
    EXPECT_NE(plain, framed);
  }
}

TEST(KnownChains, NothingIsKnownAfterAllIsForgotten) {
  const auto asked = asked_in(context::ChainMode::two);
  for (int round = 0; round < 2; ++round) {
    asked->remembers = true;
    outer_of_rsp(*asked);
    asked->known.forget();
  }
  EXPECT_EQ(asked->known_id, 0);
}

} // namespace
} // namespace abut::light

// The format of a plan file, version 2. It is used as it lies: numbers are little-endian.
//
//   Header, then `modules` Modules, `contexts` Contexts, `pools` Pools and `slots` coded Slots, with nothing in between.
//
// A plan is memory that is kept for objects: for each context the places of its first objects, in the order of birth, or
// the pool that all of them go to. Places are 16-byte granules from the begin of that memory.
//
// A slot is coded after the one before it in its context; the first one as if after a slot of no size at the begin:
//
//   move   how far it begins behind the end of the one before, m: four times m, or 4 (-m - 1) + 2 where m is below 0; plus
//          one if it is of another size. In seven bits a byte, the low ones first; the eighth is set where more follow
//   size   only if it is of another one: a byte `requested`, a byte `kept`
//
// One that is left to the heap ends where the one before it does; its move has no meaning.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace abut::plan {

inline constexpr std::array<char, 8> kMagic = {'a', 'b', 'u', 't', 'p', 'l', 'n', '\n'};
inline constexpr uint32_t kVersion = 2;
inline constexpr uint32_t kMostSteps = 4;
inline constexpr uint32_t kMostModules = 1 << 12;
inline constexpr uint32_t kMostContexts = 1 << 20;
inline constexpr uint32_t kMostPools = 1 << 8;
inline constexpr uint64_t kMostSlots = uint64_t{1} << 30;
inline constexpr uint32_t kGranule = 16;                  // bytes
inline constexpr uint64_t kMostBytes = uint64_t{1} << 36; // of a plan's memory
inline constexpr uint32_t kMostObject = 512 / kGranule;   // granules: what slots and pools are for
inline constexpr uint32_t kPoolAlign = 4096;              // bytes

struct Header {
  std::array<char, 8> magic;
  uint32_t version;
  uint32_t steps; // of a context's chain, at the most
  uint64_t file_bytes;
  uint64_t checksum; // XXH3-64 of all that follows the header
  uint64_t memory_bytes;
  uint32_t modules, contexts, pools, reserved;
  uint64_t slots;
  std::array<char, 56> strategy; // how it was made; ends in zeroes
  uint64_t head_checksum;        // XXH3-64 of what comes before, in the header
};
static_assert(sizeof(Header) == 128);

// A program or library, by its GNU build-id. The first one is the program that was recorded.
struct Module {
  std::array<uint8_t, 20> build_id; // ends in zeroes where it is shorter
  uint32_t length;                  // bytes
};
static_assert(sizeof(Module) == 24);

// A call in a module: the last byte of the call instruction, as an offset that is the same wherever it is loaded.
struct Step {
  uint32_t module; // from 1; 0 ends the chain
  uint32_t offset;
};

struct Context {
  std::array<Step, kMostSteps> steps; // innermost first
  uint64_t first_byte;                // of its slots, which lie behind those of the context before
  uint32_t slots;
  uint32_t pool; // from 1; 0: none. Where there is one, there are no slots
};
static_assert(sizeof(Context) == 48);

// Where each of the contexts' objects is put after the one before it. All pools lie behind all slots.
struct Pool {
  uint64_t offset; // bytes, a multiple of a page
  uint64_t bytes;
};

struct Slot {
  uint32_t offset;    // granules
  uint16_t requested; // granules: an object of this size takes it
  uint16_t kept;      // granules: to which it may grow there; 0: it is left to the heap
};
static_assert(sizeof(Slot) == 8);

// A plan that was found sound: parts of the file's bytes, which must outlive it.
struct View {
  const Header *header = nullptr;
  std::span<const Module> modules;
  std::span<const Context> contexts;
  std::span<const Pool> pools;
  std::span<const uint8_t> slots; // coded
};

// Null where every byte of the file is as it should be, and `view` is then set; else what is wrong with it. The bytes
// begin at a multiple of 8.
const char *check(std::span<const uint8_t> file, View &view);

// XXH3-64, for those who write plans.
uint64_t checksum(std::span<const uint8_t> bytes);

} // namespace abut::plan

#include "allocators/catalogue.hpp"

#include "allocators/chunk_heaps.hpp"
#include "allocators/phk.hpp"
#include "allocators/vam.hpp"

#include <cstring>
#include <iterator>

namespace abut::allocators {
namespace {

template <layers::Heap Below>
constexpr Calls kCalls = {
    sizeof(Below),
    [](void *self, Grain grain) { new (self) Below(grain); },
    [](void *self, size_t bytes, size_t align) {
      return static_cast<Below *>(self)->allocate(bytes, align);
    },
    [](void *self, void *block) { return static_cast<Below *>(self)->release(block); },
    [](void *self, const void *block) { return static_cast<Below *>(self)->usable(block); },
    [](void *self) {
      if constexpr (requires(Below & heap) { heap.settle(); }) static_cast<Below *>(self)->settle();
    },
};

constexpr const char *kVam = "Feng and Berger 2005";
constexpr const char *kRezaei = "Rezaei and Kavi";

constexpr Entry kEntries[] = {
    {"lea", "Lea's: quick lists, approximate best fit, boundary tags", kVam, "2.1", &kCalls<Lea>},
    {"phk", "PHKmalloc: powers of two in pages with bitmaps, lowest page first", kVam, "2.2",
     &kCalls<Phk>},
    {"phk-sc", "PHKmalloc with exact size classes", kVam, "4.3", &kCalls<PhkSc>},
    {"phk-reap", "PHKmalloc with reaps for bitmaps", kVam, "4.3", &kCalls<PhkReap>},
    {"phk-sc-reap", "PHKmalloc with exact size classes and reaps", kVam, "4.3", &kCalls<PhkScReap>},
    {"vam", "Vam: exact classes in pages with reaps, no headers below 128 bytes", kVam, "3",
     &kCalls<Vam>},
    {"vam-header", "Vam with headers on small blocks", kVam, "4.3", &kCalls<VamHeader>},
    {"vam-bitmap", "Vam with bitmaps for reaps", kVam, "4.3", &kCalls<VamBitmap>},
    {"reap", "a reap: a region until something is freed, with headers", kVam, "2.3", &kCalls<Reap>},
    {"xalloc", "parser's own: a stack that waits until all at its end is free", kVam, "4.5",
     &kCalls<Xalloc>},
    {"abt", "address-ordered binary tree: better fit, coalescing", kRezaei, "2.2", &kCalls<Abt>},
    {"abt-first", "address-ordered binary tree by first fit", kRezaei, "2.2", &kCalls<AbtFirst>},
    {"cartesian", "Stephenson's Cartesian tree: the longest chunk is the root", kRezaei, "2.1",
     &kCalls<Cartesian>},
};

} // namespace

const Entry *allocator_at(size_t index) {
  return index < std::size(kEntries) ? &kEntries[index] : nullptr;
}

const Entry *find_allocator(const char *name) {
  for (const Entry &entry : kEntries)
    if (std::strcmp(entry.name, name) == 0) return &entry;
  return nullptr;
}

bool Instance::open(const Entry &entry, Grain grain) {
  self_ = os::map(round_up(entry.calls->bytes, kPageBytes));
  if (self_ == nullptr) return false;
  entry.calls->open(self_, grain);
  calls_ = entry.calls;
  return true;
}

} // namespace abut::allocators

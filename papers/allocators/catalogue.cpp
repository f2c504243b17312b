#include "allocators/catalogue.hpp"

#include "allocators/chunk_heaps.hpp"
#include "allocators/phk.hpp"
#include "allocators/vam.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace abut::allocators {
namespace {

// A heap that counts what is asked of it.
template <layers::Heap Below>
class Whole {
public:
  explicit Whole(Grain grain) : below_(grain) {}

  void *allocate(size_t bytes, size_t align) {
    void *block = below_.allocate(bytes, align);
    if (block == nullptr) return nullptr;
    ++counts_.allocations;
    counts_.requested += bytes;
    counts_.live_bytes += below_.usable(block);
    counts_.most_live_bytes = std::max(counts_.most_live_bytes, counts_.live_bytes);
    return block;
  }

  layers::Release release(void *block) {
    const size_t bytes = below_.usable(block);
    const layers::Release result = below_.release(block);
    if (result != layers::Release::done) return result;
    ++counts_.releases;
    counts_.live_bytes -= bytes;
    return result;
  }

  size_t usable(const void *block) { return below_.usable(block); }

  void settle() {
    if constexpr (requires { below_.settle(); }) below_.settle();
  }

  const Counts &counts() const { return counts_; }

private:
  Below below_;
  Counts counts_;
};

template <layers::Heap Below>
constexpr Calls kCalls = {
    sizeof(Whole<Below>),
    [](void *self, Grain grain) { new (self) Whole<Below>(grain); },
    [](void *self, size_t bytes, size_t align) {
      return static_cast<Whole<Below> *>(self)->allocate(bytes, align);
    },
    [](void *self, void *block) { return static_cast<Whole<Below> *>(self)->release(block); },
    [](void *self, const void *block) {
      return static_cast<Whole<Below> *>(self)->usable(const_cast<void *>(block));
    },
    [](void *self) { static_cast<Whole<Below> *>(self)->settle(); },
    [](void *self) -> const Counts & { return static_cast<Whole<Below> *>(self)->counts(); },
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
    {"kingsley", "Kingsley's: powers of two with headers, never given back", kVam, "2.2",
     &kCalls<Kingsley>},
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

// malloc and its kin over groups' pools, for what the product does not do: call sites say the group themselves (patcher.hpp);
// or, to measure what pools cost and headers would, all that pools need is done and objects stay in the plain heap, or each
// object has a header. ABUT_DPA says which.
#include "api/calls.hpp"
#include "api/export.hpp"
#include "api/new_handlers.hpp"
#include "api/served.hpp"
#include "context/entry_stub.hpp"
#include "dpa/api/patcher.hpp"
#include "os/environment.hpp"
#include "os/file.hpp"
#include "os/message.hpp"
#include "placement/pools/grouping.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

using namespace abut;
using context::Frame;

namespace {

enum class Variant : uint8_t { patched, forwarded, padded };
Variant variant = Variant::patched;

constexpr size_t kHeader = heap::Granules::kBytes;

// What is requested before lies as where call sites say the group.
__attribute__((constructor(101))) void choose_variant() {
  char name[16];
  if (!os::environment_value("ABUT_DPA", name, sizeof name)) return;
  if (std::strcmp(name, "forwarded") == 0) variant = Variant::forwarded;
  if (std::strcmp(name, "padded") == 0) variant = Variant::padded;
}

struct Counts {
  uint64_t by_code = 0;   // requests whose group the call site said
  uint64_t looked_up = 0; // and whose call chain was looked up
} counts;

// Once for each chain, when its group has got a pool.
void patch_chain(Frame frame, size_t bytes) {
  static bool tried[1 << 16];
  context::Entry *leaf = context::chain_table.find(frame);
  if (tried[leaf->id] || leaf == context::chain_table.catch_all()) return;
  const group::Group *group = group::shape_graph.group_of(leaf, bytes, *frame.sp);
  if (group == nullptr || group->pool.load(std::memory_order_relaxed) == group::kNoPool) return;
  tried[leaf->id] = true;
  Address chain[context::ChainTable::kDeepestAdaptive];
  if (leaf->depth > std::size(chain)) return;
  const unsigned length = context::chain_table.capture(frame, chain, leaf->depth);
  if (length == leaf->depth) dpa::patch({chain, length}, group->id);
}

// As under the product's pools.
void *allocate_by_group(size_t bytes, Frame frame) {
  return group::may_have_pool(bytes, *frame.sp) ? group::allocate(bytes, frame)
                                                : heap::allocate(bytes);
}

void *allocate_as_named(size_t bytes, Frame frame) {
  if (const auto recorded = static_cast<group::GroupId>(std::exchange(dpa::noted_group, 0U)))
    if (void *block = group::allocate_in(group::shape_graph.at(recorded), bytes)) {
      bump(counts.by_code);
      return block;
    }
  void *block = allocate_by_group(bytes, frame);
  constexpr uint64_t kOften = 17; // a prime: in a loop that requests in turn, each one's turn comes
  bump(counts.looked_up);
  if (counts.looked_up % kOften == 0 && bytes - 1 < group::formation.most_bytes)
    patch_chain(frame, bytes);
  return block;
}

// Where an object may lie in a pool.
size_t with_header(size_t bytes) {
  return bytes <= group::formation.most_bytes ? bytes + kHeader : bytes;
}

// The thread's own heap stands for each of its pools.
void *allocate_forwarded(size_t bytes, Frame frame) {
  heap::LocalHeap *heap = heap::current;
  if (heap->number() != 0)
    if (group::ThreadPools *pools = group::thread_pools(heap);
        pools != nullptr && pools->heaps[1] != heap)
      std::fill(std::begin(pools->heaps), std::end(pools->heaps), heap);
  return allocate_by_group(bytes, frame);
}

void *allocate(size_t bytes, Frame frame) {
  switch (variant) {
  case Variant::forwarded: return allocate_forwarded(bytes, frame);
  case Variant::padded: return allocate_by_group(with_header(bytes), frame);
  case Variant::patched: break;
  }
  return allocate_as_named(bytes, frame);
}

// How often which, as JSON in the file that ABUT_PATCH_FILE names, when the program ends.
__attribute__((destructor(101))) void write_counts() {
  constexpr size_t kLongestPath = 512;
  char path[kLongestPath];
  if (!os::environment_value("ABUT_PATCH_FILE", path, sizeof path)) return;
  os::Message text;
  text << "{\"by_code\": " << counts.by_code << ", \"looked_up\": " << counts.looked_up << "}\n";
  const int file = os::create_file(path);
  if (file < 0) return;
  os::write_file(file, text.text(), text.length());
  os::close_file(file);
}

} // namespace

ABUT_BODY void *dpa_malloc(size_t bytes, const Address *sp, Address rbp) {
  return entry::or_no_memory(allocate(bytes, {sp, rbp}));
}

ABUT_BODY void *dpa_calloc(size_t count, size_t each, const Address *sp, Address rbp) {
  size_t bytes = 0;
  if (__builtin_mul_overflow(count, each, &bytes)) return entry::or_no_memory(nullptr);
  if (bytes - 1 >= group::formation.most_bytes) {
    dpa::noted_group = 0;
    return entry::or_no_memory(heap::allocate_zeroed(bytes));
  }
  void *memory = dpa_malloc(bytes, sp, rbp);
  return memory != nullptr ? std::memset(memory, 0, bytes) : nullptr;
}

ABUT_BODY void *dpa_realloc(void *memory, size_t bytes, const Address *sp, Address rbp) {
  if (memory == nullptr) return dpa_malloc(bytes, sp, rbp);
  dpa::noted_group = 0;
  if (bytes == 0) return entry::release("realloc", memory), nullptr;
  const heap::Resized result = heap::resize("realloc", memory, bytes);
  return result.foreign ? entry::resize_foreign("realloc", memory, bytes)
                        : entry::or_no_memory(result.memory);
}

ABUT_BODY void *dpa_new(size_t bytes, const Address *sp, Address rbp) {
  return entry::allocate_or_throw([=] { return allocate(bytes, {sp, rbp}); });
}

ABUT_ENTRY_STUB_1(malloc, dpa_malloc);
ABUT_ENTRY_STUB_2(calloc, dpa_calloc);
ABUT_ENTRY_STUB_2(realloc, dpa_realloc);
ABUT_ENTRY_STUB_1(_Znwm, dpa_new);
ABUT_ENTRY_STUB_1(_Znam, dpa_new);

#include "api/derived_calls.hpp"
#include "api/every_delete.hpp"
#include "api/more_new.hpp"

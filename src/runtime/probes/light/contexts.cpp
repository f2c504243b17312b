#include "probes/light/contexts.hpp"

#include "context/module_list.hpp"
#include "probes/ring/ring_writer.hpp"

#include <cstring>
#include <mutex>

namespace abut::light {

using ring::Kind;
using ring::Word;

// Whole pages of their own, as `announced` below: a forked child lets go of them, see forget_contexts().
alignas(kPageBytes) constinit KnownSites known_sites;
alignas(kPageBytes) constinit KnownChains known_chains;

namespace {

// The generation of the chain table in which each context was announced.
alignas(kPageBytes) constinit std::atomic<uint16_t> announced[context::ChainTable::kSlots];

constexpr size_t kMostPath = (ring::kMostRecord - 8) * sizeof(Word);

constinit os::SpinLock lock;
constinit context::ModuleList modules; // that the collector knows
bool has_missed = false;               // one of them

// One number of a line such as `7f…000-7f…000 r-xp 00001000 08:01 1234   /usr/lib/…`.
const char *read_hexadecimal(const char *at, const char *end, Word &number) {
  for (number = 0; at < end; ++at) {
    const char digit = *at;
    if (digit >= '0' && digit <= '9')
      number = number << 4 | static_cast<Word>(digit - '0');
    else if (digit >= 'a' && digit <= 'f')
      number = number << 4 | static_cast<Word>(digit - 'a' + 10);
    else
      break;
  }
  return at;
}

// Passes on what mappings can run and have a file.
void announce_mapping(void *, const char *line, size_t length) {
  const char *end = line + length;
  Word words[ring::kMostRecord - 1];
  Word last = 0;
  const char *at = read_hexadecimal(line, end, words[0]);
  if (at < end) at = read_hexadecimal(at + 1, end, last);
  if (end - at < 6 || at[3] != 'x') return;
  read_hexadecimal(at + 6, end, words[2]);
  words[1] = last - words[0];
  const auto *path = static_cast<const char *>(std::memchr(at, '/', static_cast<size_t>(end - at)));
  if (path == nullptr) return;
  const auto path_length = static_cast<size_t>(end - path);
  if (path_length > kMostPath) return;
  if (!ring::writer.begin()) {
    has_missed = true;
    return;
  }
  const size_t path_words = (path_length + sizeof(Word) - 1) / sizeof(Word);
  words[2 + path_words] = 0;
  std::memcpy(words + 3, path, path_length);
  ring::writer.put(event(Kind::module_, path_length), words, 3 + path_words);
  ring::writer.end();
}

void announce_unloaded(context::CodeRange range) {
  if (!ring::writer.begin()) return;
  const Word words[] = {range.begin, range.end - range.begin};
  ring::writer.put(event(Kind::unload, 0), words, 2);
  ring::writer.end();
}

// Announces to the collector the chain that ends in `frame`, and of the modules that it goes through.
void announce(context::Frame frame, const context::Entry *leaf, uint16_t generation) {
  if (leaf->id == 0) return;
  Address chain[context::ChainTable::kDeepest];
  const unsigned depth = context::chain_table.capture(frame, chain, leaf->depth);
  modules.drop_unloaded(announce_unloaded);
  bool is_new = false;
  for (unsigned i = 0; i < depth; ++i)
    if (!modules.holds(chain[i])) is_new |= modules.add(chain[i]);
  has_missed = false;
  if (is_new) os::each_mapping(announce_mapping, nullptr);
  if (has_missed) modules = context::ModuleList();
  if (has_missed || !ring::writer.begin()) return; // it is announced another time
  ring::writer.put(event(Kind::context, leaf->id | Word{depth} << 16), chain, depth);
  ring::writer.end();
  ring::make_all_read_clock();
  announced[leaf->id].store(generation, std::memory_order_release);
}

uint16_t known_in = 0; // the generation in which the known sites are known

// Whether the fast path could do with the site alone.
bool ends_at_site(const context::Entry *leaf) {
  return leaf->depth == 1 && leaf->kind.load(std::memory_order_relaxed) == context::EntryKind::leaf;
}

void remember(context::Frame frame, const context::Entry *leaf, uint16_t generation) {
  if (known_in != generation) {
    known_sites.forget();
    known_chains.forget();
  }
  known_in = generation;
  if (announced[leaf->id].load() != generation) return;
  if (ends_at_site(leaf))
    known_sites.remember(*frame.sp, leaf->id);
  else
    known_chains.remember(context::chain_table, frame);
}

} // namespace

uint16_t context_of(context::Frame frame) {
  const context::Entry *leaf = context::chain_table.find(frame);
  const uint16_t generation = context::chain_table.generation();
  const bool is_announced = announced[leaf->id].load(std::memory_order_acquire) == generation;
  if (is_announced && (!ends_at_site(leaf) || known_sites.context_at(*frame.sp) == leaf->id))
      [[likely]]
    return leaf->id;
  const std::lock_guard guard(lock);
  if (announced[leaf->id].load() != generation) announce(frame, leaf, generation);
  remember(frame, leaf, generation);
  return leaf->id;
}

void lock_contexts() { lock.lock(); }
void unlock_contexts() { lock.unlock(); }

// In a forked child, pages that it writes to are copied: what is given back reads as zero without that.
void forget_contexts() {
  static_assert((sizeof announced | sizeof known_sites | sizeof known_chains) % kPageBytes == 0);
  os::clear_pages(announced, sizeof announced);
  os::clear_pages(static_cast<void *>(&known_sites), sizeof known_sites);
  os::clear_pages(static_cast<void *>(&known_chains), sizeof known_chains);
  modules = context::ModuleList();
}

} // namespace abut::light

// Page blocks: runs of pages that are cut into cells of one size.
#pragma once

#include "allocators/layers/orders.hpp"
#include "allocators/layers/page_manager.hpp"
#include "allocators/layers/slots.hpp"

#include <algorithm>

namespace abut::layers {

// What is known of a page block, beside its record.
template <class S>
struct PageBlock {
  uint32_t each = 0; // bytes of a cell
  uint32_t count = 0;
  uint32_t used = 0;
  uint32_t size_class = 0;
  S slots;
};

// How page blocks are: which sizes there are (SizeClasses), how a block knows its free cells (Slots), which block of a
// class serves, how many bytes at the beginning of each cell are not the program's (0 or 8), whether the block's record
// lies in its page where cells are small, as PHKmalloc's does, and how many pages a block has.
template <class C, class S, template <class> class O, size_t kCellHeader, bool kInPage,
          uint32_t kPages>
struct BlockPolicy {
  using Classes = C;
  using Slots = S;
  template <class Record>
  using Order = O<Record>;
  static constexpr size_t kHeader = kCellHeader;
  static constexpr bool kRecordInPage = kInPage;
  static constexpr Pages kBlock{kPages};
};

template <class Policy, class Manager>
class SegregatedPages {
  using Classes = typename Policy::Classes;
  using Slots = typename Policy::Slots;
  using Block = PageBlock<Slots>;
  using Record = typename Manager::Record;
  static_assert(SizeClasses<Classes> && layers::Slots<Slots, Cells>);

public:
  static constexpr size_t kMax = Classes::kMax;

  SegregatedPages(Manager &manager, Grain grain) : manager_(manager), grain_(grain) {}

  // Whether there is a class for such blocks.
  bool serves(size_t bytes, size_t align) const { return cell_bytes(bytes, align) <= kMax; }

  // A block that serves(); null where memory is exhausted.
  void *allocate(size_t bytes, size_t align) {
    const unsigned size_class = Classes::index(cell_bytes(bytes, align));
    auto &available = available_[size_class];
    Record *record = available.front();
    if (record == nullptr) {
      record = add_block(size_class);
      if (record == nullptr) return nullptr;
    }
    Block &block = block_of(record);
    void *cell = block.slots.take(cells(record, block));
    if (++block.used == block.count) available.remove(record);
    return after_header(cell);
  }

  Release release(void *memory) {
    void *cell = before_header(memory);
    Record *record = Manager::head_of(cell);
    if (record == nullptr) return Release::not_a_block;
    Block &block = block_of(record);
    const Cells all = cells(record, block);
    if (!all.is_cell(cell)) return Release::not_a_block;
    if (!block.slots.give(all, cell)) return Release::already_free;
    auto &available = available_[block.size_class];
    if (block.used == block.count) available.add(record);
    if (--block.used == 0) {
      available.remove(record);
      manager_.give(record);
    }
    return Release::done;
  }

  // The length of `block`; 0 where none begins there.
  static size_t usable(const void *block) {
    const void *cell = before_header(block);
    Record *record = Manager::head_of(cell);
    if (record == nullptr) return 0;
    const Block &all = block_of(record);
    return cells(record, all).is_cell(cell) ? all.each - Policy::kHeader : 0;
  }

private:
  // Cells of so many bytes begin where their page does, so that they are aligned as their size is.
  static constexpr size_t kNeverInPage = 128;

  size_t cell_bytes(size_t bytes, size_t align) const {
    if constexpr (Policy::kHeader != 0)
      return align <= bytes_of(grain_) ? rounded(bytes + Policy::kHeader, grain_) : kMax + 1;
    if (Policy::kRecordInPage && align > 16) bytes = std::max(bytes, kNeverInPage);
    return round_up(rounded(bytes, grain_), align);
  }

  static void *before_header(const void *block) {
    return const_cast<char *>(static_cast<const char *>(block)) - Policy::kHeader;
  }
  static void *after_header(void *cell) {
    if (Policy::kHeader == 0 || cell == nullptr) return cell;
    *static_cast<size_t *>(cell) = 1; // written as where all of it is needed
    return static_cast<char *>(cell) + Policy::kHeader;
  }

  // Where cells are longer than the record, one of them would be too much for it.
  static constexpr bool is_in_page(size_t each) {
    return Policy::kRecordInPage && each <= sizeof(Block);
  }

  static Block &block_of(Record *record) {
    Block &in_record = record->data;
    if constexpr (Policy::kRecordInPage)
      if (is_in_page(in_record.each)) return *reinterpret_cast<Block *>(record->memory());
    return in_record;
  }

  static Cells cells(const Record *record, const Block &block) {
    const size_t offset = is_in_page(block.each) ? round_up(sizeof(Block), 16) : Policy::kHeader;
    return {record->memory() + offset, block.each, block.count};
  }

  Record *add_block(unsigned size_class) {
    const size_t each = Classes::size(size_class);
    Record *record = manager_.take(Policy::kBlock);
    if (record == nullptr) return nullptr;
    record->data.each = static_cast<uint32_t>(each);
    Block &block = *new (&block_of(record)) Block;
    block.each = static_cast<uint32_t>(each);
    block.size_class = size_class;
    const size_t lost = cells(record, block).begin - record->memory();
    block.count = static_cast<uint32_t>((record->run.bytes() - lost) / each);
    available_[size_class].add(record);
    return record;
  }

  Manager &manager_;
  Grain grain_;
  typename Policy::template Order<Record> available_[Classes::kCount];
};

} // namespace abut::layers

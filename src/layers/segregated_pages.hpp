// Page blocks: runs of pages that are cut into cells of one size, without headers.
#pragma once

#include "layers/page_manager.hpp"
#include "layers/slots.hpp"

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

// New page blocks, and those that were full, are used first, whatever their address (Vam, section 3.5).
template <class Record>
class NewestFirst {
public:
  Record *front() const { return blocks_.front(); }
  void add(Record *block) { blocks_.push_front(block); }
  void remove(Record *block) { blocks_.remove(block); }

private:
  List<Record, &Record::link> blocks_;
};

// The page block with the lowest address that has room is used first (PHKmalloc).
template <class Record>
class LowestFirst {
public:
  Record *front() const { return blocks_.front(); }
  void add(Record *block) { blocks_.insert(block); }
  void remove(Record *block) { blocks_.remove(block); }

private:
  OrderedList<Record> blocks_;
};

// `Policy` says how:
//   Classes            which sizes there are (SizeClasses)
//   Slots              how a block knows its free cells
//   Order              which block of a class serves
//   pages(each)        how many pages a block of cells of `each` bytes has
//   kOffset            bytes before the first cell: for headers that shall end at a multiple of sixteen
//   kRecordInPage      whether the block's record lies in its first page where cells are small, as PHKmalloc's does
template <class Policy, class Manager>
class SegregatedPages {
  using Classes = typename Policy::Classes;
  using Slots = typename Policy::Slots;
  using Block = PageBlock<Slots>;
  using Record = typename Manager::Record;
  static_assert(SizeClasses<Classes> && layers::Slots<Slots, Cells>);

public:
  static constexpr size_t kMax = Classes::kMax;

  explicit SegregatedPages(Manager &manager) : manager_(manager) {}

  // A cell for `bytes`, of 1 to kMax; null where memory is exhausted.
  void *allocate(size_t bytes) {
    const unsigned size_class = Classes::index(bytes);
    auto &available = available_[size_class];
    Record *record = available.front();
    if (record == nullptr) {
      record = add_block(size_class);
      if (record == nullptr) return nullptr;
    }
    Block &block = block_of(record);
    void *cell = block.slots.take(cells(record, block));
    if (++block.used == block.count) available.remove(record);
    return cell;
  }

  Release release(void *cell) {
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

  // The length of the cell that begins at `cell`; 0 where none does.
  static size_t usable(const void *cell) {
    Record *record = Manager::head_of(cell);
    if (record == nullptr) return 0;
    const Block &block = block_of(record);
    return cells(record, block).is_cell(cell) ? block.each : 0;
  }

private:
  // Not more than two cells of a page are given up for its record.
  static constexpr bool is_in_page(size_t each) {
    return Policy::kRecordInPage && 2 * each <= sizeof(Block) + each;
  }

  static Block &block_of(Record *record) {
    Block &in_record = record->data;
    if constexpr (Policy::kRecordInPage)
      if (is_in_page(in_record.each)) return *reinterpret_cast<Block *>(record->memory());
    return in_record;
  }

  static Cells cells(const Record *record, const Block &block) {
    const size_t offset = is_in_page(block.each) ? round_up(sizeof(Block), 16) : Policy::kOffset;
    return {record->memory() + offset, block.each, block.count};
  }

  Record *add_block(unsigned size_class) {
    const size_t each = Classes::size(size_class);
    Record *record = manager_.take(Policy::pages(each));
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
  typename Policy::template Order<Record> available_[Classes::kCount];
};

} // namespace abut::layers

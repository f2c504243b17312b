#include "placement/friends/expression.hpp"

#include "heap/huge_blocks.hpp"

#include <link.h>

extern "C" void *
    __libc_stack_end; // NOLINT(bugprone-reserved-identifier): the loader's: where the first thread's stack began

namespace abut::near {

Address first_stack_end = 0;

namespace {

struct Table {
  Expression all[kExpressions]{};
  unsigned count = 0;
  unsigned plain = 0;
  Alike alike[kMostAlike]{};
  unsigned alike_count = 0;
  Alike far[Captured::kRegisters]{};

  constexpr void add(Expression expression) {
    if (expression.base == Captured::kReturnAddress) return;
    const Expression &last = all[count == 0 ? 0 : count - 1];
    if (count == 0 || last.base != expression.base || last.index != expression.index ||
        last.loads != expression.loads)
      alike[alike_count++] = {static_cast<uint16_t>(count), 0};
    ++alike[alike_count - 1].count;
    all[count++] = expression;
  }

  constexpr void add_far(unsigned base) {
    const unsigned first = count;
    for (unsigned offset = kFarMember; offset < kFarMembersEnd; offset += sizeof(Address))
      all[count++] = {static_cast<uint8_t>(base), Expression::kNone, 1, 1, 0, offset};
    far[base] = {static_cast<uint16_t>(first), static_cast<uint16_t>(count - first)};
  }
};

constexpr uint8_t byte(unsigned n) { return static_cast<uint8_t>(n); }
constexpr int16_t offset_of(unsigned n) { return static_cast<int16_t>(n); }

constexpr Table make_table() {
  constexpr unsigned kNearest = 20; // registers and the nearest slots
  constexpr uint8_t kNone = Expression::kNone;
  Table table;
  for (unsigned a = 0; a < Captured::kMost; ++a) table.add({byte(a), kNone, 1, 0, 0, 0});
  for (unsigned a = 0; a < kNearest; ++a)
    for (unsigned offset = 0; offset < kFarMember; offset += 8)
      table.add({byte(a), kNone, 1, 1, 0, offset_of(offset)});
  for (unsigned a = 0; a < Captured::kRegisters; ++a)
    for (unsigned inner = 0; inner < 24; inner += 8)
      for (unsigned offset = 0; offset < 32; offset += 8)
        table.add({byte(a), kNone, 1, 2, offset_of(inner), offset_of(offset)});
  for (unsigned a = 0; a < Captured::kRegisters; ++a) table.add_far(a);
  table.plain = table.count;
  for (unsigned a = 0; a < kNearest; ++a)
    for (unsigned b = 0; b < Captured::kRegisters; ++b)
      for (const unsigned scale : {1U, 8U, 16U, 24U, 32U})
        for (unsigned offset = 0; offset < 24 && a != b; offset += 8)
          if (scale != 24 || a < Captured::kRegisters) // as in an array of std::list
            table.add({byte(a), byte(b), byte(scale), 1, 0, offset_of(offset)});
  for (unsigned a = 0; a < Captured::kRegisters; ++a)
    for (unsigned b = 0; b < Captured::kRegisters; ++b)
      for (unsigned inner = 0; inner < 24 && a != b; inner += 8)
        table.add({byte(a), byte(b), 8, 2, offset_of(inner), 0});
  return table;
}

constexpr Table kTable = make_table();

// The writable part of the program itself, from its first page to its last.
Address data_begin = 0;
Address data_end = 0;

int record_program(dl_phdr_info *info, size_t, void *) {
  for (unsigned i = 0; i < info->dlpi_phnum; ++i) {
    const auto &header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD || (header.p_flags & PF_W) == 0) continue;
    const Address begin = info->dlpi_addr + header.p_vaddr;
    if (data_begin == 0) data_begin = begin;
    data_end = begin + header.p_memsz;
  }
  return 1; // the first is the program
}

} // namespace

const Expression *const kAllExpressions = kTable.all;
unsigned expression_count(bool plain_only) { return plain_only ? kTable.plain : kTable.count; }
static_assert(kTable.count <= kExpressions);
std::span<const Alike> alike_near() { return {kTable.alike, kTable.alike_count}; }
std::span<const Alike> alike_far() { return kTable.far; }

uint64_t Reader::load_elsewhere(Address address) const {
  if (can_be_read(address)) return *reinterpret_cast<const uint64_t *>(address);
  if (!heap::is_huge(address) || (asks_first_ && !is_readable(address))) return 0;
  return heap::read_huge(address);
}

// Neighbouring expressions mostly lead to one page.
bool Reader::is_readable(Address address) const {
  const Address page = round_down(address, kPageBytes);
  if (page == readable_page_) return true;
  if (!os::is_readable(reinterpret_cast<const void *>(page))) return false;
  readable_page_ = page;
  return true;
}

bool Reader::can_be_read(Address address) const {
  const bool in_stack = address - captured_.stack() < stack_end_ - captured_.stack();
  const bool in_data = address - data_begin + 8 <= data_end - data_begin;
  return in_stack || in_data;
}

bool Reader::may_lead(const Expression &e) const {
  constexpr uint64_t kMostIndex = uint64_t{1} << 32;
  const uint64_t base = word(e.base);
  const bool in_heap = heap::may_hold_blocks(base);
  if (e.loads == 0) return in_heap;
  const bool leads = in_heap || can_be_read(base) || heap::is_huge(base);
  if (e.index == Expression::kNone) return leads;
  const uint64_t index = word(e.index);
  if (leads) return index != 0 && index < kMostIndex; // zero is tried without an index
  return e.loads == 1 && base < kMostIndex && index >= kMostIndex;
}

void find_static_data() {
  first_stack_end = reinterpret_cast<Address>(__libc_stack_end);
  dl_iterate_phdr(record_program, nullptr);
}

} // namespace abut::near

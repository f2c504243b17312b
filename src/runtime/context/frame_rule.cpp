#include "context/frame_rule.hpp"

#include "context/cfi_program.hpp"
#include "context/loaded_code.hpp"

namespace abut::context {

namespace {

constexpr uint8_t kHeaderVersion = 1;
constexpr uint8_t kSortedTable =
    0x3b; // pairs of 32 bits, relative to the header, as every linker writes them

// The description of the procedure around `pc`, in the table that the linker sorted; 0 where there is none.
Address find_description(CodeRange segment, Address header, Address pc) {
  CfiReader in(header, segment.end);
  const uint8_t version = in.byte(), frame_encoding = in.byte(), count_encoding = in.byte(),
                table_encoding = in.byte();
  if (version != kHeaderVersion || table_encoding != kSortedTable) return 0;
  in.pointer(frame_encoding);
  const uint64_t count = in.number(count_encoding & 0x0f);
  struct Pair {
    int32_t code, description;
  };
  if (!in.ok() || count == 0 || count > (segment.end - in.at()) / sizeof(Pair)) return 0;
  const Address table = in.at();
  const auto pair = [&](uint64_t index) {
    return CfiReader(table + index * sizeof(Pair), segment.end).fixed<Pair>();
  };
  const auto wanted = static_cast<int64_t>(pc - header);
  if (wanted < pair(0).code) return 0;
  uint64_t low = 0;
  for (uint64_t high = count; high - low > 1;) {
    const uint64_t middle = low + (high - low) / 2;
    (pair(middle).code <= wanted ? low : high) = middle;
  }
  return header + static_cast<Address>(int64_t{pair(low).description});
}

// An entry of .eh_frame without its length; nothing where it is the end of the section.
CfiReader open_entry(CodeRange segment, Address at) {
  CfiReader in(segment.holds(at) ? at : segment.end, segment.end);
  const auto length = in.fixed<uint32_t>();
  return in.part(length == 0xffffffff ? in.fixed<uint64_t>() : length);
}

struct CommonEntry {
  CfiFactors factors;
  bool augmented = false, signal = false, understood = false;
  CfiRow row;
};

void read_augmentation(CfiReader &in, Address letters, CommonEntry &entry) {
  CfiReader data = in.part(in.unsigned_leb());
  for (CfiReader letter(letters, in.at()); uint8_t c = letter.byte();) {
    if (c == 'R')
      entry.factors.pointer_encoding = data.byte();
    else if (c == 'L')
      data.byte();
    else if (c == 'P')
      data.number(data.byte() & 0x0f);
    else if (c == 'S')
      entry.signal = true;
    else
      break;
  }
  if (!data.ok()) in.fail();
}

CommonEntry read_common_entry(CodeRange segment, Address at) {
  CommonEntry entry;
  CfiReader in = open_entry(segment, at);
  in.skip(sizeof(uint32_t));
  const uint8_t version = in.byte();
  const Address letters = in.at();
  while (in.byte() != 0) {
  }
  if (version == 4) in.skip(2); // the sizes of an address and of a segment selector
  entry.factors.code = in.unsigned_leb();
  entry.factors.data = in.signed_leb();
  const uint64_t return_register = version == 1 ? in.byte() : in.unsigned_leb();
  const char first = in.ok() ? *reinterpret_cast<const char *>(letters) : '?';
  entry.augmented = first == 'z';
  if (entry.augmented) read_augmentation(in, letters + 1, entry);
  if (!in.ok() || return_register != kDwarfReturnAddress || (first != 'z' && first != 0))
    return entry;
  const CfiRow none;
  entry.understood = run_cfi_program(in, entry.factors, 0, ~Address{0}, none, entry.row);
  return entry;
}

bool fits(int64_t offset) { return offset == static_cast<int32_t>(offset); }

// The rule that a row amounts to, if it is one of those that step() follows.
FrameRule rule_of(const CfiRow &row) {
  using Saved = CfiRow::Saved;
  const bool return_address_below_cfa =
      row.return_address.how == Saved::at_cfa && row.return_address.offset == -8;
  if (!return_address_below_cfa || row.cfa_unknown) return {};
  if (!fits(row.cfa_offset) || !fits(row.rbp.offset)) return {};
  FrameRule rule{static_cast<int32_t>(row.cfa_offset), static_cast<int32_t>(row.rbp.offset)};
  switch (row.rbp.how) {
  case Saved::same: break;
  case Saved::at_cfa: rule.rbp = FrameRule::Rbp::at_cfa; break;
  case Saved::at_rbp: rule.rbp = FrameRule::Rbp::at_rbp; break;
  default: return {};
  }
  if (row.cfa_expression)
    rule.form = FrameRule::Form::through_rbp;
  else if (row.cfa_register == kDwarfRsp)
    rule.form = FrameRule::Form::from_rsp;
  else if (row.cfa_register == kDwarfRbp)
    rule.form = FrameRule::Form::from_rbp;
  return rule;
}

} // namespace

Procedure find_procedure(Address return_address) {
  const Address pc = return_address - 1; // the call itself: what follows may be another procedure
  const LoadedObject object = object_around(pc);
  if (!object || object.frame_header == 0) return {};
  const CodeRange segment = segment_around(object, object.frame_header, false);
  const Address description = find_description(segment, object.frame_header, pc);
  if (description == 0) return {};
  CfiReader in = open_entry(segment, description);
  const Address back_from = in.at();
  const CommonEntry common = read_common_entry(segment, back_from - in.fixed<uint32_t>());
  if (!common.understood) return {};
  const Address begin = in.pointer(common.factors.pointer_encoding);
  const Address length = in.number(common.factors.pointer_encoding & 0x0f);
  if (common.augmented) in.skip(in.unsigned_leb());
  const CodeRange code{begin, begin + length};
  if (!in.ok() || !code.holds(pc) || common.signal) return {};
  CfiRow row = common.row;
  if (!run_cfi_program(in, common.factors, begin, pc, common.row, row)) return {{}, code};
  return {rule_of(row), code};
}

} // namespace abut::context

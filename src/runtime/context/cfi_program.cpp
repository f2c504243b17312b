#include "context/cfi_program.hpp"

namespace abut::context {

namespace {

constexpr unsigned kMostRemembered = 8;
constexpr uint8_t kOpBreg6 = 0x76; // DW_OP_breg6: rbp + a number
constexpr uint8_t kOpDeref = 0x06;

class Machine {
public:
  Machine(CfiReader program, const CfiFactors &factors, Address from, const CfiRow &initial,
          CfiRow &row)
      : in_(program), factors_(factors), location_(from), initial_(initial), row_(row) {}

  bool run(Address to) {
    while (!in_.done() && known_) {
      const uint8_t code = in_.byte();
      if (!advance(code)) operate(code);
      if (location_ > to && in_.ok()) return known_;
    }
    return in_.ok() && known_;
  }

private:
  using Saved = CfiRow::Saved;

  // Whether `code` moves on to a later instruction of the program that is described.
  bool advance(uint8_t code) {
    if ((code & 0xc0) == 0x40) return location_ += (code & 0x3f) * factors_.code, true;
    switch (code) {
    case 0x01: return location_ = in_.pointer(factors_.pointer_encoding), true;
    case 0x02: return location_ += in_.byte() * factors_.code, true;
    case 0x03: return location_ += in_.fixed<uint16_t>() * factors_.code, true;
    case 0x04: return location_ += in_.fixed<uint32_t>() * factors_.code, true;
    default: return false;
    }
  }

  void operate(uint8_t code) {
    if ((code & 0xc0) == 0x80) return save(code & 0x3f, Saved::at_cfa, data_unsigned());
    if ((code & 0xc0) == 0xc0) return restore(code & 0x3f);
    if (code >= 0x0c && code <= 0x13 && code != 0x10 && code != 0x11) return define_cfa(code);
    const bool names_register = (code >= 0x05 && code <= 0x09) || code == 0x10 || code == 0x11 ||
                                (code >= 0x14 && code <= 0x16) || code == 0x2f;
    const uint64_t reg = names_register ? in_.unsigned_leb() : 0;
    switch (code) {
    case 0x00: return;
    case 0x05: return save(reg, Saved::at_cfa, data_unsigned());
    case 0x06: return restore(reg);
    case 0x07: return save(reg, Saved::undefined, 0);
    case 0x08: return save(reg, Saved::same, 0);
    case 0x09:
    case 0x14: return in_.unsigned_leb(), save(reg, Saved::elsewhere, 0);
    case 0x0a: return remember();
    case 0x0b: return recall();
    case 0x10: return save_by_expression(reg);
    case 0x11: return save(reg, Saved::at_cfa, data_signed());
    case 0x15: return in_.signed_leb(), save(reg, Saved::elsewhere, 0);
    case 0x16: return in_.skip(in_.unsigned_leb()), save(reg, Saved::elsewhere, 0);
    case 0x2e: in_.unsigned_leb(); return; // bytes of arguments pushed
    case 0x2f: return save(reg, Saved::at_cfa, -data_unsigned());
    default: known_ = false;
    }
  }

  void define_cfa(uint8_t code) {
    if (code == 0x0f) return define_cfa_by_expression();
    if (code == 0x0c || code == 0x0d || code == 0x12) row_.cfa_register = in_.unsigned_leb();
    if (code == 0x0c || code == 0x0e) row_.cfa_offset = static_cast<int64_t>(in_.unsigned_leb());
    if (code == 0x12 || code == 0x13) row_.cfa_offset = data_signed();
    if (code != 0x0e && code != 0x13) row_.cfa_expression = row_.cfa_unknown = false;
  }

  void define_cfa_by_expression() {
    CfiReader expression = in_.part(in_.unsigned_leb());
    row_.cfa_expression = expression.byte() == kOpBreg6;
    row_.cfa_offset = expression.signed_leb();
    row_.cfa_expression &= expression.byte() == kOpDeref && expression.ok() && expression.done();
    row_.cfa_unknown = !row_.cfa_expression;
  }

  void save_by_expression(uint64_t reg) {
    CfiReader expression = in_.part(in_.unsigned_leb());
    const bool from_rbp = expression.byte() == kOpBreg6;
    const int64_t offset = expression.signed_leb();
    const bool simple = from_rbp && expression.ok() && expression.done();
    save(reg, simple ? Saved::at_rbp : Saved::elsewhere, offset);
  }

  CfiRow::Register *named(uint64_t reg, CfiRow &row) const {
    if (reg == kDwarfRbp) return &row.rbp;
    return reg == kDwarfReturnAddress ? &row.return_address : nullptr;
  }

  void save(uint64_t reg, Saved how, int64_t offset) {
    if (CfiRow::Register *saved = named(reg, row_)) *saved = {how, offset};
  }

  void restore(uint64_t reg) {
    if (reg == kDwarfRbp) row_.rbp = initial_.rbp;
    if (reg == kDwarfReturnAddress) row_.return_address = initial_.return_address;
  }

  void remember() {
    if (depth_ < kMostRemembered)
      remembered_[depth_++] = row_;
    else
      known_ = false;
  }

  void recall() {
    if (depth_ > 0)
      row_ = remembered_[--depth_];
    else
      known_ = false;
  }

  int64_t data_unsigned() { return static_cast<int64_t>(in_.unsigned_leb()) * factors_.data; }
  int64_t data_signed() { return in_.signed_leb() * factors_.data; }

  CfiReader in_;
  const CfiFactors &factors_;
  Address location_;
  const CfiRow &initial_;
  CfiRow &row_;
  CfiRow remembered_[kMostRemembered];
  unsigned depth_ = 0;
  bool known_ = true;
};

} // namespace

bool run_cfi_program(CfiReader program, const CfiFactors &factors, Address from, Address to,
                     const CfiRow &initial, CfiRow &row) {
  return Machine(program, factors, from, initial, row).run(to);
}

} // namespace abut::context

// The accesses of a session, one by one: what most of the collector's time goes to.
#include "collect/session/session.hpp"

#include "collect/raw_stream.h"

#include <algorithm>

namespace abut::record {

namespace {

// Accesses are passed on in runs that begin and end at the same places each time the program takes the same way: behind
// one block of code in eight, whichever they are; and where a run becomes too long.
constexpr size_t kLongRun = 16;
constexpr uint64_t kAddressEnd = uint64_t{1} << ABUT_RAW_ADDRESS_BITS;

bool ends_run(uint64_t block) { return block * 0x9e3779b97f4a7c15U >> 61 == 0; }

} // namespace

void Session::read_accesses(uint64_t head, Words words) {
  const uint64_t number = abut_raw_block(head);
  require(number < blocks_.size() && words.size() <= blocks_[number].count,
          "accesses of a block of code that was not defined");
  CodePlace *place = places_.data() + blocks_[number].first;
  if (found_count_ + words.size() > found_.size()) pass_on();
  trace::Place *found = &found_[found_count_];
  uint32_t *site = &found_sites_[found_count_];
  const unsigned side = current_->inside ? 1 : 0;
  uint64_t access = writer_.totals().accesses + found_count_;
  sources_.skip(1);
  for (const uint64_t word : words) {
    CodePlace &code = *place++;
    if (!locate(word % kAddressEnd, code, *found)) {
      sources_.skip(1);
      continue;
    }
    const uint8_t source = sources_.add(++access, static_cast<uint8_t>(word / kAddressEnd));
    const bool is_known = code.sites[side] != 0 && code.sources[side] == source;
    *site = is_known ? code.sites[side] : site_of(code, side, source);
    ++site;
    ++found;
  }
  found_count_ = static_cast<size_t>(found - found_.data());
  if (found_count_ >= kLongRun || ends_run(number)) pass_on();
}

void Session::pass_on() {
  if (found_count_ != 0)
    writer_.accesses(running_, {found_sites_.data(), found_count_}, found_.data());
  found_count_ = 0;
}

// False where the access is not one that is recorded.
inline bool Session::locate(uint64_t address, CodePlace &code, trace::Place &place) {
  const Object *object = &objects_[code.object];
  if (address - object->address >= object->certain) {
    code.object = objects_.find(address);
    object = &objects_[code.object];
  }
  const uint64_t offset = address - object->address;
  if (offset < object->extent) {
    place = trace::Place{object->number, offset};
    return address != 0;
  }
  place = trace::Place{0, address};
  const bool is_stack = address >= current_->stack_low && address < current_->stack_high;
  return address != 0 && (selection_.everything || (current_->inside && !is_stack));
}

uint32_t Session::site_of(CodePlace &code, unsigned side, uint8_t source) {
  const auto number = static_cast<uint64_t>(&code - places_.data());
  uint32_t &site = sites_[number << 9 | side << 8 | source];
  const auto owner = side != 0 ? trace::Side::allocator : trace::Side::application;
  if (site == 0)
    site = writer_.site({code.code, code.size, trace::kind_of(code.writes, owner), source});
  code.sources[side] = source;
  return code.sites[side] = site;
}

// The kernel's may go over many objects, and over what is none.
void Session::kernel_access(uint64_t address, uint64_t bytes, bool writes) {
  trace::Access access;
  access.write = writes;
  access.side = current_->inside ? trace::Side::allocator : trace::Side::application;
  access.thread = running_;
  // A program may ask for more bytes than there are addresses.
  constexpr uint64_t kEnd = uint64_t{1} << 47;
  const uint64_t end = address + std::min(bytes, kEnd - std::min(address, kEnd));
  while (address < end) {
    const Object &object = objects_[objects_.find(address)];
    const uint64_t offset = address - object.address;
    if (offset >= object.extent) {
      address = std::max(objects_.skip_empty(address), (address | 7) + 1);
      continue;
    }
    access.object = object.number;
    access.offset = offset;
    access.size = static_cast<uint32_t>(
        std::min({end - address, object.extent - offset, uint64_t{UINT32_MAX}}));
    writer_.access(access);
    address += access.size;
  }
}

// For a block of code with so many accesses.
void Session::make_room(size_t accesses) {
  if (accesses + kLongRun <= found_.size()) return;
  pass_on();
  found_.resize(accesses + kLongRun);
  found_sites_.resize(found_.size());
}

} // namespace abut::record

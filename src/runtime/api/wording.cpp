#include "api/wording.hpp"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <link.h>

namespace abut::entry {

using near::Captured;
using near::Expression;

namespace {

const char *last_part(const char *path) {
  const char *slash = std::strrchr(path, '/');
  return slash != nullptr ? slash + 1 : path;
}

void put_word(os::Message &text, unsigned word) {
  static constexpr const char *kRegisters[] = {"rbx", "rbp", "r12", "r13", "r14", "r15"};
  if (word < Captured::kRegisters)
    text << kRegisters[word];
  else
    text << "[rsp + " << uint64_t{(word - Captured::kFirstSlot) * sizeof(Address)} << "]";
}

void put_sum(os::Message &text, int64_t offset) {
  if (offset > 0) text << " + " << static_cast<uint64_t>(offset);
}

} // namespace

void put_site(os::Message &text, Address site) {
  const Address call = site - 1;
  Dl_info info{};
  link_map *object = nullptr;
  if (dladdr1(reinterpret_cast<void *>(call), &info, reinterpret_cast<void **>(&object),
              RTLD_DL_LINKMAP) == 0 ||
      info.dli_fname == nullptr) {
    text << reinterpret_cast<const void *>(call);
    return;
  }
  text << last_part(info.dli_fname) << "+" << reinterpret_cast<const void *>(call - object->l_addr);
  if (info.dli_sname == nullptr) return;
  constexpr size_t kLongest = 250; // of a symbol: some are longer than a message
  const size_t length = std::strlen(info.dli_sname);
  text << "(";
  text.append(info.dli_sname, std::min(length, kLongest));
  text << (length > kLongest ? "...)" : ")");
}

void put_expression(os::Message &text, const Expression &expression) {
  for (unsigned i = 0; i < expression.loads; ++i) text << "[";
  put_word(text, expression.base);
  if (expression.loads == 2) {
    put_sum(text, expression.inner);
    text << "]";
  }
  if (expression.index != Expression::kNone) {
    text << " + ";
    put_word(text, expression.index);
    text << " * " << uint64_t{expression.scale};
  }
  if (expression.loads > 0) {
    put_sum(text, expression.offset);
    text << "]";
  }
}

} // namespace abut::entry

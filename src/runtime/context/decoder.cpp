#include "context/decoder.hpp"

#include "base/units.hpp"

#include <algorithm>
#include <atomic>
#include <dlfcn.h>
#include <link.h>
#include <span>
#include <sys/mman.h>

namespace abut::context {

#ifdef ABUT_ZYDIS
namespace {

const char *reason = "the decoder has not been loaded";
ZydisDecoder decoder;
decltype(&ZydisDecoderDecodeFull) decode_full;
decltype(&ZydisRegisterGetLargestEnclosing) largest_enclosing;

// What is only read is the file's, and can be read again.
struct ReadOnlyPart {
  Address begin = 0;
  size_t bytes = 0;
};
ReadOnlyPart read_only_parts[4];
std::atomic<bool> is_resident{false};

int find_read_only_parts(dl_phdr_info *object, size_t, void *code) {
  const auto inside = reinterpret_cast<Address>(code) - object->dlpi_addr;
  const std::span headers(object->dlpi_phdr, object->dlpi_phnum);
  if (std::ranges::none_of(headers, [=](const ElfW(Phdr) & part) {
        return part.p_type == PT_LOAD && inside - part.p_vaddr < part.p_memsz;
      }))
    return 0;
  auto *found = read_only_parts;
  for (const ElfW(Phdr) & part : headers)
    if (part.p_type == PT_LOAD && (part.p_flags & PF_W) == 0 &&
        found != std::end(read_only_parts)) {
      const Address begin = round_down(object->dlpi_addr + part.p_vaddr, kPageBytes);
      *found++ = {begin,
                  round_up(object->dlpi_addr + part.p_vaddr + part.p_memsz - begin, kPageBytes)};
    }
  return 1;
}

template <class Function>
bool find(void *library, const char *name, Function &function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

} // namespace

const char *load_decoder() {
  void *library = dlopen(ABUT_ZYDIS, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return reason = ABUT_ZYDIS " is not installed";
  decltype(&ZydisDecoderInit) init;
  if (!find(library, "ZydisDecoderInit", init) ||
      !find(library, "ZydisDecoderDecodeFull", decode_full) ||
      !find(library, "ZydisRegisterGetLargestEnclosing", largest_enclosing) ||
      !ZYAN_SUCCESS(init(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)))
    return reason = ABUT_ZYDIS " is not the library that it should be";
  dl_iterate_phdr(find_read_only_parts, reinterpret_cast<void *>(decode_full));
  is_resident.store(true, std::memory_order_relaxed);
  rest_decoder();
  return reason = nullptr;
}

void rest_decoder() {
  if (!is_resident.exchange(false, std::memory_order_relaxed)) return;
  for (const ReadOnlyPart &part : read_only_parts)
    if (part.bytes != 0) madvise(reinterpret_cast<void *>(part.begin), part.bytes, MADV_DONTNEED);
}

const char *why_no_decoder() { return reason; }

bool decode(Address at, size_t most, Instruction &instruction) {
  is_resident.store(true, std::memory_order_relaxed);
  return ZYAN_SUCCESS(decode_full(&decoder, reinterpret_cast<const void *>(at), most,
                                  &instruction.head, instruction.operands));
}

int general_register(ZydisRegister name) {
  const ZydisRegister whole = largest_enclosing(ZYDIS_MACHINE_MODE_LONG_64, name);
  if (whole < ZYDIS_REGISTER_RAX || whole > ZYDIS_REGISTER_R15) return -1;
  return whole - ZYDIS_REGISTER_RAX;
}
#else
const char *load_decoder() { return why_no_decoder(); }
void rest_decoder() {}
const char *why_no_decoder() { return "built without Zydis 4"; }
#endif

} // namespace abut::context

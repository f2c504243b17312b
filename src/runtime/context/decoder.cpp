#include "context/decoder.hpp"

#include "os/library.hpp"

#include <atomic>
#include <cstring>
#include <mutex>

#ifdef ABUT_ZYDIS
extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): what compilers call
void __stack_chk_fail();
void __assert_fail(const char *what, const char *file, unsigned line,
                   const char *function) noexcept;
void *__memcpy_chk(void *to, const void *from, size_t bytes, size_t room);
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
}
#endif

namespace abut::context {
namespace {

constinit os::SpinLock preparing;

} // namespace

os::SpinLock &decoder_lock() { return preparing; }

#ifdef ABUT_ZYDIS
namespace {

constinit os::Library library;
std::atomic<bool> is_prepared{false};
std::atomic<bool> is_resident{false};
const char *reason;
ZydisDecoder decoder;
decltype(&ZydisDecoderDecodeFull) decode_full;
decltype(&ZydisRegisterGetLargestEnclosing) largest_enclosing;

template <class Function>
const void *address_of(Function *function) {
  return reinterpret_cast<const void *>(function);
}

template <class Function>
bool find(const char *name, Function &function) {
  function = reinterpret_cast<Function>(library.find(name));
  return function != nullptr;
}

const char *prepare() {
  if (!library.is_mapped()) return ABUT_ZYDIS " is not installed";
  const os::Import imports[] = {{"memset", address_of(std::memset)},
                                {"memcpy", address_of(std::memcpy)},
                                {"strlen", address_of(std::strlen)},
                                {"__memcpy_chk", address_of(__memcpy_chk)},
                                {"__assert_fail", address_of(__assert_fail)},
                                {"__stack_chk_fail", address_of(__stack_chk_fail)}};
  decltype(&ZydisDecoderInit) init;
  if (!library.link(imports) || !find("ZydisDecoderInit", init) ||
      !find("ZydisDecoderDecodeFull", decode_full) ||
      !find("ZydisRegisterGetLargestEnclosing", largest_enclosing) ||
      !ZYAN_SUCCESS(init(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)))
    return ABUT_ZYDIS " is not the library that it should be";
  return nullptr;
}

} // namespace

void map_decoder() {
  for (const char *path : {"/usr/lib/x86_64-linux-gnu/" ABUT_ZYDIS, "/usr/lib64/" ABUT_ZYDIS,
                           "/usr/lib/" ABUT_ZYDIS, "/usr/local/lib/" ABUT_ZYDIS})
    if (library.is_mapped() || library.map(path)) return;
}

const char *prepare_decoder() {
  if (is_prepared.load(std::memory_order_acquire)) return reason;
  std::lock_guard guard(preparing);
  if (!is_prepared.load(std::memory_order_relaxed)) {
    reason = prepare();
    is_prepared.store(true, std::memory_order_release);
  }
  return reason;
}

void rest_decoder() {
  if (is_resident.exchange(false, std::memory_order_relaxed)) library.rest();
}

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
void map_decoder() {}
const char *prepare_decoder() { return "built without Zydis 4"; }
void rest_decoder() {}
#endif

} // namespace abut::context

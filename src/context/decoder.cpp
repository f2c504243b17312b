#include "context/decoder.hpp"

#include <dlfcn.h>

namespace abut::context {

#ifdef ABUT_HAVE_ZYDIS
namespace {

const char *reason = "the decoder has not been loaded";
ZydisDecoder decoder;
decltype(&ZydisDecoderDecodeFull) decode_full;
decltype(&ZydisRegisterGetLargestEnclosing) largest_enclosing;

template <class Function>
bool find(void *library, const char *name, Function &function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

} // namespace

const char *load_decoder() {
  void *library = dlopen("libZydis.so.4.0", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return reason = "libZydis.so.4.0 is not installed";
  decltype(&ZydisDecoderInit) init;
  if (!find(library, "ZydisDecoderInit", init) ||
      !find(library, "ZydisDecoderDecodeFull", decode_full) ||
      !find(library, "ZydisRegisterGetLargestEnclosing", largest_enclosing) ||
      !ZYAN_SUCCESS(init(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)))
    return reason = "libZydis.so.4.0 is not the library that it should be";
  return reason = nullptr;
}

const char *why_no_decoder() { return reason; }

bool decode(Address at, size_t most, Instruction &instruction) {
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
const char *why_no_decoder() { return "built without Zydis 4"; }
#endif

} // namespace abut::context

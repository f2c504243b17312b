#include "dpa/api/patcher.hpp"

#include "context/decoder.hpp"
#include "os/one_thread.hpp"

#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace dpa {

thread_local constinit uint32_t noted_group = 0;

namespace {

constexpr size_t kCallBytes = 5; // e8, and where to by 32 bits
constexpr unsigned char kCall = 0xe8;

// What a stub holds: movl $group, %fs:offset; jmp target.
struct [[gnu::packed]] Stub {
  unsigned char move[4] = {0x64, 0xc7, 0x04, 0x25};
  int32_t offset = 0;
  uint32_t group = 0;
  unsigned char jump = 0xe9;
  int32_t target = 0;
};

// Where a direct call leads that returns to an address; 0 where it is no such call.
Address target_of(Address return_address) {
  const auto *call = reinterpret_cast<const unsigned char *>(return_address - kCallBytes);
  int32_t by = 0;
  if (*call != kCall) return 0;
  std::memcpy(&by, call + 1, sizeof by);
  return return_address + static_cast<Address>(int64_t{by});
}

// Whether all ways through the code at `at` come first to the call that returns to `expected`.
bool comes_to([[maybe_unused]] Address at, [[maybe_unused]] Address expected) {
#ifdef ABUT_ZYDIS
  constexpr size_t kLongest = 15;
  abut::context::Instruction one;
  while (at < expected && abut::context::prepare_decoder() == nullptr &&
         abut::context::decode(at, kLongest, one)) {
    at += one.head.length;
    switch (one.head.meta.category) {
    case ZYDIS_CATEGORY_CALL: return at == expected;
    case ZYDIS_CATEGORY_COND_BR:
    case ZYDIS_CATEGORY_UNCOND_BR:
    case ZYDIS_CATEGORY_RET:
    case ZYDIS_CATEGORY_INTERRUPT:
    case ZYDIS_CATEGORY_SYSCALL: return false;
    default: break;
    }
  }
#endif
  return false;
}

// Also where the program may only read and run the code.
bool write_code(Address at, const void *bytes, size_t count) {
  const int memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
  if (memory < 0) return false;
  const ssize_t written = pwrite(memory, bytes, count, static_cast<off_t>(at));
  close(memory);
  return written == static_cast<ssize_t>(count);
}

bool is_near(Address one, Address other) {
  constexpr Address kReach = abut::GiB; // half of what a call reaches
  return one - other + kReach < 2 * kReach;
}

// Room for a stub, near a call; 0 where there is none.
Address room_near(Address site) {
  static Address room = 0;
  if (room % abut::kPageBytes >= sizeof(Stub) && is_near(room, site)) return room -= sizeof(Stub);
  constexpr Address kStep = 16 * abut::MiB;
  for (Address away = kStep; away < abut::GiB; away += kStep)
    for (const Address hint : {site - away, site + away}) {
      void *page = mmap(reinterpret_cast<void *>(abut::round_down(hint, kStep)), abut::kPageBytes,
                        PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (page == MAP_FAILED) return 0;
      const auto begin = reinterpret_cast<Address>(page);
      if (is_near(begin, site)) return room = begin + abut::kPageBytes - sizeof(Stub);
      munmap(page, abut::kPageBytes);
    }
  return 0;
}

int32_t distance(Address to, Address from) { return static_cast<int32_t>(to - from); }

} // namespace

bool patch(std::span<const Address> chain, uint32_t group) {
  const Address target = target_of(chain.back());
  if (target == 0 || !abut::os::has_one_thread()) return false;
  Address at = target;
  for (size_t i = chain.size() - 1; i > 0; --i) {
    if (at == 0 || !comes_to(at, chain[i - 1])) return false;
    at = target_of(chain[i - 1]);
  }
  const Address room = room_near(chain.back());
  if (room == 0 || !is_near(room, target)) return false;
  Stub stub;
  stub.offset = distance(reinterpret_cast<Address>(&noted_group),
                         reinterpret_cast<Address>(__builtin_thread_pointer()));
  stub.group = group;
  stub.target = distance(target, room + sizeof(Stub));
  const int32_t to_stub = distance(room, chain.back());
  return write_code(room, &stub, sizeof stub) &&
         write_code(chain.back() - sizeof to_stub, &to_stub, sizeof to_stub);
}

} // namespace dpa

// Makes the calls whose instructions are counted while a plan is followed. Run by step_calls, as hot_path_calls is.
//
//   planned_calls --write PLAN    writes the plan, for this very program
//   planned_calls                 makes the calls; ABUT_PLAN names that plan
#include "placement/plan/slot_writer.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <link.h>
#include <vector>

using namespace abut;

namespace {

constexpr uint32_t kSlots = 6000;
constexpr uint16_t kGranules = 2;

using Allocate = void *(size_t);

#ifdef __clang__
#define AT_ONE_SITE __attribute__((noinline))
#else
#define AT_ONE_SITE __attribute__((noipa))
#endif

// All calls are made here: a plan tells them by where they come from.
AT_ONE_SITE void *allocate_at_one_site(Allocate *function, size_t bytes) {
  void *block = function(bytes);
  __asm__ volatile("" : : "r"(block)); // no tail call
  return block;
}

uintptr_t call_ended = 0;
AT_ONE_SITE void *record_caller(size_t) {
  call_ended = reinterpret_cast<uintptr_t>(__builtin_return_address(0));
  return nullptr;
}

struct Program {
  uintptr_t load_bias = 0;
  plan::Module module{};
};

// The first object is the program.
int read_program(dl_phdr_info *info, size_t, void *to) {
  auto &program = *static_cast<Program *>(to);
  program.load_bias = info->dlpi_addr;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) &segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const auto *at = reinterpret_cast<const uint8_t *>(info->dlpi_addr + segment.p_vaddr);
    for (const uint8_t *end = at + segment.p_memsz; at < end;) {
      ElfW(Nhdr) note;
      std::memcpy(&note, at, sizeof note);
      const uint8_t *content = at + sizeof note + (note.n_namesz + 3) / 4 * 4;
      if (note.n_type == NT_GNU_BUILD_ID && note.n_descsz <= program.module.build_id.size()) {
        program.module.length = note.n_descsz;
        std::memcpy(program.module.build_id.data(), content, note.n_descsz);
      }
      at = content + (note.n_descsz + 3) / 4 * 4;
    }
  }
  return 1;
}

template <typename Part>
void put(std::vector<uint8_t> &bytes, const Part &part) {
  const auto *begin = reinterpret_cast<const uint8_t *>(&part);
  bytes.insert(bytes.end(), begin, begin + sizeof part);
}

// The first block stays; all others get the place behind it.
std::vector<uint8_t> plan_for(const Program &program) {
  const auto offset = static_cast<uint32_t>(call_ended - 1 - program.load_bias);
  std::vector<uint8_t> body;
  put(body, program.module);
  put(body, plan::Context{{plan::Step{1, offset}}, 0, kSlots, 0});
  std::vector<plan::Slot> slots(kSlots, {kGranules, kGranules, kGranules});
  slots[0].offset = 0;
  plan::code(slots, body);
  plan::Header header{};
  header.magic = plan::kMagic;
  header.version = plan::kVersion;
  header.steps = header.modules = header.contexts = 1;
  header.slots = kSlots;
  header.memory_bytes = plan::kPoolAlign;
  header.file_bytes = sizeof header + body.size();
  header.checksum = plan::checksum(body);
  std::vector<uint8_t> bytes;
  put(bytes, header);
  header.head_checksum =
      plan::checksum(std::span(bytes).first(sizeof header - sizeof header.head_checksum));
  bytes.clear();
  put(bytes, header);
  bytes.insert(bytes.end(), body.begin(), body.end());
  return bytes;
}

int write_plan(const char *path) {
  Program program;
  dl_iterate_phdr(read_program, &program);
  allocate_at_one_site(record_caller, 0);
  const std::vector<uint8_t> bytes = plan_for(program);
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char *>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  return file.good() && program.module.length != 0 ? 0 : 2;
}

void stop_before(const char *name, uintptr_t function) {
  __asm__ volatile("int3" : : "D"(name), "S"(function) : "memory");
}

} // namespace

int main(int count, char **arguments) {
  if (count == 3 && std::strcmp(arguments[1], "--write") == 0) return write_plan(arguments[2]);
  const auto *first = static_cast<const char *>(allocate_at_one_site(std::malloc, 32));
  for (uint32_t i = 0; i < kSlots / 2; ++i) std::free(allocate_at_one_site(std::malloc, 32));
  stop_before("malloc(32) in a plan's place", reinterpret_cast<uintptr_t>(&std::malloc));
  void *block = allocate_at_one_site(std::malloc, 32);
  if (block != first + 32) {
    std::fputs("planned_calls: the plan is not followed\n", stderr);
    return 2;
  }
  stop_before("free of a plan's place", reinterpret_cast<uintptr_t>(&std::free));
  std::free(block);
  return 0;
}

#include "probes/checked/report.hpp"

#include "os/file.hpp"
#include "os/guard.hpp"
#include "os/message.hpp"

#include <dlfcn.h>
#include <initializer_list>
#include <link.h>

namespace abut::checked {
namespace {

// The number as `addr2line` reads it.
class Hexadecimal {
public:
  explicit Hexadecimal(Address number) {
    message_ << reinterpret_cast<const void *>(number);
    message_.append("", 1);
  }
  const char *text() const { return message_.text(); }

private:
  os::Message message_;
};

// Function and line from the module's debug information, where it has any and binutils or elfutils are there.
bool write_line(const char *module, Address offset) {
  const Hexadecimal number(offset);
  for (const char *tool : {"/usr/bin/addr2line", "/usr/bin/eu-addr2line"}) {
    const char *const arguments[] = {tool, "-fpC", "-e", module, number.text(), nullptr};
    char text[400];
    const size_t length = os::output_of(arguments, text, sizeof text);
    if (length == 0 || text[0] == '?') continue;
    os::Message message;
    message << "    ";
    message.append(text, text[length - 1] == '\n' ? length - 1 : length);
    message.write();
    return true;
  }
  return false;
}

void write_frame(Address return_address) {
  // The call itself: what follows it may be of another line.
  const Address call = return_address - 1;
  Dl_info info{};
  link_map *map = nullptr;
  os::Message name, place; // each may be long
  if (dladdr1(reinterpret_cast<void *>(call), &info, reinterpret_cast<void **>(&map),
              RTLD_DL_LINKMAP) == 0) {
    place << "    " << reinterpret_cast<const void *>(call) << "\n";
    return place.write();
  }
  char path[300];
  const bool is_program = map->l_name[0] == '\0';
  const char *module = is_program && os::program_path(path, sizeof path) ? path : info.dli_fname;
  // The C library's lines say nothing of the program, and take long to find.
  if (std::strstr(module, "/libc.so.") != nullptr || !write_line(module, call - map->l_addr)) {
    name << "    " << (info.dli_sname != nullptr ? info.dli_sname : "??");
    name.write();
  }
  place << " (" << module << "+" << reinterpret_cast<const void *>(call - map->l_addr) << ")\n";
  place.write();
}

} // namespace

void report_callers(const char *title, const Callers &callers) {
  if (callers.addresses[0] == 0) return;
  os::Message message;
  message << "  " << title << ":\n";
  message.write();
  for (const Address address : callers.addresses)
    if (address != 0) write_frame(address);
}

void report(const char *call, Address at, const char *fault, const Record *record) {
  os::Message message;
  message << "abut: " << call << "(" << reinterpret_cast<const void *>(at) << "): " << fault;
  if (record != nullptr)
    message << ", a block of " << uint64_t{record->bytes} << " bytes at "
            << reinterpret_cast<const void *>(record->block);
  message << "\n";
  message.write();
  if (record == nullptr) return;
  report_callers("allocated by", record->allocated);
  report_callers("freed by", record->freed);
}

} // namespace abut::checked

// A plan that the options name is read, checked and followed from the start of the program on.
//
// By name, that takes three calls of the kernel, which has none that reads a file by its name; by a descriptor that is
// open already, one. Its memory is mapped when the first of its objects comes.
#include "base/options.hpp"
#include "heap/events.hpp"
#include "heap/heap.hpp"
#include "heap/local_heap.hpp"
#include "os/file.hpp"
#include "os/message.hpp"
#include "placement/plan/follower.hpp"

namespace abut::plan {
namespace {

// A shorter plan is read, since mapping takes three calls more; there is no page of it to be given back before its end.
constexpr size_t kReadBelow = Follower::kStretch;
alignas(Header) constinit uint8_t short_plan[kReadBelow];

void (*grown_before)(size_t) = nullptr;

void complain(const char *path, const char *reason) {
  os::Message text;
  text << "abut: ABUT_PLAN=" << path << ": " << reason << "; the program runs without it\n";
  text.write();
}

// "@9" is the descriptor 9, which the caller opened and will close; below 0 if it is none, and so a name.
int descriptor_in(const char *path) {
  constexpr int kMost = 1 << 20; // as many as a process can have
  if (path[0] != '@' || path[1] == '\0') return -1;
  int number = 0;
  for (const char *digit = path + 1; *digit != '\0'; ++digit) {
    if (*digit < '0' || *digit > '9' || number >= kMost) return -1;
    number = number * 10 + (*digit - '0');
  }
  return number;
}

// All of the file; nothing where it cannot be read.
std::span<const uint8_t> contents(int file) {
  size_t bytes = os::read_file(file, short_plan, kReadBelow);
  if (bytes < kReadBelow) return {short_plan, bytes};
  const void *mapped = os::map_file(file, bytes);
  return {static_cast<const uint8_t *>(mapped), mapped == nullptr ? 0 : bytes};
}

std::span<const uint8_t> read(const char *path) {
  if (const int given = descriptor_in(path); given >= 0) return contents(given);
  const int file = os::open_file(path);
  if (file < 0) return {};
  const std::span<const uint8_t> bytes = contents(file);
  os::close_file(file);
  return bytes;
}

bool is_mapped(std::span<const uint8_t> file) { return file.data() != short_plan; }

} // namespace

void start() {
  const char *path = option_path(Option::plan);
  if (*path == '\0') return;
  const std::span<const uint8_t> file = read(path);
  if (file.empty()) return complain(path, "it cannot be read");
  auto *memory = const_cast<uint8_t *>(file.data());
  View view;
  const char *wrong = check(file, view);
  const bool sound = wrong == nullptr;
  if (sound) wrong = follower.open(view, is_mapped(file));
  if (wrong != nullptr) {
    if (is_mapped(file)) os::unmap(memory, file.size());
    // A program's children are other programs as often as not; they need not say so.
    if (!sound || option_value(Option::explain) != 0) complain(path, wrong);
    return;
  }
  // Checking has read all of it; what is needed comes back when it is.
  if (is_mapped(file)) static_cast<void>(os::discard(memory, file.size()));
  heap::heap_registry.take_first(follower.chains().lock());
  heap::heap_registry.take_first(follower.lock());
  grown_before = heap::events.grown.listener();
  heap::events.grown.set_listener([](size_t held_bytes) {
    follower.resume_when_grown(held_bytes);
    if (grown_before != nullptr) grown_before(held_bytes);
  });
}

} // namespace abut::plan

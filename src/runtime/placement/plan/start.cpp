// A plan that the options name is read, checked and followed from the start of the program on.
//
// By name, that takes three calls of the kernel, which has none that reads a file by its name; by a descriptor that is
// open already, one. It is not mapped: what others write to the file meanwhile would be followed unchecked, and where they cut
// it short there would be no memory. The memory for its objects is mapped when the first of them comes.
#include "base/options.hpp"
#include "heap/events.hpp"
#include "heap/heap.hpp"
#include "heap/local_heap.hpp"
#include "os/file.hpp"
#include "os/message.hpp"
#include "placement/plan/follower.hpp"

namespace abut::plan {
namespace {

// A shorter plan needs no memory of its own, which takes three calls more; no page of it can be given back before its end.
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

// All of the file; nothing where it cannot be read; no more than the head of what is no plan of its length.
std::span<const uint8_t> contents(int file) {
  const size_t read = os::read_file(file, short_plan, kReadBelow);
  if (read < kReadBelow) return {short_plan, read};
  const auto *header = reinterpret_cast<const Header *>(short_plan);
  const size_t bytes = os::file_bytes(file), room = round_up(bytes, kPageBytes);
  if (header->magic != kMagic || header->file_bytes != bytes) return {short_plan, sizeof(Header)};
  auto *memory = static_cast<uint8_t *>(os::map(room));
  if (memory == nullptr) return {};
  if (os::read_file(file, memory, bytes) == bytes) return {memory, bytes};
  os::unmap(memory, room);
  return {};
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
    if (is_mapped(file)) os::unmap(memory, round_up(file.size(), kPageBytes));
    // A program's children are other programs as often as not; they need not say so.
    if (!sound || option_value(Option::explain) != 0) complain(path, wrong);
    return;
  }
  heap::heap_registry.take_first(follower.chains().lock());
  heap::heap_registry.take_first(follower.lock());
  grown_before = heap::events.grown.listener();
  heap::events.grown.set_listener([](size_t held_bytes) {
    follower.resume_when_grown(held_bytes);
    if (grown_before != nullptr) grown_before(held_bytes);
  });
}

} // namespace abut::plan

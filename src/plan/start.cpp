// A plan that the options name is mapped, checked and followed from the start of the program on.
#include "base/options.hpp"
#include "heap/heap.hpp"
#include "heap/open_pages.hpp"
#include "os/message.hpp"
#include "plan/follower.hpp"

namespace abut::plan {
namespace {

void (*grown_before)(size_t) = nullptr;

void complain(const char *path, const char *reason) {
  os::Message text;
  text << "abut: ABUT_PLAN=" << path << ": " << reason << "; the program runs without it\n";
  text.write();
}

} // namespace

void start() {
  const char *path = option_path(Option::plan);
  if (*path == '\0') return;
  size_t bytes = 0;
  const void *file = os::map_file(path, bytes);
  if (file == nullptr) return complain(path, "it cannot be read");
  View view;
  const char *wrong = check({static_cast<const uint8_t *>(file), bytes}, view);
  if (wrong == nullptr) {
    wrong = follower.open(view);
    // A program's children are other programs as often as not; they need not say so.
    if (wrong != nullptr && option_value(Option::explain) == 0) return os::unmap_file(file, bytes);
  }
  if (wrong != nullptr) {
    os::unmap_file(file, bytes);
    return complain(path, wrong);
  }
  // Checking has read all of it; what is needed comes back when it is.
  os::discard(const_cast<void *>(file), bytes);
  heap::heap_registry.take_first(follower.chains().lock());
  heap::heap_registry.take_first(follower.lock());
  grown_before = heap::when_grown;
  heap::when_grown = [](size_t span_bytes) {
    follower.wake_when_grown(span_bytes);
    if (grown_before != nullptr) grown_before(span_bytes);
  };
}

} // namespace abut::plan

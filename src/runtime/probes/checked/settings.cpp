#include "probes/checked/settings.hpp"

#include "os/environment.hpp"
#include "os/message.hpp"

#include <atomic>

namespace abut::checked {
namespace {

constinit Settings chosen;
constinit std::atomic<bool> is_read{false};

bool is_word(const char *text, size_t length, const char *word) {
  return length == std::strlen(word) && std::strncmp(text, word, length) == 0;
}

// Two threads that come first read the same.
void read() {
  char text[64] = "";
  os::environment_value("ABUT_CHECK", text, sizeof text);
  Settings found;
  for (const char *word = text; *word != '\0';) {
    const size_t length = std::strcspn(word, ",");
    if (is_word(word, length, "tail")) {
      found.tail = true;
    } else if (is_word(word, length, "quarantine")) {
      found.quarantine = true;
    } else {
      os::Message message;
      message << "abut: ABUT_CHECK=" << text << ": it is tail, quarantine or tail,quarantine\n";
      message.write();
      break;
    }
    word += length + (word[length] == ',');
  }
  if (!found.tail && !found.quarantine) found = {true, true};
  chosen = found;
  is_read.store(true, std::memory_order_release);
}

} // namespace

const Settings &settings() {
  if (!is_read.load(std::memory_order_acquire)) [[unlikely]]
    read();
  return chosen;
}

} // namespace abut::checked

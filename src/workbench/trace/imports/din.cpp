#include "trace/imports/formats.hpp"
#include "trace/imports/words.hpp"

namespace abut::imports {

namespace {

constexpr uint32_t kPlainBytes = 4;

// A number must end where its word does.
bool ends_word(const Words &words) {
  return words.at_end() || words.rest().find_first_of(" \t\r") == 0;
}

Complaint read_plain(char label, uint64_t address, Sink &sink) {
  switch (label) {
  case '0':
  case '1': sink.access({address, kPlainBytes, label == '1', 0, 0}); break;
  case '2': sink.fetch(0, address); break;
  case '3':
  case '4': sink.other(); break;
  default: return "its label is none of 0, 1, 2, 3, 4, r, w, i, m, c, v";
  }
  return nullptr;
}

Complaint read_extended(char label, uint64_t address, Words &words, Sink &sink) {
  words.skip_blanks();
  const auto size = words.hexadecimal();
  if (!size || !ends_word(words)) return "it has no size, a hexadecimal number";
  if (*size > kMostAccessBytes) return "its size is over 1 MiB";
  switch (label | 0x20) {
  case 'r':
  case 'm': sink.access({address, static_cast<uint32_t>(*size), false, 0, 0}); break;
  case 'w': sink.access({address, static_cast<uint32_t>(*size), true, 0, 0}); break;
  case 'i': sink.fetch(0, address); break;
  default: sink.other(); break;
  }
  return nullptr;
}

} // namespace

Complaint read_din_line(std::string_view line, Sink &sink) {
  Words words(line);
  const std::string_view label = words.word();
  if (label.empty()) return nullptr;
  const bool extended = std::string_view("rwimcvRWIMCV").find(label[0]) != std::string_view::npos;
  if (label.size() != 1) return "its label is none of 0, 1, 2, 3, 4, r, w, i, m, c, v";
  words.skip_blanks();
  const auto address = words.hexadecimal();
  if (!address || !ends_word(words)) return "it has no address, a hexadecimal number of 64 bits";
  return extended ? read_extended(label[0], *address, words, sink)
                  : read_plain(label[0], *address, sink);
}

} // namespace abut::imports

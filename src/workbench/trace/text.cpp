#include "trace/text.hpp"

#include "trace/format/rules.hpp"
#include "trace/rows.hpp"

#include <algorithm>
#include <charconv>
#include <concepts>
#include <string_view>

namespace abut::trace {

namespace {

constexpr size_t kBufferBytes = size_t{1} << 20;
constexpr size_t kMostLine = 256; // ten numbers of twenty digits, and the words between them
constexpr std::string_view kKinds[kEventKinds] = {"allocate", "free",  "resize", "move",
                                                  "near",     "touch", "gap",    "discard"};

struct Hex {
  uint64_t number;
};

// Where the next line goes.
class Line {
public:
  explicit Line(uint8_t *at) : at_(reinterpret_cast<char *>(at)) {}

  Line &operator<<(std::string_view text) {
    std::memcpy(at_, text.data(), text.size());
    at_ += text.size();
    return *this;
  }
  template <std::integral Number>
  Line &operator<<(Number number) {
    return put(number, 10);
  }
  Line &operator<<(Hex hex) { return put(hex.number, 16); }
  const uint8_t *end() const { return reinterpret_cast<const uint8_t *>(at_); }

private:
  template <typename Number>
  Line &put(Number number, int base) {
    at_ = std::to_chars(at_, at_ + 24, number, base).ptr;
    return *this;
  }

  char *at_;
};

void put_event(Line &line, const Event &event) {
  line << "- " << kKinds[static_cast<size_t>(event.kind)] << " ";
  if (event.object != 0) line << "object " << event.object << " ";
  switch (event.kind) {
  case EventKind::allocate:
    line << "size " << event.size << " align " << event.detail << " at 0x" << Hex{event.address}
         << " ";
    break;
  case EventKind::resize:
  case EventKind::move:
  case EventKind::discard:
    line << "size " << event.size << " at 0x" << Hex{event.address} << " ";
    break;
  case EventKind::near: line << "to " << event.detail << " "; break;
  case EventKind::touch: line << "weight " << event.detail << " "; break;
  case EventKind::gap: line << "of " << event.detail << " accesses "; break;
  case EventKind::free: break;
  }
  line << "thread " << event.thread << " context " << event.context << " time " << event.time
       << "\n";
}

} // namespace

Result<TextExport> TextExport::open(Reader &reader, Form form, const std::string &path) {
  Result<OutputFile> file = OutputFile::create(path, Overwrite::yes);
  if (!file) return file.error();
  return TextExport(reader, form, file.take());
}

TextExport::TextExport(Reader &reader, Form form, OutputFile file)
    : batches_(reader), form_(form), file_(std::move(file)), buffer_(kBufferBytes + kMostLine),
      places_(1) {}

Result<uint64_t> TextExport::next() {
  if (!done_ && batches_.next()) {
    batches_.in_order(
        [this](uint32_t from, uint32_t to) {
          for (uint32_t i = from; i < to; ++i) form_ == Form::steps ? add_step(i) : add_address(i);
        },
        [this](const Event &event) { form_ == Form::steps ? add_event(event) : apply(event); });
    accesses_ = batches_.first_access() + batches_.size();
  } else if (!done_) {
    flush();
    file_.close();
    done_ = true;
  }
  if (file_.error()) return *file_.error();
  return uint64_t{accesses_};
}

void TextExport::flush() {
  file_.write(ByteView(buffer_).first(used_));
  used_ = 0;
}

template <typename Write>
void TextExport::add_line(const Write &write) {
  if (used_ >= kBufferBytes) flush();
  Line line(buffer_.data() + used_);
  write(line);
  used_ = static_cast<size_t>(line.end() - buffer_.data());
}

void TextExport::add_event(const Event &event) {
  add_line([&](Line &line) { put_event(line, event); });
}

void TextExport::add_step(uint32_t index) {
  add_line([&](Line &line) {
    const uint64_t number = batches_.first_access() + index;
    const uint8_t kind = batches_.kinds()[index];
    line << number << ((kind & kWrite) != 0 ? " write " : " read ") << batches_.sizes()[index];
    const uint64_t offset = batches_.offsets()[index];
    if (const uint64_t object = batches_.objects()[index])
      line << " object " << object << " +" << static_cast<int64_t>(offset);
    else
      line << " at 0x" << Hex{offset};
    line << ((kind & kAllocator) != 0 ? " allocator thread " : " application thread ")
         << batches_.threads()[index];
    if (const uint64_t code = batches_.codes()[index]) line << " code 0x" << Hex{code};
    if (const uint8_t source = batches_.sources()[index]; source > 1)
      line << " from " << number + 1 - std::min<uint64_t>(source, number + 1);
    line << "\n";
  });
}

void TextExport::apply(const Event &event) {
  const bool is_known = event.kind == EventKind::allocate
                            ? grow_to(places_, event.object)
                            : event.kind == EventKind::move && event.object < places_.size();
  if (is_known) places_[event.object] = event.address;
}

void TextExport::add_address(uint32_t index) {
  const uint64_t object = batches_.objects()[index];
  const uint64_t place = object < places_.size() ? places_[object] : 0;
  if (place == 0 && object != 0) return;
  add_line([&](Line &line) {
    line << ((batches_.kinds()[index] & kWrite) != 0 ? "1 " : "0 ")
         << Hex{place + batches_.offsets()[index]} << "\n";
  });
}

} // namespace abut::trace

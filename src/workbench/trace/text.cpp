#include "trace/text.hpp"

#include "trace/format/chunk.hpp"
#include "trace/format/rules.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace abut::trace {

namespace {

constexpr size_t kBufferBytes = size_t{1} << 20;
constexpr size_t kMostLine = 256; // ten numbers of twenty digits, and the words between them
constexpr std::string_view kKinds[kEventKinds] = {"allocate", "free",  "resize", "move",
                                                  "near",     "touch", "gap",    "discard"};

// Where the next line goes.
class Line {
public:
  explicit Line(uint8_t *at) : at_(reinterpret_cast<char *>(at)) {}

  Line &operator<<(std::string_view text) {
    std::memcpy(at_, text.data(), text.size());
    at_ += text.size();
    return *this;
  }
  Line &operator<<(uint64_t number) { return put(number, 10); }
  Line &signed_number(int64_t number) { return put(number, 10); }
  Line &hex(uint64_t number) {
    *this << "0x";
    return put(number, 16);
  }
  Line &plain_hex(uint64_t number) { return put(number, 16); }
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
    (line << "size " << event.size << " align " << event.detail << " at ").hex(event.address)
        << " ";
    break;
  case EventKind::resize:
  case EventKind::move:
  case EventKind::discard:
    (line << "size " << event.size << " at ").hex(event.address) << " ";
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
    if (form_ == Form::steps)
      write_steps();
    else
      write_addresses();
    accesses_ = batches_.first_access() + batches_.size();
  } else if (!done_) {
    flush();
    file_.close();
    done_ = true;
  }
  if (file_.error()) return *file_.error();
  return uint64_t{accesses_};
}

void TextExport::reserve() {
  if (used_ >= kBufferBytes) flush();
}

void TextExport::flush() {
  file_.write(ByteView(buffer_).first(used_));
  used_ = 0;
}

void TextExport::write_steps() {
  const auto events = batches_.events();
  auto event = events.begin();
  const auto events_until = [&](uint64_t number) {
    for (; event != events.end() && event->position <= number; ++event) {
      reserve();
      Line line(buffer_.data() + used_);
      put_event(line, *event);
      used_ = static_cast<size_t>(line.end() - buffer_.data());
    }
  };
  for (uint32_t index = 0; index < batches_.size(); ++index) {
    const uint64_t number = batches_.first_access() + index;
    if (event != events.end() && event->position <= number) events_until(number);
    reserve();
    Line line(buffer_.data() + used_);
    const uint8_t kind = batches_.kinds()[index];
    line << number << ((kind & kWrite) != 0 ? " write " : " read ") << batches_.sizes()[index];
    const uint64_t offset = batches_.offsets()[index];
    if (const uint64_t object = batches_.objects()[index])
      (line << " object " << object << " +").signed_number(static_cast<int64_t>(offset));
    else
      (line << " at ").hex(offset);
    line << ((kind & kAllocator) != 0 ? " allocator thread " : " application thread ")
         << batches_.threads()[index];
    if (const uint64_t code = batches_.codes()[index]) (line << " code ").hex(code);
    if (const uint8_t source = batches_.sources()[index]; source > 1)
      line << " from " << number + 1 - std::min<uint64_t>(source, number + 1);
    line << "\n";
    used_ = static_cast<size_t>(line.end() - buffer_.data());
  }
  events_until(UINT64_MAX);
}

void TextExport::apply(const Event &event) {
  if (event.kind != EventKind::allocate && event.kind != EventKind::move) return;
  if (event.object >= places_.size()) {
    const bool is_next =
        event.kind == EventKind::allocate && event.object - places_.size() < kMostLostBirths;
    if (!is_next) return;
    places_.resize(event.object + 1);
  }
  places_[event.object] = event.address;
}

void TextExport::write_addresses() {
  const auto events = batches_.events();
  auto event = events.begin();
  for (uint32_t index = 0; index < batches_.size(); ++index) {
    for (; event != events.end() && event->position <= batches_.first_access() + index; ++event)
      apply(*event);
    const uint64_t object = batches_.objects()[index];
    const uint64_t place = object < places_.size() ? places_[object] : 0;
    if (place == 0 && object != 0) continue;
    reserve();
    Line line(buffer_.data() + used_);
    line << ((batches_.kinds()[index] & kWrite) != 0 ? "1 " : "0 ");
    line.plain_hex(place + batches_.offsets()[index]) << "\n";
    used_ = static_cast<size_t>(line.end() - buffer_.data());
  }
  for (; event != events.end(); ++event) apply(*event);
}

} // namespace abut::trace

#include "entry/statistics_file.hpp"

#include "base/options.hpp"
#include "heap/statistics.hpp"
#include "os/message.hpp"
#include "plan/follower.hpp"

#include <cstring>

namespace abut::entry {
namespace {

constexpr uint64_t kSchema = 1;

// Writes an object's members, one after the other, to a file.
class JsonWriter {
public:
  explicit JsonWriter(int file) : file_(file) {}

  void open(const char *bracket) { put(bracket); }
  void close(const char *bracket) {
    first_ = false;
    put(bracket);
  }
  void number(const char *name, uint64_t value) {
    os::Message text;
    text << comma() << "\"" << name << "\": " << value;
    write(text);
  }
  void thousandths(const char *name, uint64_t value) {
    os::Message text;
    text << comma() << "\"" << name << "\": " << value / 1000 << "." << value / 100 % 10
         << value / 10 % 10 << value % 10;
    write(text);
  }
  void member(const char *name, const char *bracket) {
    os::Message text;
    text << comma() << "\"" << name << "\": " << bracket;
    write(text);
    first_ = true;
  }
  void element(const char *bracket) {
    os::Message text;
    text << comma() << bracket;
    write(text);
    first_ = true;
  }
  bool good() const { return good_; }

private:
  const char *comma() {
    const bool first = first_;
    first_ = false;
    return first ? "" : ", ";
  }
  void put(const char *text) { good_ = good_ && os::write_file(file_, text, std::strlen(text)); }
  void write(const os::Message &text) {
    good_ = good_ && os::write_file(file_, text.text(), text.length());
  }

  int file_;
  bool first_ = true;
  bool good_ = true;
};

void write_classes(JsonWriter &json, const heap::Statistics &totals) {
  json.member("classes", "[");
  for (const heap::ClassCount &one : totals.classes) {
    if (one.blocks == 0 && one.waiting == 0) continue;
    json.element("{");
    json.number("bytes", one.bytes_each);
    json.number("live", one.blocks);
    json.number("waiting", one.waiting);
    json.close("}");
  }
  json.close("]");
}

void write_tier(JsonWriter &json, const char *name, size_t blocks, size_t bytes) {
  json.member(name, "{");
  json.number("blocks", blocks);
  json.number("bytes", bytes);
  json.close("}");
}

// How the plan is followed, where there is one.
void write_plan(JsonWriter &json) {
  const plan::Counts counts = plan::follower.counts();
  if (counts.contexts == 0) return;
  json.member("plan", "{");
  json.number("contexts", counts.contexts);
  json.number("met", counts.met);
  json.number("given_up", counts.given_up);
  json.number("placed", counts.placed);
  json.number("left", counts.left);
  json.number("occupied", counts.occupied);
  json.number("missed", counts.missed);
  json.number("skipped", counts.skipped);
  json.close("}");
}

// `%p` in the path stands for the process id, so that the children of a program do not overwrite its file.
void expand(const char *path, os::Message &result) {
  for (; *path != '\0'; ++path) {
    if (path[0] == '%' && path[1] == 'p') {
      result << uint64_t{os::process_id()};
      ++path;
    } else {
      result.append(path, 1);
    }
  }
  result.append("", 1);
}

} // namespace

bool write_statistics(int file) {
  const heap::Statistics totals = heap::count();
  JsonWriter json(file);
  json.open("{");
  json.number("schema", kSchema);
  json.number("process", os::process_id());
  json.number("live", totals.live_bytes());
  json.number("peak", totals.peak);
  json.number("mapped", totals.mapped);
  json.number("resident", os::resident_bytes());
  json.number("metadata", totals.metadata);
  json.number("free_resident", totals.free_resident);
  json.number("waiting", totals.waiting_bytes);
  json.number("pages_in_use", totals.pages_in_use);
  json.number("small_pages", totals.small_pages);
  json.number("medium_pages", totals.medium_pages);
  json.thousandths("fragmentation", static_cast<uint64_t>(totals.fragmentation() * 1000));
  json.number("segments", totals.segments);
  json.number("heaps", totals.heaps);
  json.number("orphans", totals.orphans);
  write_classes(json, totals);
  write_tier(json, "medium", totals.medium_blocks, totals.medium_bytes);
  write_tier(json, "large", totals.large_blocks, totals.large_bytes);
  write_tier(json, "huge", totals.huge_blocks, totals.huge_bytes);
  write_plan(json);
  json.close("}\n");
  return json.good();
}

void write_statistics_file() {
  const char *path = option_path(Option::stats);
  if (*path == '\0') return;
  os::Message expanded;
  expand(path, expanded);
  const int file = os::create_file(expanded.text());
  if (file >= 0) {
    write_statistics(file);
    os::close_file(file);
    return;
  }
  os::Message text;
  text << "abut: ABUT_STATS=" << path
       << ": the file cannot be made; is its folder there and writable?\n";
  text.write();
}

} // namespace abut::entry

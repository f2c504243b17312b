#include "api/statistics_file.hpp"

#include "api/json_file.hpp"
#include "heap/statistics.hpp"
#include "placement/plan/follower.hpp"

namespace abut::entry {
namespace {

constexpr uint64_t kSchema = 1;

void write_classes(JsonWriter &json, const heap::Statistics &totals) {
  json.member("classes", "[");
  for (const heap::ClassCount &one : totals.classes) {
    if (one.blocks == 0) continue;
    json.element("{");
    json.number("bytes", one.bytes_each);
    json.number("live", one.blocks);
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
  json.number("disabled", counts.disabled);
  json.number("placed", counts.placed);
  json.number("left", counts.left);
  json.number("occupied", counts.occupied);
  json.number("missed", counts.missed);
  json.number("skipped", counts.skipped);
  json.number("rests", counts.rests);
  json.close("}");
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

void write_statistics_file() { write_named_file(Option::stats, "ABUT_STATS", write_statistics); }

} // namespace abut::entry

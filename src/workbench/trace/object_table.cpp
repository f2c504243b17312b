#include "trace/object_table.hpp"

#include "trace/batches.hpp"
#include "trace/rows.hpp"

#include <algorithm>

namespace abut::trace {

namespace {

class Gatherer {
public:
  void take(const Event &event) {
    if (event.kind == EventKind::allocate) {
      grow(event.object);
      return record_birth(event);
    }
    if (!known(event.object)) return;
    const size_t row = event.object - 1;
    if (event.kind == EventKind::free) {
      table_.died[row] = event.time;
      table_.died_at[row] = event.position;
    } else if (event.kind == EventKind::resize || event.kind == EventKind::move) {
      table_.last_size[row] = event.size;
      ++table_.resizes[row];
    }
  }

  void take(uint64_t object, uint8_t kind) {
    if (!known(object)) return;
    auto &column = (kind & kAllocator) != 0 ? table_.allocator_accesses
                   : (kind & kWrite) != 0   ? table_.writes
                                            : table_.reads;
    ++column[object - 1];
  }

  ObjectTable finish() { return std::move(table_); }

private:
  bool known(uint64_t object) const { return object - 1 < table_.count(); }

  // Births come in the order of numbers; a damaged chunk leaves a hole, which may not be larger than a chunk's.
  void grow(uint64_t object) {
    if (object <= table_.count() || object - table_.count() > kMostLostBirths) return;
    const auto to = [object](auto &column) { column.resize(object, 0); };
    to(table_.size), to(table_.last_size), to(table_.address), to(table_.align);
    to(table_.context), to(table_.thread), to(table_.born), to(table_.born_at);
    to(table_.resizes), to(table_.reads), to(table_.writes), to(table_.allocator_accesses);
    table_.died.resize(object, ObjectTable::kNever);
    table_.died_at.resize(object, ObjectTable::kNever);
  }

  void record_birth(const Event &event) {
    if (!known(event.object)) return;
    const size_t row = event.object - 1;
    table_.size[row] = table_.last_size[row] = event.size;
    table_.address[row] = event.address;
    table_.align[row] = event.detail;
    table_.context[row] = event.context;
    table_.thread[row] = event.thread;
    table_.born[row] = event.time;
    table_.born_at[row] = event.position;
  }

  ObjectTable table_;
};

} // namespace

ObjectTable read_objects(Reader &reader, Count what) {
  Gatherer gatherer;
  if (what == Count::events) {
    reader.each_event(0, reader.chunks().size(), [&](const Event &event) { gatherer.take(event); });
    return gatherer.finish();
  }
  // An access may belong to a birth of the same batch; births count from the begin of the batch.
  for (Batches batches(reader); batches.next();) {
    for (const Event &event : batches.events()) gatherer.take(event);
    for (uint32_t i = 0; i < batches.size(); ++i)
      gatherer.take(batches.objects()[i], batches.kinds()[i]);
  }
  return gatherer.finish();
}

} // namespace abut::trace

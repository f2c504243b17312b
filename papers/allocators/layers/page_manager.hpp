// Runs of pages: who has which pages of the areas, and which are free.
//
// Each area begins with a table of one record a page. The first and the last record of a free run know how long it is,
// so that neighbours become one run as soon as they are free; which run serves a request is the order's affair
// (orders.hpp). Pages that are given back go to the kernel at once (Vam, section 3.6).
#pragma once

#include "allocators/layers/areas.hpp"
#include "allocators/layers/concepts.hpp"
#include "base/list.hpp"

#include <new>

namespace abut::layers {

enum class PageUse : uint8_t { none, free, head, body };

// What is known of a page. `Data` is its user's, in the head of a run that is taken.
template <class Data>
struct alignas(kLineBytes) PageRecord {
  Link<PageRecord> link; // of the user's lists when taken, of the order's when free
  Pages run; // in the first and the last record of a free run and in the head of one that is taken
  Pages before; // in the body of a run that is taken: the pages between it and the head
  PageUse use = PageUse::none;
  Data data;

  Address memory() const { return area_of(this) + index() * kPageBytes; }
  size_t index() const { return reinterpret_cast<Address>(this) % kAreaBytes / sizeof(PageRecord); }
};

template <class Data, template <class> class Order>
class PageManager {
public:
  using Record = PageRecord<Data>;
  static constexpr uint32_t kPages = kAreaBytes / kPageBytes;
  static constexpr uint32_t kTablePages =
      static_cast<uint32_t>((kPages * sizeof(Record) + kPageBytes - 1) / kPageBytes);
  // The longest run that there can be.
  static constexpr Pages kMost{kPages - kTablePages};

  explicit PageManager(AreaKind kind) : kind_(kind) {}

  // The head of a run of `pages`; null where there is no memory.
  Record *take(Pages pages) {
    if (pages > kMost) return nullptr;
    Record *run = order_.find(pages);
    if (run == nullptr) {
      if (!add_area()) return nullptr;
      run = order_.find(pages);
    }
    order_.remove(run);
    if (run->run > pages) set_free(run + pages.n, {run->run.n - pages.n});
    set_taken(run, pages);
    return run;
  }

  // Takes a run back. Its pages read as zero when they are used again.
  void give(Record *head) {
    Record *first = head;
    Record *end = head + head->run.n;
    os::clear_pages(reinterpret_cast<void *>(head->memory()), head->run.bytes());
    for (Record *record = head; record < end; ++record) new (record) Record;
    if (head[-1].use == PageUse::free) {
      first = head - head[-1].run.n;
      order_.remove(first);
    }
    if (end < end_of(head) && end->use == PageUse::free) {
      order_.remove(end);
      end += end->run.n;
    }
    const Pages run{static_cast<uint32_t>(end - first)};
    if (run == kMost && areas_ > 1) return drop_area(first);
    set_free(first, run);
  }

  // The head of the run that `memory`, which lies in an area, is part of; null where no run is.
  static Record *head_of(const void *memory) {
    Record *record = record_of(memory);
    if (record->use == PageUse::body) record -= record->before.n;
    return record->use == PageUse::head ? record : nullptr;
  }

private:
  static Record *table_of(const void *memory) {
    return reinterpret_cast<Record *>(area_of(memory));
  }
  static Record *record_of(const void *memory) {
    return table_of(memory) + (reinterpret_cast<Address>(memory) % kAreaBytes >> kPageShift);
  }
  static Record *end_of(Record *record) { return table_of(record) + kPages; }

  bool add_area() {
    void *area = map_area(kind_);
    if (area == nullptr) return false;
    ++areas_;
    set_free(table_of(area) + kTablePages, kMost);
    return true;
  }

  void drop_area(Record *first) {
    --areas_;
    unmap_area(table_of(first));
  }

  void set_free(Record *first, Pages run) {
    first[run.n - 1].use = first->use = PageUse::free;
    first[run.n - 1].run = first->run = run;
    order_.add(first);
  }

  static void set_taken(Record *head, Pages run) {
    for (uint32_t i = 0; i < run.n; ++i) {
      new (head + i) Record;
      head[i].use = i == 0 ? PageUse::head : PageUse::body;
      head[i].before = {i};
    }
    head->run = run;
  }

  Order<Record> order_;
  AreaKind kind_;
  size_t areas_ = 0;
};

} // namespace abut::layers

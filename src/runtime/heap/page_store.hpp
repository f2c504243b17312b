// Where pages come from: segments of them, shared by all threads, one store for each kind.
//
// A segment is mapped piece by piece as its pages are taken. A free page that was used stays resident for a while, because
// using it again is cheap: see retention.hpp. Its time is counted from when its segment last saw a page freed.
#pragma once

#include "heap/huge_pages.hpp"
#include "heap/page.hpp"
#include "heap/retention.hpp"

namespace abut::heap {

// All stores' pages, as far as others deal with them.
size_t
give_back_oldest_pages(); // of the segment left alone for longest in each store; their number, in 4 KiB
void trim_pages();
void unmap_hidden_segments(); // where addresses are exhausted
void advise_pages_again();    // about what is mapped, once the options are read

// Gives back what has waited for its time; false where some is left, because this would take too long at once.
bool decay_pages(uint64_t now);

// What is asked for: pages in a row, the first of which has a multiple of `align` as its index in the segment.
struct Row {
  unsigned pages = 1;
  unsigned align = 1;
  bool is_large = false; // set by take(): for no owner
};

class PageStore {
public:
  constexpr explicit PageStore(SegmentKind kind) : kind_(kind) {}

  // A row of `owner`, or of none; all of its memory reads as zero where it is clean. With room for so many states, which the
  // owner has the pages point at. Null where memory is exhausted.
  struct Taken {
    Page *page = nullptr;
    unsigned clean = 0; // of its pages
    State *states = nullptr;

    explicit operator bool() const { return page != nullptr; }
  };
  Taken take(LocalHeap *owner, Row row = {}, unsigned states = 0);

  // Takes more pages behind those of a row; false where they are in use.
  bool extend(const Page *page, unsigned pages, unsigned more);

  // Takes back what was taken, of which so many bytes, from its beginning on, have been written to.
  void give_back(Page *page, unsigned pages, size_t written);

  // The same for all but the first so many pages of a row.
  void shorten(Page *page, unsigned pages, unsigned left, size_t written);

  // How often a page was taken.
  uint32_t taken() const { return taken_.load(std::memory_order_relaxed); }

  // Gives back the free pages of the segment that has been left alone for longest, if that was before that time; their
  // number, in 4 KiB.
  size_t give_back_oldest(uint64_t freed_before = ~uint64_t{0});

  // Calls `visit(Page &)` for every page in use, under the lock.
  template <class Visit>
  void each_page(Visit visit) {
    std::lock_guard guard(lock_);
    for (PageSegment *segment = all_.front(); segment; segment = All::after(segment))
      for (uint64_t used = PageSegment::all_of(kind_) & ~segment->unused; used != 0;
           used &= used - 1)
        visit(segment->pages[std::countr_zero(used)]);
  }

  // For a segment of which parts went back to the kernel. Under the lock.
  void refuse_huge_pages(PageSegment *segment);

  // Unmaps segments that were hidden before that time.
  void unmap_hidden(uint64_t hidden_before = ~uint64_t{0});

  // See advise_pages_again().
  void advise_again();

  size_t segments() {
    std::lock_guard guard(lock_);
    return segments_;
  }
  os::SpinLock &lock() { return lock_; }

private:
  using All = List<PageSegment, &PageSegment::in_all>;
  using ByRoom = List<PageSegment, &PageSegment::by_room>;
  using ByAge = List<PageSegment, &PageSegment::by_age>;

  Taken find(Row row);
  Taken find_dirty(Row row);
  PageSegment *add_segment();
  bool wants_huge_pages() const;
  bool wants_huge_pages(const PageSegment &segment) const;
  void advise(void *memory, size_t bytes, bool huge);
  bool map_up_to(PageSegment *segment, size_t end);
  void begin_segment(PageSegment *segment);
  void drop_segment(PageSegment *segment);
  bool hide_segment(PageSegment *segment);
  void forget_hidden(PageSegment *segment);
  void unmap_hidden_first();
  Taken take_from(PageSegment *segment, uint64_t firsts, Row row);
  unsigned use(PageSegment *segment, uint64_t pages);
  void put(PageSegment *segment, uint64_t pages);
  Taken find_or_add(Row row);

  const SegmentKind kind_;
  os::SpinLock lock_;
  std::atomic<uint32_t> taken_{0};
  size_t segments_ = 0;
  size_t hidden_count_ = 0;
  size_t owned_ = 0; // pages that have an owner
  HugePageUse huge_page_use_;
  bool asked_for_huge_pages_ = false;
  All all_;
  All hidden_; // see hide_segment(); of a segment that is there, only the length and `freed_at` are known
  ByRoom by_room_; // segments with a page that is not used
  ByAge by_age_;   // segments with a dirty page
};

extern constinit PageStore size_pages;
extern constinit PageStore birth_pages;

// How often a page of any kind was taken.
inline uint32_t pages_ever_taken() { return size_pages.taken() + birth_pages.taken(); }

} // namespace abut::heap

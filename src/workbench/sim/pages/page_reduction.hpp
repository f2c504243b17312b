// A reference trace of pages, made short: what an LRU memory of some size or more would not notice is left out.
//
// SAD (safely allowed drop: Kaplan, Smaragdakis, Wilson, TOMACS 13, 2003, as Vam uses it, section 4.6): of three
// references to a page the middle one is dropped where at most `kept` different pages are touched from the first to the
// last. For LRU memories of `kept` pages and more, every miss stays where it was, and none is added: within that
// stretch no page that was touched in it can be the least recent one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace abut::sim {

// A page's number, and what happened to it, in one word.
class PageStep {
public:
  static constexpr uint32_t kMostPages = uint32_t{1} << 30;

  static PageStep reference(uint32_t page, size_t side) {
    return PageStep(page | (side != 0 ? kAllocator : 0));
  }
  static PageStep discard(uint32_t page) { return PageStep(page | kDiscard); }

  uint32_t page() const { return bits_ & (kMostPages - 1); }
  size_t side() const { return (bits_ & kAllocator) != 0 ? 1 : 0; }
  bool is_discard() const { return (bits_ & kDiscard) != 0; }
  bool operator==(const PageStep &) const = default;

private:
  static constexpr uint32_t kAllocator = uint32_t{1} << 30;
  static constexpr uint32_t kDiscard = uint32_t{1} << 31;
  explicit PageStep(uint32_t bits) : bits_(bits) {}
  uint32_t bits_;
};

class PageReduction {
public:
  // Exact for memories of `kept` pages (1 or more) and larger ones.
  explicit PageReduction(uint32_t kept) : kept_(kept) {}

  void take(PageStep step) {
    if (step.is_discard())
      discard(step.page());
    else if (step.page() != same_)
      reference(step);
  }

  // All steps so far, in order. More can be taken afterwards.
  std::vector<PageStep> steps() const;
  size_t count() const { return steps_.size() + pending_count_; }
  uint32_t exact_from() const { return kept_; }

  // Makes the trace shorter, for a larger `kept`.
  void tighten(uint32_t kept);

private:
  static constexpr uint32_t kNone = UINT32_MAX;

  // Times are counts of steps from 1; 0 stands for never.
  struct Page {
    uint64_t touched = 0;         // last
    uint32_t before_last = kNone; // of its references since it was discarded that are kept
    uint32_t last = kNone;
    uint32_t newer = kNone; // among the `kept` pages that were touched last
    uint32_t older = kNone;
    bool is_listed = false;
    bool in_use = false;
  };
  // A step that may still be dropped: there are two for each of those pages, and discards.
  struct Pending {
    PageStep step;
    uint32_t before;
    uint32_t after;
    uint64_t time;
  };

  void reference(PageStep step);
  void discard(uint32_t page);
  void make_newest(uint32_t page);
  void unlink_page(uint32_t page);
  uint32_t append(PageStep step);
  void take_out(uint32_t pending);
  void settle();

  uint32_t kept_;
  std::vector<Page> pages_;
  uint32_t same_ = kNone; // the page of the last step, which need not be looked at again
  uint32_t newest_ = kNone;
  uint32_t oldest_ = kNone;
  uint32_t listed_ = 0;
  uint64_t horizon_ = 0; // the last use of the page that left the list last
  uint64_t time_ = 0;
  std::vector<PageStep> steps_; // that stay
  std::vector<Pending> pending_;
  std::vector<uint32_t> free_; // of these
  uint32_t first_pending_ = kNone;
  uint32_t last_pending_ = kNone;
  size_t pending_count_ = 0;
};

} // namespace abut::sim

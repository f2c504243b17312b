#include "api/explanation.hpp"

#include "api/wording.hpp"
#include "os/message.hpp"
#include "placement/friends/placement.hpp"
#include "placement/plan/follower.hpp"
#include "placement/pools/grouping.hpp"

#include <cerrno>

namespace abut::entry {
namespace {

using group::Group;
using group::Merge;
using group::Reason;
using near::Context;
using near::Rule;

void put_reason(os::Message &text, const Context &context, const Rule &rule) {
  if (rule.state == Rule::State::learning) {
    text << "not decided yet";
  } else if (rule.counts.disabled != 0) {
    text << "disabled: friends were near anyway, or had several objects after them";
  } else if (rule.counts.dropped != 0) {
    text << "dropped: what led to friends once did not always";
  } else {
    text << "no friend found in " << uint64_t{rule.tries} << " attempts to learn";
  }
  if (context.countdown != 0) text << "; to be tried again";
}

void explain(const Context &context, const Rule &rule) {
  if (rule.state == Rule::State::learning && rule.tries == 0) return;
  os::Message text;
  text << "abut: ";
  put_site(text, context.site);
  text << ": objects of " << uint64_t{heap::Granules{rule.size}.bytes()} << " bytes: ";
  if (rule.state == Rule::State::placing || rule.state == Rule::State::suspended) {
    text << rule.placed() << " of " << rule.attempts << " beside the object at ";
    put_expression(text, rule.first);
    text << ", in " << rule.counts.runs << " runs";
    if (rule.counts.over_budget != 0)
      text << "; " << rule.counts.over_budget << " had to do without, too much was reserved";
    if (rule.state == Rule::State::suspended) text << "; suspended: chains are short so far";
  } else {
    put_reason(text, context, rule);
  }
  text << "\n";
  text.write();
}

// A context that the profile keeps plain, which no table shows.
void explain_plain(std::string_view calls, const group::Assignment &assignment, bool met) {
  if (assignment.kind != sites::Kind::plain) return;
  os::Message text;
  text << "abut: ";
  text.append(calls.data(), calls.size());
  text << ": ";
  if (!met) text << "not met, and would be ";
  text << "plain by the profile\n";
  text.write();
}

void put_sizes(os::Message &text, const Group &group) {
  text << group.objects << " objects of " << uint64_t{group.smallest};
  if (!group.of_one_size()) text << " to " << uint64_t{group.largest};
  text << " bytes";
}

void put_merge(os::Message &text, const Group &group) {
  if (group.merge == Merge::none) return;
  text << "; with ";
  put_site(text, group::shape_graph.at(group.merged_with).leaf->return_address());
  switch (group.merge) {
  case Merge::none: break;
  case Merge::linked: text << ", which has objects of its type that are linked to these"; break;
  case Merge::pointed_at: text << ", to whose objects the same objects point"; break;
  case Merge::born: text << ", whose objects are linked to these and born with them"; break;
  }
}

void put_outcome(os::Message &text, const Group &group) {
  switch (group.reason) {
  case Reason::few: text << "too few for a pool"; return;
  case Reason::unlinked: text << "no pool, its objects do not lead to each other"; return;
  case Reason::rare: text << "no pool, most calls of its site are for others"; return;
  case Reason::dense: text << "no pool, most that is allocated is of it anyway"; return;
  case Reason::no_room: text << "no pool, there are too many"; return;
  case Reason::short_lived: text << "no pool, most are freed soon"; return;
  case Reason::sparse: text << "the pool was turned off, half of it was empty"; return;
  case Reason::none: break;
  }
  const group::PoolId pool = group.pool.load(std::memory_order_relaxed);
  text << "pool " << uint64_t{pool};
  if (group.root != group.id) return;
  const group::Occupancy found = group::occupancy(group);
  text << ", " << uint64_t{found.bytes} << " bytes in " << uint64_t{found.pages} << " pages";
}

void explain(const Group &group) {
  if (group.reason == Reason::few && group.merge == Merge::none) return;
  os::Message text;
  text << "abut: group " << uint64_t{group.id} << ", ";
  put_site(text, group.leaf->return_address());
  text << ": ";
  put_sizes(text, group);
  text << ": ";
  put_outcome(text, group);
  put_merge(text, group);
  text << "\n";
  text.write();
}

void explain_groups() {
  uint64_t small_ones = 0;
  for (unsigned id = 1; id <= group::shape_graph.count(); ++id) {
    const Group &group = group::shape_graph.at(static_cast<group::GroupId>(id));
    explain(group);
    small_ones += group.reason == Reason::few && group.merge == Merge::none;
  }
  if (place_in_force.pools == Pools::assigned) return; // all others have none by the profile
  os::Message text;
  text << "abut: " << small_ones << " groups were too small for a pool\n";
  text.write();
}

} // namespace

void explain() {
  near::each_context([](const Context &context) {
    for (unsigned i = 0; i < context.rule_count; ++i) explain(context, context.rule(i));
  });
  group::assigned_contexts.each(explain_plain);
  if (place_in_force.pools != Pools::none) explain_groups();
}

void suggest_tuning() {
  os::Message text;
  text << "next: abut tune -- " << program_invocation_short_name << " ARGS\n";
  text.write();
}

void explain_plan() {
  const plan::Counts counts = plan::follower.counts();
  if (counts.contexts == 0) return;
  os::Message text;
  text << "abut: plan: " << counts.placed << " objects in their places, of " << counts.met << " of "
       << counts.contexts << " contexts; " << counts.missed << " were not as planned, "
       << counts.skipped << " did not come, " << counts.occupied << " found their place taken; "
       << counts.disabled << " contexts disabled\n";
  text.write();
}

} // namespace abut::entry

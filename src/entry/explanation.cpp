#include "entry/explanation.hpp"

#include "near/placement.hpp"
#include "os/message.hpp"
#include "plan/follower.hpp"

#include <cstring>
#include <dlfcn.h>

namespace abut::entry {
namespace {

using near::Captured;
using near::Context;
using near::Expression;
using near::Rule;

const char *last_part(const char *path) {
  const char *slash = std::strrchr(path, '/');
  return slash != nullptr ? slash + 1 : path;
}

// Where a call returns to, as a debugger would say it.
void put_site(os::Message &text, Address site) {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void *>(site - 1), &info) == 0 || info.dli_fname == nullptr) {
    text << reinterpret_cast<const void *>(site);
    return;
  }
  text << last_part(info.dli_fname) << "+"
       << reinterpret_cast<const void *>(site - reinterpret_cast<Address>(info.dli_fbase));
  if (info.dli_sname != nullptr) text << " (" << info.dli_sname << ")";
}

void put_word(os::Message &text, unsigned word) {
  static constexpr const char *kRegisters[] = {"rbx", "rbp", "r12", "r13", "r14", "r15"};
  if (word < Captured::kRegisters)
    text << kRegisters[word];
  else
    text << "[rsp + " << uint64_t{(word - Captured::kFirstSlot) * sizeof(Address)} << "]";
}

void put_sum(os::Message &text, int offset) {
  if (offset > 0) text << " + " << static_cast<uint64_t>(offset);
}

void put_expression(os::Message &text, const Expression &expression) {
  for (unsigned i = 0; i < expression.loads; ++i) text << "[";
  put_word(text, expression.base);
  if (expression.loads == 2) {
    put_sum(text, expression.inner);
    text << "]";
  }
  if (expression.index != Expression::kNone) {
    text << " + ";
    put_word(text, expression.index);
    text << " * " << (uint64_t{1} << expression.shift);
  }
  if (expression.loads > 0) {
    put_sum(text, expression.offset);
    text << "]";
  }
}

void put_reason(os::Message &text, const Context &context, const Rule &rule) {
  if (rule.state == Rule::State::learning) {
    text << "not decided yet";
  } else if (rule.counts.given_up != 0) {
    text << "given up: friends were near anyway, or had several objects after them";
  } else if (rule.counts.dropped != 0) {
    text << "dropped: what led to friends once did not always";
  } else {
    text << "no friend found in " << uint64_t{rule.tries} << " looks";
  }
  if (context.countdown != 0) text << "; to be looked at again";
}

void explain(const Context &context, const Rule &rule) {
  if (rule.state == Rule::State::learning && rule.tries == 0) return;
  os::Message text;
  text << "abut: ";
  put_site(text, context.site);
  text << ": objects of " << uint64_t{heap::Granules{rule.size}.bytes()} << " bytes: ";
  if (rule.state == Rule::State::placing) {
    text << rule.placed() << " of " << rule.attempts << " beside the object at ";
    put_expression(text, rule.first);
    text << ", in " << rule.counts.runs << " runs";
    if (rule.counts.over_budget != 0)
      text << "; " << rule.counts.over_budget << " had to do without, too much waited";
  } else {
    put_reason(text, context, rule);
  }
  text << "\n";
  text.write();
}

} // namespace

void explain_friends() {
  near::each_context([](const Context &context) {
    for (unsigned i = 0; i < context.rule_count; ++i) explain(context, context.rules[i]);
  });
}

void explain_plan() {
  const plan::Counts counts = plan::follower.counts();
  if (counts.contexts == 0) return;
  os::Message text;
  text << "abut: plan: " << counts.placed << " objects in their places, of " << counts.met << " of "
       << counts.contexts << " contexts; " << counts.missed << " were not as planned, "
       << counts.skipped << " did not come, " << counts.occupied << " found their place taken; "
       << counts.given_up << " contexts given up\n";
  text.write();
}

} // namespace abut::entry

#include "api/explanation.hpp"
#include "api/json_file.hpp"
#include "api/wording.hpp"
#include "placement/friends/placement.hpp"
#include "placement/pools/grouping.hpp"

namespace abut::entry {
namespace {

using group::Group;
using near::Context;
using near::Rule;

constexpr uint64_t kSchema = 1;

void write_site(JsonWriter &json, Address site) {
  os::Message text;
  put_site(text, site);
  json.text("site", text);
}

const char *word_for(Rule::State state) {
  switch (state) {
  case Rule::State::learning: return "learning";
  case Rule::State::placing: return "placing";
  case Rule::State::suspended: return "suspended";
  case Rule::State::plain: return "plain";
  }
  return "";
}

void write_rule(JsonWriter &json, const Context &context, const Rule &rule) {
  json.element("{");
  write_site(json, context.site);
  json.number("bytes", heap::Granules{rule.size}.bytes());
  json.text("state", word_for(rule.state));
  json.number("looks", uint64_t{rule.tries});
  if (rule.state == Rule::State::placing || rule.state == Rule::State::suspended) {
    os::Message text;
    put_expression(text, rule.first);
    json.text("friend", text);
  }
  json.number("attempts", rule.attempts);
  json.number("placed", rule.placed());
  json.number("runs", rule.counts.runs);
  json.number("holes", rule.counts.holes);
  json.number("near_anyway", rule.counts.near_anyway);
  json.number("over_budget", rule.counts.over_budget);
  json.number("dropped", uint64_t{rule.counts.dropped});
  json.number("disabled", uint64_t{rule.counts.disabled});
  json.close("}");
}

const char *word_for(group::Merge merge) {
  switch (merge) {
  case group::Merge::none: return "none";
  case group::Merge::linked: return "linked";
  case group::Merge::pointed_at: return "pointed_at";
  case group::Merge::born: return "born";
  }
  return "";
}

const char *word_for(group::Reason reason) {
  switch (reason) {
  case group::Reason::none: return "pooled";
  case group::Reason::few: return "few";
  case group::Reason::unlinked: return "unlinked";
  case group::Reason::rare: return "rare";
  case group::Reason::dense: return "dense";
  case group::Reason::short_lived: return "short_lived";
  case group::Reason::no_room: return "no_room";
  case group::Reason::sparse: return "sparse";
  }
  return "";
}

void write_edges(JsonWriter &json, const Group &group) {
  json.member("edges", "[");
  for (unsigned i = 0; i < group.edge_count; ++i) {
    const group::Edge &edge = group.edges[i];
    json.element("{");
    json.number("to", uint64_t{edge.to});
    json.number("offset", edge.word * sizeof(Address));
    json.number("objects", uint64_t{edge.count});
    json.number("born_close", uint64_t{edge.close});
    json.close("}");
  }
  json.close("]");
}

void write_group(JsonWriter &json, const Group &group) {
  json.element("{");
  json.number("id", uint64_t{group.id});
  write_site(json, group.leaf->return_address());
  json.number("chain", uint64_t{group.leaf->depth});
  json.number("objects", group.objects);
  json.number("bytes", group.bytes());
  json.number("smallest", uint64_t{group.smallest});
  json.number("largest", uint64_t{group.largest});
  json.text("state", word_for(group.reason));
  json.number("root", uint64_t{group.root});
  json.text("merge", word_for(group.merge));
  json.number("merged_with", uint64_t{group.merged_with});
  json.number("pool", uint64_t{group.pool.load(std::memory_order_relaxed)});
  if (group.root == group.id) {
    const group::Occupancy found = group::occupancy(group);
    json.number("pool_pages", found.pages);
    json.number("pool_bytes", found.bytes);
  }
  json.number("sampled", uint64_t{group.sampled});
  json.number("scanned", uint64_t{group.scanned});
  write_edges(json, group);
  json.close("}");
}

// A context that the profile keeps plain.
void write_plain(JsonWriter &json, std::string_view calls, bool met) {
  os::Message text;
  text.append(calls.data(), calls.size());
  json.element("{");
  json.text("calls", text);
  json.number("met", uint64_t{met});
  json.close("}");
}

bool write_explanation(int file) {
  JsonWriter json(file);
  json.open("{");
  json.number("schema", kSchema);
  json.number("process", os::process_id());
  json.member("friends", "[");
  near::each_context([&](const Context &context) {
    for (unsigned i = 0; i < context.rule_count; ++i) write_rule(json, context, context.rule(i));
  });
  json.close("]");
  json.member("groups", "[");
  for (unsigned id = 1; id <= group::shape_graph.count(); ++id)
    write_group(json, group::shape_graph.at(static_cast<group::GroupId>(id)));
  json.close("]");
  json.member("plain", "[");
  group::assigned_contexts.each(
      [&](std::string_view calls, const group::Assignment &assignment, bool met) {
        if (assignment.kind == sites::Kind::plain) write_plain(json, calls, met);
      });
  json.close("]");
  json.close("}\n");
  return json.good();
}

} // namespace

void write_explanation_file() {
  write_named_file(Option::explain_file, "ABUT_EXPLAIN_FILE", write_explanation);
}

} // namespace abut::entry

#include "trace/format/rules.hpp"

namespace abut::trace {

namespace {

constexpr unsigned kWidthBits = 4;
constexpr uint8_t kWidths = static_cast<uint8_t>(Width::eight) + 1;
constexpr uint8_t kHasSource = 4; // beside the kind
constexpr size_t kLeastSiteBytes = 3;
constexpr size_t kLeastRuleBytes = 5;
constexpr size_t kLeastGroupBytes = 2;

void put_rule(Bytes &bytes, const Rule &rule) {
  put_varint(bytes, rule.site);
  put_varint(bytes, rule.back);
  bytes.push_back(static_cast<uint8_t>(static_cast<uint8_t>(rule.object_width) |
                                       static_cast<uint8_t>(rule.offset_width) << kWidthBits));
  put_varint(bytes, zigzag(rule.object_step));
  put_varint(bytes, zigzag(rule.offset_step));
}

bool get_rule(ByteReader &bytes, size_t sites, Rule &rule) {
  rule.site = bytes.number32();
  rule.back = bytes.number32();
  const auto widths = bytes.get<uint8_t>();
  const auto object_width = static_cast<uint8_t>(widths & ((1U << kWidthBits) - 1));
  const auto offset_width = static_cast<uint8_t>(widths >> kWidthBits);
  rule.object_width = static_cast<Width>(object_width);
  rule.offset_width = static_cast<Width>(offset_width);
  rule.object_step = unzigzag(bytes.varint());
  rule.offset_step = unzigzag(bytes.varint());
  return !bytes.failed() && rule.site < sites && rule.back <= kWindow && object_width < kWidths &&
         offset_width < kWidths;
}

} // namespace

void put_sites(Bytes &bytes, const std::vector<Site> &sites, bool with_codes) {
  put_varint(bytes, sites.size());
  uint64_t before = 0;
  for (const Site &site : sites) {
    const uint64_t code = with_codes ? site.code : 0;
    put_varint(bytes, zigzag(code - before));
    put_varint(bytes, site.size);
    bytes.push_back(site.source == 0 ? site.kind : site.kind | kHasSource);
    if (site.source != 0) bytes.push_back(site.source);
    before = code;
  }
}

void put_rules(Bytes &bytes, const std::vector<Rule> &rules) {
  put_varint(bytes, rules.size());
  for (const Rule &rule : rules) put_rule(bytes, rule);
}

void put_groups(Bytes &bytes, const Groups &groups) {
  put_varint(bytes, groups.ends.size());
  uint32_t begin = 0;
  for (const uint32_t end : groups.ends) {
    put_varint(bytes, end - begin);
    for (; begin < end; ++begin) put_varint(bytes, groups.rules[begin]);
  }
}

bool get_sites(ByteView view, std::vector<Site> &sites) {
  ByteReader bytes(view);
  sites.resize(bytes.count(kLeastSiteBytes));
  uint64_t code = 0;
  for (Site &site : sites) {
    site.code = code += unzigzag(bytes.varint());
    site.size = bytes.number32();
    const auto flags = bytes.get<uint8_t>();
    if (flags >= kKinds + kHasSource) return false;
    site.kind = flags % kKinds;
    site.source = (flags & kHasSource) != 0 ? bytes.get<uint8_t>() : 0;
  }
  return !bytes.failed() && bytes.at_end();
}

bool get_rules(ByteView view, size_t sites, std::vector<Rule> &rules) {
  ByteReader bytes(view);
  rules.resize(bytes.count(kLeastRuleBytes));
  for (Rule &rule : rules)
    if (!get_rule(bytes, sites, rule)) return false;
  return !bytes.failed() && bytes.at_end();
}

bool get_groups(ByteView view, size_t rules, Groups &groups) {
  ByteReader bytes(view);
  groups.rules.clear();
  groups.ends.resize(bytes.count(kLeastGroupBytes));
  if (groups.ends.size() > kMostGroups) return false;
  for (uint32_t &end : groups.ends) {
    const size_t count = bytes.count(1);
    if (count == 0 || count > kMostInGroup) return false;
    for (size_t i = 0; i < count; ++i) {
      groups.rules.push_back(bytes.number32());
      if (groups.rules.back() >= rules) return false;
    }
    end = static_cast<uint32_t>(groups.rules.size());
  }
  return !bytes.failed() && bytes.at_end();
}

} // namespace abut::trace

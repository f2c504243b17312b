#include "trace/writer.hpp"

#include "trace/context_table.hpp"
#include "trace/format/access_encoder.hpp"
#include "trace/format/chunk.hpp"
#include "trace/format/tables.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace abut::trace {

struct Writer::State {
  State(OutputFile output, const WriterOptions &chosen)
      : file(std::move(output)), options(chosen), accesses(chosen.codes), builder(chosen.level) {}

  void write_table(BlockKind kind, const Bytes &table, size_t rows);
  void write_block(BlockHead head);
  void write_definitions();
  void write_chunk();
  void write_end();
  void add_event(const Origin &origin, Event event);

  OutputFile file;
  WriterOptions options;
  Totals totals;
  AccessEncoder accesses;
  EventEncoder events;
  ChunkStart start;
  BlockBuilder builder;
  ContextTable contexts;
  std::vector<Chain> new_contexts;
  std::vector<Module> modules;
  std::vector<ModuleRow> new_modules;
  std::vector<Placed> index;
};

namespace {

Bytes file_head() {
  Bytes bytes(kFileMagic.begin(), kFileMagic.end());
  put(bytes, kMajorVersion);
  put(bytes, kMinorVersion);
  bytes.resize(kFileHeadBytes, 0);
  return bytes;
}

} // namespace

void Writer::State::write_block(BlockHead head) {
  head.first_access = start.access;
  head.first_event = start.event;
  head.first_object = start.object;
  const uint64_t offset = file.size();
  const Bytes block = builder.finish(head);
  file.write(block);
  get_head(block, head);
  index.push_back({offset, head});
}

void Writer::State::write_table(BlockKind kind, const Bytes &table, size_t rows) {
  BlockHead head;
  head.kind = kind;
  head.events = static_cast<uint32_t>(rows);
  builder.add(Section::table, table);
  write_block(head);
}

// What is used must have been defined before, also for a reader who finds only the begin of the file.
void Writer::State::write_definitions() {
  if (!new_modules.empty()) {
    write_table(BlockKind::modules, module_bytes(new_modules), new_modules.size());
    new_modules.clear();
  }
  if (!new_contexts.empty()) {
    write_table(BlockKind::contexts, context_bytes(new_contexts), new_contexts.size());
    new_contexts.clear();
  }
}

void Writer::State::write_chunk() {
  write_definitions();
  BlockHead head;
  head.kind = BlockKind::chunk;
  head.accesses = accesses.count();
  head.events = events.count();
  if (head.accesses + head.events == 0) return;
  const auto add = [this](Section name, const Bytes &column, size_t, size_t) {
    builder.add(name, column);
    return true;
  };
  const EventColumns event_columns = events.finish(totals.objects + 1);
  for_each_event_column(event_columns, head.events, add);
  const AccessColumns access_columns = accesses.finish();
  for_each_access_column(access_columns, head.accesses, add);
  write_block(head);
  start = {totals.accesses, totals.events, totals.objects + 1};
}

void Writer::State::write_end() {
  const uint64_t offset = file.size();
  builder.add(Section::table, totals_bytes(totals));
  const Bytes table = index_bytes(index);
  builder.add(Section::index, table);
  BlockHead head;
  head.kind = BlockKind::end;
  write_block(head);
  Bytes tail(kEndMagic.begin(), kEndMagic.end());
  put(tail, offset);
  put(tail, checksum(tail));
  file.write(tail);
}

void Writer::State::add_event(const Origin &origin, Event event) {
  event.thread = origin.thread;
  event.context = origin.context;
  event.time = origin.time;
  event.position = accesses.count();
  events.add(event);
  ++totals.events;
  if (events.count() >= options.chunk_events) write_chunk();
}

Writer::Writer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Writer::Writer(Writer &&) noexcept = default;
Writer &Writer::operator=(Writer &&) noexcept = default;
Writer::~Writer() = default;

Result<Writer> Writer::open(const std::string &path, const Header &header,
                            const WriterOptions &options) {
  Result<OutputFile> file = OutputFile::create(path, options.overwrite);
  if (!file) return file.error();
  WriterOptions bounded = options;
  bounded.chunk_accesses = std::clamp<uint32_t>(options.chunk_accesses, 1, kMaxChunkAccesses);
  bounded.chunk_events = std::clamp<uint32_t>(options.chunk_events, 1, kMaxChunkEvents);
  auto state = std::make_unique<State>(file.take(), bounded);
  state->file.write(file_head());
  state->write_table(BlockKind::header, header_bytes(header), 1);
  if (state->file.error()) return *state->file.error();
  return Writer(std::move(state));
}

uint64_t Writer::allocate(const Origin &origin, uint64_t address, uint64_t size, uint64_t align) {
  const uint64_t object = ++state_->totals.objects;
  state_->add_event(origin, {.object = object, .address = address, .size = size, .detail = align});
  return object;
}

void Writer::resize(const Origin &origin, uint64_t object, uint64_t address, uint64_t size,
                    bool moved) {
  const EventKind kind = moved ? EventKind::move : EventKind::resize;
  state_->add_event(origin, {.kind = kind, .object = object, .address = address, .size = size});
}

void Writer::free(const Origin &origin, uint64_t object) {
  ++state_->totals.frees;
  state_->add_event(origin, {.kind = EventKind::free, .object = object});
}

void Writer::near(const Origin &origin, uint64_t object, uint64_t other) {
  state_->add_event(origin, {.kind = EventKind::near, .object = object, .detail = other});
}

void Writer::touch(const Origin &origin, uint64_t object, uint64_t weight) {
  state_->add_event(origin, {.kind = EventKind::touch, .object = object, .detail = weight});
}

void Writer::gap(const Origin &origin, uint64_t accesses) {
  state_->add_event(origin, {.kind = EventKind::gap, .detail = accesses});
}

void Writer::discard(const Origin &origin, uint64_t address, uint64_t size) {
  state_->add_event(origin, {.kind = EventKind::discard, .address = address, .size = size});
}

uint32_t Writer::site(const Site &site) { return state_->accesses.site(site); }

void Writer::accesses(uint32_t thread, std::span<const SiteNumber> sites, const Place *places) {
  State &state = *state_;
  while (!sites.empty()) {
    const size_t room = state.options.chunk_accesses - state.accesses.count();
    const size_t some = std::min({sites.size(), room, size_t{kMostInGroup}});
    state.accesses.add(thread, sites.first(some), places);
    state.totals.accesses += some;
    sites = sites.subspan(some);
    places += some;
    if (some == room || state.accesses.full()) state.write_chunk();
  }
}

void Writer::access(const Access &access) {
  State &state = *state_;
  state.accesses.add(access);
  ++state.totals.accesses;
  if (state.accesses.count() >= state.options.chunk_accesses || state.accesses.full())
    state.write_chunk();
}

uint32_t Writer::context(std::span<const Frame> chain) {
  const auto [number, fresh] = state_->contexts.number_of(chain);
  if (fresh) state_->new_contexts.emplace_back(chain.begin(), chain.end());
  return number;
}

uint32_t Writer::module(const Module &module) {
  state_->modules.push_back(module);
  const auto number = static_cast<uint32_t>(state_->modules.size());
  state_->new_modules.push_back({number, module});
  return number;
}

void Writer::unload(uint32_t module) {
  if (module == 0 || module > state_->modules.size()) return;
  Module &gone = state_->modules[module - 1];
  gone.unloaded = true;
  state_->new_modules.push_back({module, gone});
}

void Writer::count_unmatched_free() { ++state_->totals.unmatched_frees; }

void Writer::count_dropped(uint64_t events, uint64_t accesses) {
  state_->totals.dropped_events += events;
  state_->totals.dropped_accesses += accesses;
}

void Writer::count_instructions(uint64_t more) { state_->totals.instructions += more; }

void Writer::flush() { state_->write_chunk(); }

const std::optional<Error> &Writer::error() const { return state_->file.error(); }
const Totals &Writer::totals() const { return state_->totals; }
uint64_t Writer::bytes_written() const { return state_->file.size(); }

std::optional<Error> Writer::finish(int64_t exit_status, uint64_t ended) {
  state_->totals.exit_status = exit_status;
  state_->totals.ended = ended;
  state_->write_chunk();
  state_->write_end();
  state_->file.close();
  return state_->file.error();
}

} // namespace abut::trace

// The libFuzzer target for trace files, and for what replays them. Its input is what follows a file's head: the blocks. Checksums would keep
// every change from the decoders, so each block that can be found is first given right ones.
#include "sim/layouts/replay.hpp"
#include "trace/batches.hpp"
#include "trace/check.hpp"
#include "trace/object_table.hpp"
#include "trace/reader.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace {

using namespace abut::trace;

Bytes file_of(ByteView blocks) {
  Bytes file(kFileMagic.begin(), kFileMagic.end());
  put(file, kMajorVersion);
  put(file, kMinorVersion);
  file.resize(kFileHeadBytes, 0);
  file.insert(file.end(), blocks.begin(), blocks.end());
  return file;
}

template <typename Number>
Number number_at(const Bytes &file, size_t at) {
  return ByteReader(ByteView(file).subspan(at)).get<Number>();
}

// Writes the magic, the length that there is at most, and both checksums into what could be a head.
size_t mend_block(Bytes &file, size_t at) {
  constexpr size_t kLengthAt = 8, kPayloadSumAt = kBlockHeadBytes - 16,
                   kHeadSumAt = kBlockHeadBytes - 8;
  const size_t room = file.size() - at - kBlockHeadBytes;
  const auto length = static_cast<uint32_t>(number_at<uint32_t>(file, at + kLengthAt) % (room + 1));
  const auto store = [&](size_t offset, auto number) {
    std::copy_n(reinterpret_cast<const uint8_t *>(&number), sizeof number,
                file.begin() + static_cast<ptrdiff_t>(at + offset));
  };
  std::copy(kBlockMagic.begin(), kBlockMagic.end(), file.begin() + static_cast<ptrdiff_t>(at));
  store(kLengthAt, length);
  store(kPayloadSumAt, checksum(ByteView(file).subspan(at + kBlockHeadBytes, length)));
  store(kHeadSumAt, checksum(ByteView(file).subspan(at, kHeadSumAt)));
  return at + kBlockHeadBytes + length;
}

void read_all(const std::string &path) {
  Result<Reader> opened = Reader::open(path);
  if (!opened) return;
  Reader reader = opened.take();
  check(reader);
  read_objects(reader, Count::accesses);
  read_objects(reader, Count::events);
}

// The objects laid out again, and the references to them, by whatever they can be counted for.
void replay_all(const std::string &path, uint8_t choice) {
  using namespace abut::sim;
  Result<Reader> opened = Reader::open(path);
  if (!opened) return;
  Reader reader = opened.take();
  const auto name = static_cast<LayoutName>(choice % 4);
  const std::unique_ptr<Layout> layout = make_layout(name, choice, reader);
  ReplayOptions options;
  options.owned_by = static_cast<OwnedBy>(choice / 4 % 4);
  options.owner_of_context = {1, 2, 3};
  options.join_modifies = choice / 16 % 2 != 0;
  Replay replay(reader, *layout, options);
  while (replay.next())
    if (replay.references().owners.size() != replay.references().count() &&
        options.owned_by != OwnedBy::none)
      std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  if (size == 0) return 0;
  Bytes file = file_of({data + 1, size - 1});
  const bool mended = (data[0] & 1) != 0;
  for (size_t at = kFileHeadBytes; mended && at + kBlockHeadBytes <= file.size();)
    at = mend_block(file, at);
  static const int memory = memfd_create("trace", 0);
  static const std::string path = "/proc/self/fd/" + std::to_string(memory);
  if (ftruncate(memory, 0) != 0 || pwrite(memory, file.data(), file.size(), 0) < 0) std::abort();
  read_all(path);
  replay_all(path, data[0] / 2);
  return 0;
}

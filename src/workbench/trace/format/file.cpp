#include "trace/format/file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace abut::trace {

namespace {

// The names of what is open already.
bool is_opened(const std::string &path) {
  for (const char *begin : {"/dev/stdout", "/dev/stderr", "/dev/fd/", "/proc/self/fd/"})
    if (path.starts_with(begin)) return true;
  return false;
}

// A link to a file may lead anywhere, or to what is not there yet; one to a terminal or a pipe is harmless.
bool leads_to_a_file(const std::string &path) {
  if (is_opened(path)) return false;
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0 || !S_ISLNK(status.st_mode)) return false;
  return stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode);
}

bool is_file(const std::string &path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

} // namespace

OutputFile::OutputFile(std::string path, FileHandle file)
    : path_(std::move(path)), file_(std::move(file)) {
  std::setvbuf(file_.get(), nullptr, _IONBF, 0); // blocks are written whole
}

Result<OutputFile> OutputFile::create(const std::string &path, Overwrite overwrite) {
  if (leads_to_a_file(path)) return Error{path, "is a link", "name the file itself"};
  // What is overwritten is replaced by a new file, so that whoever reads the old one may go on.
  if (overwrite == Overwrite::yes && is_file(path)) unlink(path.c_str());
  FileHandle file(std::fopen(path.c_str(), overwrite == Overwrite::yes ? "wbe" : "wbxe"));
  if (file) return OutputFile(path, std::move(file));
  if (errno == EEXIST)
    return Error{path, "is there already", "name another file, or ask to overwrite it"};
  return Error{path, std::strerror(errno), "name a file in a folder that can be written to"};
}

void OutputFile::write(ByteView bytes) {
  if (error_) return;
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) return fail();
  size_ += bytes.size();
}

void OutputFile::close() {
  if (std::FILE *file = file_.release(); file != nullptr && std::fclose(file) != 0 && !error_)
    fail();
}

void OutputFile::fail() {
  error_ = Error{path_, std::strerror(errno),
                 "make room there, or name a file elsewhere; what was written can be read"};
}

InputFile::InputFile(std::string path, FileHandle file, uint64_t size)
    : path_(std::move(path)), file_(std::move(file)), size_(size) {}

Result<InputFile> InputFile::open(const std::string &path) {
  FileHandle file(std::fopen(path.c_str(), "rbe"));
  if (!file) return Error{path, std::strerror(errno), "name a trace that abut record wrote"};
  if (fseeko(file.get(), 0, SEEK_END) != 0)
    return Error{path, "cannot be read at any place", "name a regular file, not a pipe"};
  const off_t size = ftello(file.get());
  return InputFile(path, std::move(file), static_cast<uint64_t>(std::max<off_t>(size, 0)));
}

bool InputFile::read(uint64_t offset, size_t length, Bytes &bytes) {
  const uint64_t left = offset < size_ ? size_ - offset : 0;
  bytes.resize(static_cast<size_t>(std::min<uint64_t>(length, left)));
  if (fseeko(file_.get(), static_cast<off_t>(std::min(offset, size_)), SEEK_SET) != 0) return false;
  bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file_.get()));
  return std::ferror(file_.get()) == 0;
}

} // namespace abut::trace

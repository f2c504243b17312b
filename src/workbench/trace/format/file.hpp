// Files as a trace needs them: written from begin to end, read anywhere.
#pragma once

#include "trace/format/bytes.hpp"
#include "trace/result.hpp"

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

namespace abut::trace {

struct CloseFile {
  void operator()(std::FILE *file) const { std::fclose(file); }
};
using FileHandle = std::unique_ptr<std::FILE, CloseFile>;

enum class Overwrite : uint8_t { never, yes };

class OutputFile {
public:
  static Result<OutputFile> create(const std::string &path, Overwrite overwrite);

  uint64_t size() const { return size_; }

  // Hands the bytes to the kernel, so that they outlive this process. After an error nothing more is written.
  void write(ByteView bytes);
  void close();
  const std::optional<Error> &error() const { return error_; }

private:
  OutputFile(std::string path, FileHandle file);
  void fail();

  std::string path_;
  FileHandle file_;
  uint64_t size_ = 0;
  std::optional<Error> error_;
};

class InputFile {
public:
  static Result<InputFile> open(const std::string &path);

  const std::string &path() const { return path_; }
  uint64_t size() const { return size_; }

  // The bytes from `offset` on, `length` of them or as many as there are.
  bool read(uint64_t offset, size_t length, Bytes &bytes);

private:
  InputFile(std::string path, FileHandle file, uint64_t size);

  std::string path_;
  FileHandle file_;
  uint64_t size_;
};

} // namespace abut::trace

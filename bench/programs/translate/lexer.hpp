// Splits Pascal source into words. Names are folded to lower case: Pascal knows no other.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace translate {

enum class Kind { name, number, text, symbol, end };

struct Token {
  Kind kind;
  std::string text; // of a symbol: its characters; of a text: what stands between the quotes
  std::size_t line;
};

struct SourceError : std::runtime_error {
  SourceError(std::size_t line, const std::string &reason)
      : std::runtime_error("line " + std::to_string(line) + ": " + reason) {}
};

class Lexer {
public:
  explicit Lexer(std::string_view source) : source_(source) {}
  Token next();

private:
  char peek(std::size_t ahead = 0) const;
  void skip_blanks();
  void skip_comment(std::string_view close);
  Token read_text();

  std::string_view source_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

} // namespace translate

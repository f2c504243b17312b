#include "lexer.hpp"

#include <array>
#include <cctype>

namespace translate {

namespace {

bool starts_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

} // namespace

char Lexer::peek(std::size_t ahead) const {
  return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
}

void Lexer::skip_comment(std::string_view close) {
  const std::size_t end = source_.find(close, at_);
  if (end == std::string_view::npos) throw SourceError(line_, "this comment has no end");
  for (; at_ < end + close.size(); ++at_) line_ += source_[at_] == '\n';
}

void Lexer::skip_blanks() {
  for (;;) {
    if (std::isspace(static_cast<unsigned char>(peek())) != 0)
      line_ += source_[at_++] == '\n';
    else if (peek() == '{')
      skip_comment("}");
    else if (peek() == '(' && peek(1) == '*')
      skip_comment("*)");
    else
      return;
  }
}

Token Lexer::read_text() {
  Token token{Kind::text, "", line_};
  for (++at_; peek() != '\'' || peek(1) == '\''; ++at_) {
    if (peek() == '\0' || peek() == '\n')
      throw SourceError(line_, "this text has no closing quote");
    token.text += peek();
    at_ += peek() == '\''; // two quotes stand for one
  }
  ++at_;
  return token;
}

Token Lexer::next() {
  skip_blanks();
  const char first = peek();
  if (first == '\0') return {Kind::end, "", line_};
  if (first == '\'') return read_text();
  Token token{Kind::symbol, "", line_};
  if (starts_name(first)) {
    token.kind = Kind::name;
    for (; starts_name(peek()) || is_digit(peek()); ++at_)
      token.text += static_cast<char>(std::tolower(static_cast<unsigned char>(peek())));
  } else if (is_digit(first)) {
    token.kind = Kind::number;
    for (; is_digit(peek()); ++at_) token.text += peek();
  } else {
    constexpr std::array<std::string_view, 5> kPairs{":=", "<=", ">=", "<>", ".."};
    token.text = first;
    for (const std::string_view pair : kPairs)
      if (source_.substr(at_, 2) == pair) token.text = pair;
    at_ += token.text.size();
  }
  return token;
}

} // namespace translate

// The parser's expressions, from the loosest binding operators to the tightest.
#include "parser.hpp"

#include <algorithm>
#include <array>

namespace translate {

ExpressionPtr Parser::make(Expression::Kind kind, std::string text) const {
  return std::make_unique<Expression>(
      Expression{kind, std::move(text), std::vector<ExpressionPtr>{}, token_.line});
}

ExpressionPtr Parser::operation(ExpressionPtr left, ExpressionPtr (Parser::*operand)()) {
  ExpressionPtr binary = make(Expression::Kind::binary, token_.text);
  advance();
  binary->children.push_back(std::move(left));
  binary->children.push_back((this->*operand)());
  return binary;
}

ExpressionPtr Parser::expression() {
  ExpressionPtr left = sum();
  constexpr std::array<std::string_view, 6> kRelations{"=", "<>", "<", ">", "<=", ">="};
  const bool related = std::any_of(kRelations.begin(), kRelations.end(),
                                   [this](std::string_view text) { return at(text); });
  return related ? operation(std::move(left), &Parser::sum) : std::move(left);
}

ExpressionPtr Parser::sum() {
  ExpressionPtr left = product();
  while (at("+") || at("-") || at("or")) left = operation(std::move(left), &Parser::product);
  return left;
}

ExpressionPtr Parser::product() {
  ExpressionPtr left = factor();
  while (at("*") || at("div") || at("mod") || at("and"))
    left = operation(std::move(left), &Parser::factor);
  return left;
}

ExpressionPtr Parser::factor() {
  if (at("-") || at("not")) {
    ExpressionPtr unary = make(Expression::Kind::unary, token_.text);
    advance();
    unary->children.push_back(factor());
    return unary;
  }
  if (accept("(")) {
    ExpressionPtr inner = expression();
    expect(")");
    return inner;
  }
  if (token_.kind == Kind::number)
    return make(Expression::Kind::number, take(Kind::number, "a number"));
  if (token_.kind == Kind::text) return make(Expression::Kind::text, take(Kind::text, "a text"));
  return designator();
}

ExpressionPtr Parser::designator() {
  ExpressionPtr name = make(Expression::Kind::name, take(Kind::name, "a name"));
  if (accept("(")) {
    name->kind = Expression::Kind::call;
    arguments(*name, ")");
  } else if (accept("[")) {
    name->kind = Expression::Kind::element;
    arguments(*name, "]");
  }
  return name;
}

void Parser::arguments(Expression &call, std::string_view close) {
  do call.children.push_back(expression());
  while (accept(","));
  expect(close);
}

} // namespace translate

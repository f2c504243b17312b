// Reads a Pascal program by recursive descent. The subset: constants, integers, booleans, arrays of
// integers, procedures and functions (not nested) with value and var parameters, all statements but
// goto and with.
#pragma once

#include "lexer.hpp"
#include "tree.hpp"

namespace translate {

class Parser {
public:
  explicit Parser(std::string_view source) : lexer_(source), token_(lexer_.next()) {}
  Program program();

private:
  bool at(std::string_view text) const;
  bool accept(std::string_view text);
  void expect(std::string_view text);
  std::string take(Kind kind, const char *what);
  void advance() { token_ = lexer_.next(); }

  void declarations(Routine &routine);
  void constants(Routine &routine);
  void variables(std::vector<Variable> &variables, bool by_reference);
  std::unique_ptr<Routine> routine(bool is_function);
  Type type();
  long bound();

  StatementPtr make(Statement::Kind kind) const;
  StatementPtr statement();
  StatementPtr block(std::string_view close);
  StatementPtr assignment_or_call();
  StatementPtr branch();
  StatementPtr loop();
  StatementPtr repeat();
  StatementPtr count();
  StatementPtr choose();

  ExpressionPtr make(Expression::Kind kind, std::string text) const;
  ExpressionPtr operation(ExpressionPtr left, ExpressionPtr (Parser::*operand)());
  ExpressionPtr expression();
  ExpressionPtr sum();
  ExpressionPtr product();
  ExpressionPtr factor();
  ExpressionPtr designator();
  void arguments(Expression &call, std::string_view close);

  Lexer lexer_;
  Token token_;
};

} // namespace translate

// The syntax tree of a Pascal program: each node a block of its own, with its children in a vector.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace translate {

struct Type {
  enum class Kind { integer, boolean, array } kind = Kind::integer;
  long low = 0; // of an array of integers
  long high = 0;
};

struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;

// `text` is a number's digits, a name, an operator, or the characters of a text. The children are
// an operator's operands, a call's arguments, or an array's index.
struct Expression {
  enum class Kind { number, text, name, call, element, unary, binary } kind;
  std::string text;
  std::vector<ExpressionPtr> children;
  std::size_t line;
};

struct Statement;
using StatementPtr = std::unique_ptr<Statement>;

struct Arm {
  std::vector<ExpressionPtr> labels;
  StatementPtr body;
};

struct Statement {
  enum class Kind { block, assign, call, branch, loop, repeat, count, choose, empty } kind;
  std::vector<ExpressionPtr> expressions; // in the order of the source
  std::vector<StatementPtr> children;
  std::vector<Arm> arms; // of a choice (case); its last child is the `else`
  bool downward = false; // of a count (for ... downto)
  std::size_t line;
};

struct Variable {
  std::string name;
  Type type;
  bool by_reference = false; // of a parameter (var)
};

struct Constant {
  std::string name;
  ExpressionPtr value;
};

struct Routine {
  std::string name;
  std::vector<Variable> parameters;
  std::vector<Constant> constants;
  std::vector<Variable> variables;
  StatementPtr body;
  bool is_function = false;
  Type result;
};

struct Program {
  std::string name;
  std::vector<std::unique_ptr<Routine>> routines;
  Routine main; // its constants and variables are the program's
};

} // namespace translate

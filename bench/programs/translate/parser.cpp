#include "parser.hpp"

namespace translate {

bool Parser::at(std::string_view text) const {
  return (token_.kind == Kind::symbol || token_.kind == Kind::name) && token_.text == text;
}

bool Parser::accept(std::string_view text) {
  if (!at(text)) return false;
  advance();
  return true;
}

void Parser::expect(std::string_view text) {
  if (!accept(text))
    throw SourceError(token_.line,
                      "'" + std::string(text) + "' must stand where '" + token_.text + "' does");
}

std::string Parser::take(Kind kind, const char *what) {
  if (token_.kind != kind)
    throw SourceError(token_.line,
                      std::string(what) + " must stand where '" + token_.text + "' does");
  std::string text = std::move(token_.text);
  advance();
  return text;
}

Program Parser::program() {
  Program program;
  expect("program");
  program.name = take(Kind::name, "the program's name");
  expect(";");
  declarations(program.main);
  while (at("procedure") || at("function")) {
    const bool is_function = at("function");
    advance();
    program.routines.push_back(routine(is_function));
  }
  expect("begin");
  program.main.body = block("end");
  expect(".");
  return program;
}

void Parser::declarations(Routine &routine) {
  if (accept("const")) constants(routine);
  if (!accept("var")) return;
  do {
    variables(routine.variables, false);
    expect(";");
  } while (token_.kind == Kind::name && !at("procedure") && !at("function") && !at("begin"));
}

void Parser::constants(Routine &routine) {
  do {
    std::string name = take(Kind::name, "a constant's name");
    expect("=");
    routine.constants.push_back({std::move(name), expression()});
    expect(";");
  } while (token_.kind == Kind::name && !at("var") && !at("procedure") && !at("function") &&
           !at("begin"));
}

void Parser::variables(std::vector<Variable> &variables, bool by_reference) {
  std::vector<std::string> names;
  do names.push_back(take(Kind::name, "a variable's name"));
  while (accept(","));
  expect(":");
  const Type shared = type();
  for (std::string &name : names) variables.push_back({std::move(name), shared, by_reference});
}

long Parser::bound() {
  const bool negative = accept("-");
  const long value = std::stol(take(Kind::number, "a bound"));
  return negative ? -value : value;
}

Type Parser::type() {
  if (accept("integer")) return {Type::Kind::integer};
  if (accept("boolean")) return {Type::Kind::boolean};
  expect("array");
  expect("[");
  Type array{Type::Kind::array};
  array.low = bound();
  expect("..");
  array.high = bound();
  expect("]");
  expect("of");
  expect("integer");
  return array;
}

std::unique_ptr<Routine> Parser::routine(bool is_function) {
  auto routine = std::make_unique<Routine>();
  routine->name = take(Kind::name, "a routine's name");
  routine->is_function = is_function;
  if (accept("(")) {
    do {
      const bool by_reference = accept("var");
      variables(routine->parameters, by_reference);
    } while (accept(";"));
    expect(")");
  }
  if (is_function) {
    expect(":");
    routine->result = type();
  }
  expect(";");
  declarations(*routine);
  expect("begin");
  routine->body = block("end");
  expect(";");
  return routine;
}

StatementPtr Parser::make(Statement::Kind kind) const {
  auto statement = std::make_unique<Statement>();
  statement->kind = kind;
  statement->line = token_.line;
  return statement;
}

StatementPtr Parser::statement() {
  if (accept("begin")) return block("end");
  if (accept("if")) return branch();
  if (accept("while")) return loop();
  if (accept("repeat")) return repeat();
  if (accept("for")) return count();
  if (accept("case")) return choose();
  if (token_.kind == Kind::name && !at("end") && !at("until") && !at("else"))
    return assignment_or_call();
  return make(Statement::Kind::empty);
}

StatementPtr Parser::block(std::string_view close) {
  StatementPtr block = make(Statement::Kind::block);
  do block->children.push_back(statement());
  while (accept(";"));
  expect(close);
  return block;
}

StatementPtr Parser::assignment_or_call() {
  StatementPtr statement = make(Statement::Kind::call);
  statement->expressions.push_back(designator());
  if (accept(":=")) {
    statement->kind = Statement::Kind::assign;
    statement->expressions.push_back(expression());
  }
  return statement;
}

StatementPtr Parser::branch() {
  StatementPtr branch = make(Statement::Kind::branch);
  branch->expressions.push_back(expression());
  expect("then");
  branch->children.push_back(statement());
  if (accept("else")) branch->children.push_back(statement());
  return branch;
}

StatementPtr Parser::loop() {
  StatementPtr loop = make(Statement::Kind::loop);
  loop->expressions.push_back(expression());
  expect("do");
  loop->children.push_back(statement());
  return loop;
}

StatementPtr Parser::repeat() {
  StatementPtr repeat = make(Statement::Kind::repeat);
  repeat->children.push_back(block("until"));
  repeat->expressions.push_back(expression());
  return repeat;
}

StatementPtr Parser::count() {
  StatementPtr count = make(Statement::Kind::count);
  count->expressions.push_back(make(Expression::Kind::name, token_.text));
  take(Kind::name, "a variable");
  expect(":=");
  count->expressions.push_back(expression());
  count->downward = at("downto");
  if (!accept("downto")) expect("to");
  count->expressions.push_back(expression());
  expect("do");
  count->children.push_back(statement());
  return count;
}

StatementPtr Parser::choose() {
  StatementPtr choose = make(Statement::Kind::choose);
  choose->expressions.push_back(expression());
  expect("of");
  while (!at("else") && !at("end")) {
    Arm arm;
    do arm.labels.push_back(expression());
    while (accept(","));
    expect(":");
    arm.body = statement();
    choose->arms.push_back(std::move(arm));
    if (!accept(";")) break;
  }
  if (accept("else")) {
    choose->children.push_back(statement());
    accept(";");
  }
  expect("end");
  return choose;
}

} // namespace translate

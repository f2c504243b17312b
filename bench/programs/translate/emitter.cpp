#include "emitter.hpp"

#include "lexer.hpp"

#include <set>

namespace translate {

namespace {

// Names that mean something else in C get an underscore.
std::string c_name(const std::string &name) {
  static const std::set<std::string> taken{
      "auto",   "break",  "case",     "char",   "const",  "continue", "default", "do",
      "double", "else",   "enum",     "extern", "float",  "for",      "goto",    "if",
      "int",    "labs",   "long",     "main",   "printf", "register", "return",  "short",
      "signed", "sizeof", "square",   "static", "struct", "switch",   "typedef", "union",
      "void",   "while",  "volatile", "inline", "result", "unsigned"};
  return taken.contains(name) ? name + "_" : name;
}

std::string extent(const Type &type) { return std::to_string(type.high - type.low + 1); }

} // namespace

void Emitter::line(const std::string &text) { out_ += std::string(depth_ * 2, ' ') + text + "\n"; }

void Emitter::declare(const std::string &name, Symbol symbol, Scope &scope) const {
  if (!scope.declare(name, std::move(symbol)))
    throw std::runtime_error("'" + name + "' is declared twice in one scope");
}

void Emitter::constants(const std::vector<Constant> &constants, Scope &scope) {
  for (const Constant &constant : constants) {
    const std::string name = c_name(constant.name);
    line("enum { " + name + " = " + expression(*constant.value) + " };");
    declare(constant.name, {Symbol::Kind::constant, name, {}}, scope);
  }
}

void Emitter::variables(const std::vector<Variable> &variables, Scope &scope, const char *storage) {
  for (const Variable &variable : variables) {
    const std::string name = c_name(variable.name);
    const bool array = variable.type.kind == Type::Kind::array;
    line(storage + ("long " + name) + (array ? "[" + extent(variable.type) + "]" : "") +
         (array ? " = {0};" : " = 0;"));
    declare(variable.name, {Symbol::Kind::variable, name, variable.type}, scope);
  }
}

std::string Emitter::parameters(const Routine &routine, Scope &scope) {
  std::string list;
  for (const Variable &parameter : routine.parameters) {
    const std::string name = c_name(parameter.name);
    const bool array = parameter.type.kind == Type::Kind::array;
    if (array && !parameter.by_reference)
      throw std::runtime_error("array '" + parameter.name + "' of " + routine.name +
                               " is passed by value; declare it with var");
    list += (list.empty() ? "" : ", ") +
            ("long " + std::string(parameter.by_reference ? "*" : "")) + name;
    declare(parameter.name,
            {Symbol::Kind::variable, name, parameter.type, parameter.by_reference && !array},
            scope);
  }
  return list.empty() ? "void" : list;
}

void Emitter::routine(const Routine &routine) {
  const std::string name = c_name(routine.name);
  declare(routine.name, {Symbol::Kind::routine, name, routine.result, false, &routine}, globals_);
  Scope scope(&globals_);
  const std::string list = parameters(routine, scope);
  line((routine.is_function ? "static long " : "static void ") + name + "(" + list + ") {");
  ++depth_;
  scope_ = &scope;
  current_ = &routine;
  constants(routine.constants, scope);
  variables(routine.variables, scope, "");
  if (routine.is_function) line("long result = 0;");
  statement(*routine.body);
  if (routine.is_function) line("return result;");
  --depth_;
  line("}");
  line("");
  scope_ = &globals_;
  current_ = nullptr;
}

std::string Emitter::program(const Program &program) {
  scope_ = &globals_;
  line("/* program " + program.name + " */");
  line("#include <stdio.h>");
  line("#include <stdlib.h>");
  line("");
  line("static inline long square(long x) { return x * x; }");
  line("");
  constants(program.main.constants, globals_);
  variables(program.main.variables, globals_, "static ");
  for (const auto &each : program.routines) routine(*each);
  line("int main(void) {");
  ++depth_;
  statement(*program.main.body);
  line("return 0;");
  --depth_;
  line("}");
  return std::move(out_);
}

const Symbol &Emitter::symbol(const Expression &expression) const {
  const Symbol *symbol = scope_->find(expression.text);
  if (symbol == nullptr)
    throw SourceError(expression.line, "'" + expression.text + "' is not declared");
  return *symbol;
}

std::string Emitter::place(const Expression &expression) const {
  if (current_ != nullptr && current_->is_function && expression.text == current_->name)
    return "result";
  const Symbol &named = symbol(expression);
  if (named.kind != Symbol::Kind::variable)
    throw SourceError(expression.line, "'" + expression.text + "' is not a variable");
  if (expression.kind == Expression::Kind::element) {
    const std::string index = this->expression(*expression.children.front());
    const std::string shift = std::to_string(named.type.low);
    return named.name + "[" + (named.type.low == 0 ? index : "(" + index + " - " + shift + ")") +
           "]";
  }
  return named.by_reference ? "(*" + named.name + ")" : named.name;
}

std::string Emitter::argument(const Variable &parameter, const Expression &given) const {
  if (!parameter.by_reference) return expression(given);
  if (parameter.type.kind == Type::Kind::array) return symbol(given).name;
  return "&" + place(given);
}

std::string Emitter::invocation(const Expression &expression) const {
  if (expression.text == "abs" || expression.text == "sqr" || expression.text == "odd") {
    if (expression.children.size() != 1)
      throw SourceError(expression.line, expression.text + " takes one argument");
    const std::string of = this->expression(*expression.children.front());
    if (expression.text == "odd") return "((" + of + " & 1) == 1)";
    return (expression.text == "abs" ? "labs(" : "square(") + of + ")";
  }
  const Symbol &named = symbol(expression);
  if (named.kind != Symbol::Kind::routine)
    throw SourceError(expression.line, "'" + expression.text + "' is not a routine");
  const auto &parameters = named.routine->parameters;
  if (parameters.size() != expression.children.size())
    throw SourceError(expression.line, "'" + expression.text + "' takes " +
                                           std::to_string(parameters.size()) + " arguments, not " +
                                           std::to_string(expression.children.size()));
  std::string list;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    list += (i == 0 ? "" : ", ") + argument(parameters[i], *expression.children[i]);
  return named.name + "(" + list + ")";
}

std::string Emitter::expression(const Expression &expression) const {
  static const std::map<std::string, std::string> operators{
      {"=", "=="},   {"<>", "!="}, {"div", "/"}, {"mod", "%"},
      {"and", "&&"}, {"or", "||"}, {"not", "!"}};
  const auto in_c = [](const std::string &name) {
    const auto found = operators.find(name);
    return found == operators.end() ? name : found->second;
  };
  switch (expression.kind) {
  case Expression::Kind::number: return expression.text;
  case Expression::Kind::text: throw SourceError(expression.line, "a text can only be written out");
  case Expression::Kind::call: return invocation(expression);
  case Expression::Kind::element: return place(expression);
  case Expression::Kind::unary:
    return "(" + in_c(expression.text) + this->expression(*expression.children[0]) + ")";
  case Expression::Kind::binary:
    return "(" + this->expression(*expression.children[0]) + " " + in_c(expression.text) + " " +
           this->expression(*expression.children[1]) + ")";
  case Expression::Kind::name: break;
  }
  if (expression.text == "true" || expression.text == "false")
    return expression.text == "true" ? "1" : "0";
  const Symbol &named = symbol(expression);
  if (named.kind == Symbol::Kind::routine) return invocation(expression);
  return named.kind == Symbol::Kind::constant ? named.name : place(expression);
}

} // namespace translate

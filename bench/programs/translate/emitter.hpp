// Writes a parsed Pascal program as C. Integers and booleans become `long`; every operation is put
// in brackets, so that C's precedence has no say.
#pragma once

#include "symbols.hpp"
#include "tree.hpp"

namespace translate {

class Emitter {
public:
  std::string program(const Program &program);

private:
  void line(const std::string &text);
  void constants(const std::vector<Constant> &constants, Scope &scope);
  void variables(const std::vector<Variable> &variables, Scope &scope, const char *storage);
  void routine(const Routine &routine);
  std::string parameters(const Routine &routine, Scope &scope);
  void declare(const std::string &name, Symbol symbol, Scope &scope) const;

  void statement(const Statement &statement);
  void body(const Statement &statement); // one level further in
  void assign(const Statement &statement);
  void call(const Expression &call);
  void write(const Expression &call);
  void count(const Statement &statement);
  void choose(const Statement &statement);

  std::string expression(const Expression &expression) const;
  std::string place(const Expression &expression) const; // what can be assigned to
  std::string invocation(const Expression &expression) const;
  std::string argument(const Variable &parameter, const Expression &given) const;
  const Symbol &symbol(const Expression &expression) const;

  std::string out_;
  std::size_t depth_ = 0;
  std::size_t limits_ = 0; // numbers the limits of counting loops
  const Scope *scope_ = nullptr;
  Scope globals_{nullptr};
  const Routine *current_ = nullptr;
};

} // namespace translate

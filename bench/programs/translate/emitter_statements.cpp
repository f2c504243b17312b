// The emitter's statements.
#include "emitter.hpp"

#include "lexer.hpp"

namespace translate {

namespace {

// A text as a C string literal's inside, safe within a printf format.
std::string escaped(const std::string &text) {
  std::string result;
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (c == '%') result += '%';
    result += c;
  }
  return result;
}

} // namespace

void Emitter::body(const Statement &inner) {
  ++depth_;
  statement(inner);
  --depth_;
}

void Emitter::assign(const Statement &statement) {
  line(place(*statement.expressions[0]) + " = " + expression(*statement.expressions[1]) + ";");
}

void Emitter::write(const Expression &call) {
  std::string format;
  std::string values;
  for (const auto &item : call.children) {
    if (item->kind == Expression::Kind::text) {
      format += escaped(item->text);
    } else {
      format += "%ld";
      values += ", (long)" + expression(*item);
    }
  }
  line("printf(\"" + format + (call.text == "writeln" ? "\\n\"" : "\"") + values + ");");
}

void Emitter::call(const Expression &call) {
  if (call.text == "write" || call.text == "writeln")
    write(call);
  else
    line(invocation(call) + ";");
}

// Pascal works the limit out once, before the first turn.
void Emitter::count(const Statement &statement) {
  const std::string counter = place(*statement.expressions[0]);
  const std::string limit = "limit" + std::to_string(++limits_) + "_";
  line("{");
  ++depth_;
  line("long " + limit + " = " + expression(*statement.expressions[2]) + ";");
  line("for (" + counter + " = " + expression(*statement.expressions[1]) + "; " + counter +
       (statement.downward ? " >= " : " <= ") + limit + "; " + counter +
       (statement.downward ? "--" : "++") + ") {");
  body(*statement.children[0]);
  line("}");
  --depth_;
  line("}");
}

void Emitter::choose(const Statement &statement) {
  line("switch (" + expression(*statement.expressions[0]) + ") {");
  for (const Arm &arm : statement.arms) {
    for (const auto &label : arm.labels) line("case " + expression(*label) + ":");
    body(*arm.body);
    line("  break;");
  }
  if (!statement.children.empty()) {
    line("default:");
    body(*statement.children[0]);
  }
  line("}");
}

void Emitter::statement(const Statement &statement) {
  switch (statement.kind) {
  case Statement::Kind::block:
    for (const auto &child : statement.children) this->statement(*child);
    return;
  case Statement::Kind::assign: return assign(statement);
  case Statement::Kind::call: return call(*statement.expressions[0]);
  case Statement::Kind::branch:
    line("if (" + expression(*statement.expressions[0]) + ") {");
    body(*statement.children[0]);
    if (statement.children.size() > 1) {
      line("} else {");
      body(*statement.children[1]);
    }
    return line("}");
  case Statement::Kind::loop:
    line("while (" + expression(*statement.expressions[0]) + ") {");
    body(*statement.children[0]);
    return line("}");
  case Statement::Kind::repeat:
    line("do {");
    body(*statement.children[0]);
    return line("} while (!" + expression(*statement.expressions[0]) + ");");
  case Statement::Kind::count: return count(statement);
  case Statement::Kind::choose: return choose(statement);
  case Statement::Kind::empty: return line(";");
  }
}

} // namespace translate

// What each name stands for, scope within scope.
#pragma once

#include "tree.hpp"

#include <map>
#include <memory>
#include <string>

namespace translate {

struct Symbol {
  enum class Kind { constant, variable, routine } kind;
  std::string name; // in C
  Type type;
  bool by_reference = false;        // of a variable: C holds a pointer to it
  const Routine *routine = nullptr; // of a routine
};

class Scope {
public:
  explicit Scope(const Scope *outer) : outer_(outer) {}

  // Returns false where this scope has such a name already.
  bool declare(const std::string &name, Symbol symbol) {
    return symbols_.emplace(name, std::make_unique<Symbol>(std::move(symbol))).second;
  }

  const Symbol *find(const std::string &name) const {
    for (const Scope *scope = this; scope != nullptr; scope = scope->outer_) {
      const auto found = scope->symbols_.find(name);
      if (found != scope->symbols_.end()) return found->second.get();
    }
    return nullptr;
  }

private:
  const Scope *outer_;
  std::map<std::string, std::unique_ptr<Symbol>> symbols_;
};

} // namespace translate

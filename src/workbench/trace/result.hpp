// What may fail on its way through a file: an answer, or an error that a user can understand and mend.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace abut::trace {

struct Error {
  std::string what; // the thing that failed, by name
  std::string why;
  std::string fix; // empty where nothing helps
};

template <typename T>
class [[nodiscard]] Result {
public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T &value() { return std::get<0>(state_); }
  T take() { return std::move(std::get<0>(state_)); }
  const Error &error() const { return std::get<1>(state_); }

private:
  std::variant<T, Error> state_;
};

} // namespace abut::trace

// Two containers and a model of each: what random operations of any kind go on.
#pragma once

#include "operations.hpp"

namespace abut::fuzz {

// `Run` has step(Bytes &), which does one operation, and of its own containers model_of(const Ours &) and
// compare(const Ours &, const Model &).
template <typename Run, typename Ours, typename Model>
class TwoModels {
public:
  void run(Bytes &bytes) {
    while (!bytes.empty()) {
      static_cast<Run *>(this)->step(bytes);
      if (++steps_ % 8 == 0) compare_all();
    }
    compare_all();
  }

protected:
  // What is thrown leaves the container as it was.
  template <typename Action, typename OnModel>
  void strong(unsigned chance, Action action, OnModel on_model) {
    if (succeeds(chance, action))
      on_model();
    else
      compare_all();
  }
  // What is thrown leaves containers that can be used; the models take over what is there.
  template <typename Action, typename OnModel>
  void weak(unsigned chance, Action action, OnModel on_model) {
    if (succeeds(chance, action)) return on_model();
    model_ = Run::model_of(ours_);
    other_model_ = Run::model_of(other_);
    compare_all();
  }
  void compare_all() const {
    Run::compare(ours_, model_);
    Run::compare(other_, other_model_);
  }

  Ours ours_;
  Ours other_;
  Model model_;
  Model other_model_;
  int steps_ = 0;
};

} // namespace abut::fuzz

#include "bindings/more_layouts.hpp"

namespace abut::bindings {
namespace {

constinit LayoutMaker registered = nullptr;

} // namespace

bool register_layouts(LayoutMaker maker) {
  registered = maker;
  return true;
}

std::unique_ptr<sim::Layout> registered_layout(std::string_view name) {
  return registered != nullptr ? registered(name) : nullptr;
}

} // namespace abut::bindings

#include "placement/pools/born.hpp"

namespace abut::group {

constinit BirthTable births;

} // namespace abut::group

// Whether a text is well-formed XML of the plain sort: tags, attributes, comments, declarations;
// one root.
#pragma once

#include <string_view>

namespace conformance {

[[nodiscard]] bool well_formed_xml(std::string_view text);

} // namespace conformance

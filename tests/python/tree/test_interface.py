import textwrap

from interface import interface

HEADER = """
// What the header is for.
#pragma once
#include <vector>

namespace house {
namespace detail {
int hidden();
}

// A room.
template <typename T, Shape S = Shape{}>
class Room : public Part<T> { // NOLINT: a reason
public:
  // How many doors. Throws nothing.
  int doors() const { return doors_; }
  explicit Room(int doors) : doors_(doors) {}

private:
  void secret();
  int doors_ = 0;
};

struct Open {
  int at = 0; // from 1
};
enum class Side : char { left, right };
inline constexpr int kMost = int{1} << 4;
} // namespace house
"""


def test_public_declarations_are_shown_with_their_comments_and_without_bodies() -> None:
    shown = interface(HEADER.lstrip("\n"))
    assert shown == textwrap.dedent("""\
        // What the header is for.

        namespace house {

        // A room.
        template <typename T, Shape S = Shape{}>
        class Room : public Part<T> {
          // How many doors. Throws nothing.
          int doors() const;
          explicit Room(int doors);
        };

        struct Open {
          int at = 0; // from 1
        };

        enum class Side : char { left, right };
        inline constexpr int kMost = int{1} << 4;

        }""")

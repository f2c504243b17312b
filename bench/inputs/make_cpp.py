"""Writes a seeded C++ file for a compiler to chew: templates over the standard containers."""

import random

from generator import arguments

HEADERS = (
    "algorithm functional map memory numeric optional set string tuple unordered_map variant vector"
).split()

SCALARS = ("int", "long", "double", "std::string")


def container(source: random.Random, depth: int) -> str:
    if depth == 0:
        return source.choice(SCALARS)
    inner = container(source, depth - 1)
    key = source.choice(("int", "std::string"))
    return source.choice(
        (
            f"std::vector<{inner}>",
            f"std::map<{key}, {inner}>",
            f"std::unordered_map<{key}, {inner}>",
            f"std::pair<{key}, {inner}>",
            f"std::shared_ptr<{inner}>",
            f"std::optional<{inner}>",
        )
    )


def unit(source: random.Random, number: int) -> str:
    held = container(source, source.randint(1, 3))
    key = source.choice(("int", "std::string"))
    return f"""\
struct Item{number} {{
  {key} key;
  {held} held;
  bool operator<(const Item{number} &other) const {{ return key < other.key; }}
}};

template <typename Range> std::size_t use{number}(const Range &range) {{
  std::map<{key}, std::vector<Item{number}>> groups;
  for (const auto &item : range) groups[item.key].push_back(item);
  std::vector<Item{number}> sorted(range.begin(), range.end());
  std::stable_sort(sorted.begin(), sorted.end());
  std::function<bool(const Item{number} &)> wanted = [&](const Item{number} &item) {{
    return groups.count(item.key) > {source.randint(0, 3)};
  }};
  return static_cast<std::size_t>(std::count_if(sorted.begin(), sorted.end(), wanted));
}}

std::size_t run{number}(std::vector<Item{number}> items) {{
  items.resize({source.randint(1, 50)});
  return use{number}(items) + use{number}(std::vector<Item{number}>(items.rbegin(), items.rend()));
}}

"""


def main() -> None:
    given = arguments(__doc__, units=20)
    with given.out.open("w", encoding="utf-8") as out:
        out.writelines(f"#include <{header}>\n" for header in HEADERS)
        out.write("\n")
        for number in range(given.units):
            out.write(unit(given.source, number))


if __name__ == "__main__":
    main()

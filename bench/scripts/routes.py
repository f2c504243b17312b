"""Python: components and distances in a network of objects, by search in breadth."""

import sys
from collections import deque


class Place:
    """A place of the network, with the roads that begin there."""

    def __init__(self, number: int) -> None:
        self.name = f"place {number}"
        self.roads: list[tuple[Place, float]] = []
        self.distance = -1.0


def network(count: int, state: int) -> list[Place]:
    """Places with roads between any two of them."""
    places = [Place(number) for number in range(count)]
    for place in places:
        for _ in range(2):
            state = state * 16807 % 2147483647
            other, length = places[state % count], state % 97 / 7
            place.roads.append((other, length))
            other.roads.append((place, length))
    return places


def main() -> None:
    """Search, and print what the distances come to."""
    count, seed = map(int, sys.argv[1:3])
    places = network(count, seed)
    total = 0.0
    for start in places:
        if start.distance >= 0:
            continue
        start.distance = 0.0
        queue = deque([start])
        while queue:
            place = queue.popleft()
            total += len(place.name)
            for other, length in place.roads:
                if other.distance < 0:
                    other.distance = place.distance + length
                    total += other.distance
                    queue.append(other)
    print(round(total, 3))


main()

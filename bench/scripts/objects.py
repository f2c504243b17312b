"""Objects, dictionaries, sets and strings that come and go: an order book kept up to date.

Run with PYTHONMALLOC=malloc, so that every object is the heap's affair and none is pymalloc's.
"""

import argparse
import random
from collections import defaultdict, deque


class Order:
    """One order; its instance dictionary and its lines are blocks of their own."""

    def __init__(self, number: int, customer: str, lines: list[tuple[str, int]]) -> None:
        self.number = number
        self.customer = customer
        self.lines = lines
        self.notes: dict[str, str] = {}

    def total(self) -> int:
        return sum(len(article) * count for article, count in self.lines)


def make_order(source: random.Random, number: int) -> Order:
    customer = f"customer-{source.randrange(2000)}"
    lines = [
        (f"article-{source.randrange(10000)}", source.randint(1, 9))
        for _ in range(source.randint(1, 6))
    ]
    order = Order(number, customer, lines)
    if number % 3 == 0:
        order.notes["remark"] = f"deliver to {customer} on day {source.randrange(365)}"
    return order


def run(orders: int, open_orders: int, seed: int) -> str:
    source = random.Random(seed)
    by_customer: defaultdict[str, dict[int, Order]] = defaultdict(dict)
    waiting: deque[Order] = deque()
    articles: set[str] = set()
    turnover = 0
    for number in range(orders):
        order = make_order(source, number)
        by_customer[order.customer][number] = order
        articles.update(article for article, _ in order.lines)
        waiting.append(order)
        if len(waiting) > open_orders:
            done = waiting.popleft()
            turnover += done.total()
            del by_customer[done.customer][done.number]
    remarks = sum(len(order.notes) for book in by_customer.values() for order in book.values())
    return f"orders {orders} turnover {turnover} articles {len(articles)} remarks {remarks}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--orders", type=int, default=200_000)
    parser.add_argument("--open", type=int, default=50_000, dest="open_orders")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    print(run(arguments.orders, arguments.open_orders, arguments.seed))


if __name__ == "__main__":
    main()

"""Writes a seeded SQL script: tables are filled, indexed, joined, grouped, updated and thinned."""

import random
from typing import TextIO

from generator import arguments

SCHEMA = """\
PRAGMA journal_mode = OFF;
PRAGMA temp_store = MEMORY;
PRAGMA cache_size = -200000;
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT, city TEXT);
CREATE TABLE sale (id INTEGER PRIMARY KEY, customer INTEGER, article TEXT, price REAL, note TEXT);
"""

QUERIES = """\
CREATE INDEX sale_customer ON sale (customer);
CREATE INDEX sale_article ON sale (article, price);
SELECT city, count(*), round(sum(price), 2) FROM sale JOIN customer ON customer.id = sale.customer
  GROUP BY city ORDER BY city;
SELECT article, group_concat(name, ';') FROM
  (SELECT article, name FROM sale JOIN customer ON customer.id = sale.customer
   WHERE price > 900 ORDER BY article, name) GROUP BY article ORDER BY length(article), article
  LIMIT 20;
UPDATE sale SET note = note || ' / ' || upper(article) WHERE id % 3 = 0;
DELETE FROM sale WHERE id % 5 = 0;
SELECT count(DISTINCT note), max(length(note)), round(avg(price), 3) FROM sale;
SELECT a.article, count(*) FROM sale a JOIN sale b ON a.customer = b.customer AND a.id < b.id
  GROUP BY a.article ORDER BY count(*) DESC, a.article LIMIT 10;
"""


def write_inserts(out: TextIO, source: random.Random, customers: int, sales: int) -> None:
    for number in range(1, customers + 1):
        city = f"city{source.randrange(50)}"
        out.write(f"INSERT INTO customer VALUES ({number}, 'customer {number}', '{city}');\n")
    for number in range(1, sales + 1):
        customer = source.randint(1, customers)
        article = f"article{source.randrange(500)}"
        price = source.randint(100, 100_000) / 100
        note = "n" * source.randint(0, 60)
        out.write(
            f"INSERT INTO sale VALUES ({number}, {customer}, '{article}', {price}, '{note}');\n"
        )


def main() -> None:
    given = arguments(__doc__, sales=100_000)
    with given.out.open("w", encoding="utf-8") as out:
        out.write(SCHEMA + "BEGIN;\n")
        write_inserts(out, given.source, given.sales // 10, given.sales)
        out.write("COMMIT;\n" + QUERIES)


if __name__ == "__main__":
    main()

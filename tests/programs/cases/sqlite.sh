# Inserts, indices, joins, window functions, full-text search, JSON, blobs, a vacuum; small and large caches.
# needs: sqlite3 sqlite3
cat > work.sql <<'SQL'
CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, owner INTEGER, weight REAL, data BLOB);
CREATE TABLE owner(id INTEGER PRIMARY KEY, name TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40000)
  INSERT INTO item SELECT i, printf('item-%05d', i * 7919 % 40009), i % 977, (i * 31 % 1009) / 7.0, zeroblob(i % 300) FROM n;
INSERT INTO owner SELECT DISTINCT owner, printf('owner %d', owner) FROM item;
CREATE INDEX by_owner ON item(owner, weight);
CREATE INDEX by_name ON item(name);
SELECT count(*), sum(length(data)), max(name) FROM item;
SELECT o.name, count(*), round(sum(weight), 3) FROM item i JOIN owner o ON o.id = i.owner
  GROUP BY o.id ORDER BY 3 DESC, 1 LIMIT 5;
SELECT id, round(avg(weight) OVER (ORDER BY id ROWS 10 PRECEDING), 4) FROM item LIMIT 5 OFFSET 5000;
SELECT id % 10 AS k, count(*), sum(rank) FROM (SELECT id, rank() OVER (PARTITION BY id % 7 ORDER BY weight) AS rank FROM item) GROUP BY k;
SELECT sum(json_extract(json_object('a', id, 'b', name), '$.a')) FROM item;
SELECT json_group_array(name) FROM (SELECT name FROM item ORDER BY name LIMIT 10);
SELECT length(group_concat(name, ',')) FROM item;
DELETE FROM item WHERE id % 3 = 0;
UPDATE item SET name = upper(name) WHERE id % 7 = 0;
SELECT count(*), min(name), max(name) FROM item;
CREATE VIRTUAL TABLE words USING fts5(body);
INSERT INTO words SELECT name || ' of ' || owner FROM item;
SELECT count(*) FROM words WHERE words MATCH '"of" AND 42';
VACUUM;
PRAGMA integrity_check;
SQL
sqlite3 :memory: < work.sql
for cache in 20 -100000; do
    rm -f file.db
    { echo "PRAGMA synchronous = off; PRAGMA cache_size = $cache;"; cat work.sql; } | sqlite3 file.db
    sqlite3 file.db .dump | cksum
    cksum < file.db
done
sqlite3 file.db '.mode csv' 'SELECT * FROM item ORDER BY weight, id LIMIT 3'

# Tables, indices, full text, windows, recursion and a vacuum; small and large caches.
# needs: sqlite3 sqlite3
for cache in 20 -100000; do
    rm -f base
    sqlite3 base <<END
pragma cache_size = $cache;
create table item (id integer primary key, name text, weight real, data blob);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 60000)
  insert into item select i, printf('name-%06d-%s', i * 7919 % 60000, hex(i)), i / 7.0, zeroblob(i % 300) from n;
create index by_name on item(name);
create index by_weight on item(weight desc, id);
create virtual table words using fts5(body);
insert into words select name || ' ' || (id % 100) from item;
select count(*), sum(length(data)), max(name) from item;
select count(*) from words where words match '42';
select id % 10 as k, count(*), sum(rank) from (select id, rank() over (partition by id % 7 order by weight) as rank from item) group by k;
update item set name = upper(name) || id where id % 3 = 0;
delete from item where id % 5 = 0;
select group_concat(id) from (select id from item order by name limit 50);
select sum(json_extract(json_object('a', id, 'b', name), '\$.a')) from item;
vacuum;
pragma integrity_check;
END
    sqlite3 base .dump | sha256sum
    sha256sum < base
done

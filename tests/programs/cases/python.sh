# Threads, forks, a database, JSON, zip files; with its own heap and with every object from malloc.
# needs: python3 python3
cat > work.py <<'PY'
import collections, concurrent.futures, gc, hashlib, io, json, multiprocessing, random, re, sqlite3
import threading, zipfile, zlib

random.seed(1)

def trees(depth):
    return None if depth == 0 else (trees(depth - 1), depth, trees(depth - 1))

def count(tree):
    return 0 if tree is None else 1 + count(tree[0]) + count(tree[2])

print(count(trees(16)))
words = [''.join(random.choices('abcdefgh', k=random.randint(1, 12))) for _ in range(40_000)]
counts = collections.Counter(words)
print(counts.most_common(3), len(counts))
text = json.dumps({'words': words, 'counts': counts})
print(len(text), json.loads(text)['counts'] == counts)
print(len(re.sub(r'(a+)(b*)', r'\2\1', text)), zlib.crc32(text.encode()))
print(hashlib.sha256((3 ** 50_000).to_bytes(20_000, 'big')).hexdigest()[:16])

def work(seed):
    rng = random.Random(seed)
    table = {}
    for i in range(10_000):
        table[rng.randrange(3000)] = bytes(rng.randrange(2000))
    return sum(map(len, table.values()))

with concurrent.futures.ThreadPoolExecutor(8) as pool:
    print(list(pool.map(work, range(8))))
with multiprocessing.get_context('fork').Pool(4) as pool:
    print(pool.map(work, range(8)))
threads = [threading.Thread(target=work, args=(n,)) for n in range(50)]
for thread in threads: thread.start()
for thread in threads: thread.join()
base = sqlite3.connect(':memory:')
base.execute('create table t(a integer primary key, b text)')
base.executemany('insert into t(b) values (?)', ((w,) for w in words))
print(base.execute('select b, count(*) from t group by b order by 2 desc, 1 limit 3').fetchall())
buffer = io.BytesIO()
with zipfile.ZipFile(buffer, 'w', zipfile.ZIP_DEFLATED) as archive:
    for n in range(100):
        archive.writestr(zipfile.ZipInfo(f'f{n}'), '\n'.join(words[n * 100:(n + 1) * 100]))
print(len(zipfile.ZipFile(buffer).read('f7')), gc.collect() >= 0)
PY
PYTHONHASHSEED=0 python3 work.py
PYTHONHASHSEED=0 PYTHONMALLOC=malloc python3 work.py
PYTHONMALLOC=malloc python3 -c 'import email, http.client, unittest, decimal; print(decimal.Decimal(2).sqrt())'
PYTHONMALLOC=malloc_debug python3 -c 'print(sum(len(str(i)) for i in range(100000)))'

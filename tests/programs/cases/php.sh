# Objects and cycles, strings, arrays, JSON, regular expressions, generators, files; with PHP's own heap on top, and without.
# Extensions, which PHP loads with RTLD_DEEPBIND, are each started and named.
# needs: php php-cli
cat > work.php <<'PHP'
<?php
class Node {
    public array $links = [];
    public function __construct(public int $id, public string $name) {}
}
mt_srand(7);
$nodes = [];
for ($i = 0; $i < 20000; $i++) {
    $nodes[$i] = new Node($i, str_repeat(chr(97 + $i % 26), $i % 200));
    if ($i > 0) {
        $nodes[$i]->links[] = $nodes[mt_rand(0, $i - 1)];
        $nodes[$i - 1]->links[] = $nodes[$i]; // cycles, for the collector
    }
}
$sum = 0;
foreach ($nodes as $node) foreach ($node->links as $link) $sum += $link->id * strlen($node->name);
echo "links $sum\n";
$nodes = array_slice($nodes, 0, 100);
$cut = array_map(fn($node) => [$node->id, $node->name], $nodes);
gc_collect_cycles();
echo 'json ', md5(json_encode($cut)), ' ', count(json_decode(json_encode($cut), true)), "\n";
echo 'serialized ', md5(serialize($cut)), ' ', count(unserialize(serialize($cut))), "\n";
$words = [];
for ($i = 0; $i < 50000; $i++) $words[] = base_convert((string) mt_rand(), 10, 36);
sort($words);
echo 'sorted ', md5(implode(',', $words)), "\n";
echo 'preg ', preg_match_all('/([a-f]+)(\d+)/', implode(' ', $words), $found), ' ', md5(implode('', $found[1])), "\n";
function count_up(int $n) { for ($i = 0; $i < $n; $i++) yield $i => str_pad((string) $i, 8, '0', STR_PAD_LEFT); }
$text = '';
foreach (count_up(100000) as $value) $text .= $value;
echo 'text ', strlen($text), ' ', sha1($text), "\n";
$text = str_replace('00', 'zero', $text);
echo 'replaced ', strlen($text), ' ', hash('sha256', $text), "\n";
$heap = new SplPriorityQueue();
foreach ($words as $place => $word) $heap->insert($word, crc32($word));
$order = '';
while (!$heap->isEmpty()) $order .= $heap->extract();
echo 'heap ', md5($order), "\n";
$date = new DateTimeImmutable('2001-02-03 04:05:06 UTC');
echo $date->modify('+1000 days')->format(DATE_ATOM), "\n";
$counts = array_count_values(array_map(fn($word) => '_' . substr($word, 0, 3), $words));
ksort($counts);
$tree = [];
foreach ($counts as $word => $count) $tree[$word[1]][$word[2] ?? ''][] = ['word' => $word, 'count' => $count];
$json = json_encode($tree, JSON_PRETTY_PRINT);
echo 'tree ', md5($json), ' ', json_decode($json, true) === $tree ? 'the same' : 'other', ' ', md5(serialize($tree)), "\n";
echo md5(preg_replace('/([aeiou])([^aeiou ])/', '$2$1', implode(' ', $words))), "\n";
for ($list = null, $i = 0; $i < 50000; $i++) { $node = new Node($i, ''); $node->links[] = $list; $list = $node; }
while ($list) $list = $list->links[0];
file_put_contents('lines', implode("\n", $words));
echo count(file('lines')), ' ', iconv('UTF-8', 'ISO-8859-1', "na\u{ef}ve") === "na\xefve" ? 'iconv' : '', "\n";
$big = str_repeat('x', 10000000); for ($i = 0; $i < 20; $i++) $big .= $big[$i];
echo strlen($big), "\n";
PHP
php work.php
USE_ZEND_ALLOC=0 php work.php
php -m
php -r 'foreach (get_loaded_extensions() as $name) { ob_start(); (new ReflectionExtension($name))->info(); echo $name, " ", count((new ReflectionExtension($name))->getFunctions()), " ", ob_get_clean() !== "", "\n"; }'

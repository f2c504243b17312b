<?php
// Deterministic work on what PHP's core and its usual extensions allocate.
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

# Extensions, which PHP loads with RTLD_DEEPBIND: strings, arrays, JSON, regular expressions, objects, generators, files.
# needs: php php-cli
cat > work.php <<'PHP'
<?php
$state = 42;
function rnd(int $n): int { global $state; $state = ($state * 1103515245 + 12345) % 2147483648; return $state % $n; }
$words = [];
for ($i = 0; $i < 100000; $i++) {
    $word = '';
    for ($n = 3 + rnd(6); $n > 0; $n--) $word .= chr(97 + rnd(26));
    $words[$word] = ($words[$word] ?? 0) + 1;
}
ksort($words);
echo count($words), ' ', array_key_last($words), "\n";
$text = implode(' ', array_slice(array_keys($words), 0, 20000));
echo md5(preg_replace('/([aeiou])([^aeiou ])/', '$2$1', $text)), ' ', preg_match_all('/\b\w{5}\b/', $text), "\n";
$tree = [];
foreach (array_slice($words, 0, 5000, true) as $word => $count) $tree[$word[0]][$word[1]][] = ['word' => $word, 'count' => $count];
$json = json_encode($tree, JSON_PRETTY_PRINT);
echo strlen($json), ' ', md5($json), ' ', json_decode($json, true) === $tree ? 'the same' : 'other', "\n";
echo md5(serialize($tree)), ' ', count(unserialize(serialize($tree))), "\n";
class Node { public ?Node $next = null; public function __construct(public int $value) {} }
$list = null;
for ($i = 0; $i < 50000; $i++) { $node = new Node($i); $node->next = $list; $list = $node; }
for ($sum = 0, $at = $list; $at; $at = $at->next) $sum += $at->value;
echo $sum, "\n";
while ($list) $list = $list->next;
function numbers(int $to) { for ($i = 0; $i < $to; $i++) yield $i => str_repeat('n', $i % 50); }
$length = 0; foreach (numbers(100000) as $each) $length += strlen($each);
echo $length, ' ', hash('sha256', str_repeat($text, 20)), "\n";
file_put_contents('lines', implode("\n", array_keys($words)));
echo count(file('lines')), ' ', iconv('UTF-8', 'ISO-8859-1', "na\u{ef}ve") === "na\xefve" ? 'iconv' : '', "\n";
$big = str_repeat('x', 10000000); for ($i = 0; $i < 20; $i++) $big .= $big[$i];
echo strlen($big), ' ', (new DateTime('@86400'))->format('Y-m-d'), "\n";
PHP
php work.php
USE_ZEND_ALLOC=0 php work.php
php -r 'echo json_encode(["a" => preg_match("/b+/", "abbb")]), "\n";'
php -m

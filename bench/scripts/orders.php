<?php
// PHP: objects and arrays of an order book, sorted, grouped and serialised.
class Order
{
    public function __construct(public int $id, public string $name, public array $lines) {}
}
mt_srand(1);
$orders = [];
for ($i = 0; $i < (int) $argv[1]; $i++) {
    $lines = [];
    for ($j = 0; $j < 4; $j++) {
        $lines["item-" . mt_rand(0, 500)] = ['price' => mt_rand(1, 999), 'count' => mt_rand(1, 9)];
    }
    $orders[] = new Order($i, "customer " . mt_rand(0, 3000), $lines);
}
usort($orders, fn($a, $b) => [$a->name, $a->id] <=> [$b->name, $b->id]);
$groups = [];
foreach ($orders as $order) {
    foreach ($order->lines as $item => $line) {
        $groups[$item][] = $line['price'] * $line['count'];
    }
}
ksort($groups);
$copy = unserialize(serialize($orders));
echo md5(json_encode(array_map('array_sum', $groups))), ' ', count($copy), "\n";

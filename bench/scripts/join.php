<?php
// PHP: customers and their orders as objects, joined by key, grouped, and visited by rank.
[, $count, $state] = $argv;
function draw(int $limit): int
{
    global $state;
    $state = $state * 16807 % 2147483647;
    return $state % $limit;
}

class Customer
{
    public array $orders = [];
    public function __construct(public int $id, public string $name) {}
}

class Order
{
    public function __construct(public Customer $customer, public int $price, public array $items) {}
}

$customers = [];
for ($id = 0; $id < $count; ++$id) {
    $customers["c" . ($id * 7919 % $count)] = new Customer($id, "customer number $id");
}
for ($number = 0; $number < 3 * $count; ++$number) {
    $customer = $customers["c" . draw((int) $count)] ?? null;
    if ($customer) {
        $customer->orders[] = new Order($customer, draw(1000), ["item " . draw(500), draw(9)]);
    }
}
usort($customers, fn($one, $other) => count($other->orders) <=> count($one->orders) ?: $one->id <=> $other->id);
$total = 0;
foreach ($customers as $rank => $customer) {
    foreach ($customer->orders as $order) {
        $total += $order->price * $order->items[1] + strlen($order->customer->name) + $rank % 3;
    }
}
echo $total, "\n";

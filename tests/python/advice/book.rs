// Orders of a book in a linked list, which is walked again and again.
struct Order {
    next: Option<Box<Order>>,
    price: u64,
    note: [u8; 104],
}

struct Book {
    first: Option<Box<Order>>,
}

impl Book {
    #[inline(never)]
    fn add(&mut self, price: u64) {
        let next = self.first.take();
        self.first = Some(Box::new(Order { next, price, note: [0; 104] }));
    }

    #[inline(never)]
    fn sum(&self) -> u64 {
        let (mut at, mut sum) = (&self.first, 0);
        while let Some(order) = at {
            sum += order.price;
            at = &order.next;
        }
        sum
    }
}

fn main() {
    let mut book = Book { first: None };
    for price in 0..3000 {
        book.add(price);
    }
    let mut sum = 0;
    for _ in 0..10 {
        sum += book.sum();
    }
    println!("{sum} {}", book.first.as_ref().map_or(0, |order| order.note[3]));
    while let Some(mut order) = book.first.take() {
        book.first = order.next.take();
    }
}

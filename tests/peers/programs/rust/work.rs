use std::collections::{BTreeMap, HashMap};
use std::sync::mpsc;
use std::thread;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Value {
    Number(u64),
    Text(String),
    List(Vec<Value>),
}

fn make(state: &mut u64, depth: u32) -> Value {
    *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    match (*state >> 60) % 3 {
        0 => Value::Number(*state % 1000),
        1 => Value::Text("t".repeat((*state % 60) as usize)),
        _ if depth > 0 => Value::List((0..5).map(|_| make(state, depth - 1)).collect()),
        _ => Value::Number(0),
    }
}

fn main() {
    let (sender, receiver) = mpsc::channel();
    for seed in 0..6u64 {
        let sender = sender.clone();
        thread::spawn(move || {
            let mut state = seed;
            let mut tree = BTreeMap::new();
            for n in 0..20000u64 {
                tree.insert(n % 3000, make(&mut state, 4));
            }
            let length: usize = tree.values().map(|value| format!("{:?}", value).len()).sum();
            sender.send((seed, length, tree)).unwrap();
        });
    }
    drop(sender);
    let found: HashMap<u64, (usize, BTreeMap<u64, Value>)> = receiver.iter().map(|(s, l, t)| (s, (l, t))).collect();
    for seed in 0..6 {
        let mut values: Vec<Value> = found[&seed].1.values().cloned().collect();
        values.sort();
        println!("{} {} {:?}", seed, found[&seed].0, values.iter().filter(|v| matches!(v, Value::List(_))).count());
    }
}

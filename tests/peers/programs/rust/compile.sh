# A program compiled twice, with and without optimization, to the same bytes, and run.
# needs: rustc rustc
cp "$PEERS/rust/work.rs" .
for level in 0 2; do
    rustc --edition 2021 -C opt-level=$level -C codegen-units=4 -o "work$level" work.rs
    sha256sum "work$level"
    "./work$level"
done

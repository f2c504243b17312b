"""Writes seeded sources: a circuit, its test bench, assembly, or interfaces."""

import random

from generator import Lines, arguments, write_lines


def verilog(source: random.Random, count: int) -> Lines:
    yield "module circuit(input clk, input [15:0] a, input [15:0] b, output reg [15:0] y);"
    yield "wire [15:0] w0 = a ^ b;"
    for number in range(1, count):
        left, right = (source.randrange(max(0, number - 8), number) for _ in "lr")
        operator = source.choice(["+", "-", "^", "&", "|"])
        mask = source.randrange(65536)
        yield f"wire [15:0] w{number} = (w{left} {operator} w{right}) ^ 16'd{mask};"
    yield f"always @(posedge clk) y <= w{count - 1};\nendmodule"


def testbench(source: random.Random, count: int) -> Lines:
    yield from verilog(source, 60)
    yield "module bench;\nreg clk = 0; reg [15:0] a = 1, b = 2; wire [15:0] y; integer i;"
    yield "circuit c(clk, a, b, y);"
    yield f"initial begin for (i = 0; i < {count}; i = i + 1) begin"
    yield '#1 clk = 1; a = a + y; b = b ^ {y, a}; #1 clk = 0; end $display("%h", y); end'
    yield "endmodule"


def assembly(source: random.Random, count: int) -> Lines:
    yield "section .text"
    for number in range(count):
        yield f"label_{number}:\n    mov eax, [rdi + {source.randrange(4096)}]"
        yield f"    add eax, {source.randrange(1 << 20)}\n    cmp eax, TOP_{number % 97}"
        yield f"    jne label_{source.randrange(count)}\n    lea rsi, [rax * 4 + rdx]"
    yield from (f"TOP_{number} equ {source.randrange(1 << 16)}" for number in range(97))


def header(source: random.Random, count: int) -> Lines:
    yield "%module survey\n%inline %{"
    for number in range(count):
        yield f"struct Place{number} {{ int id; double height; char *name; }};"
        yield f"double climb{number}(struct Place{number} *from, int steps, const char *name);"
        yield f"enum Kind{number} {{ FIRST{number} = {source.randrange(99)}, SECOND{number} }};"
    yield "%}"


def proto(source: random.Random, count: int) -> Lines:
    yield 'syntax = "proto3";\npackage survey;'
    for number in range(count):
        yield f"// What is known of place {number}.\nmessage Place{number} {{"
        yield "  int32 id = 1; repeated string names = 2;"
        yield f"  map<string, double> heights = {source.randint(3, 9)};"
        if number:
            yield f"  Place{source.randrange(number)} near = {source.randint(10, 20)};"
        yield "  enum Kind { UNKNOWN = 0; LOW = 1; HIGH = 2; }\n  Kind kind = 30;\n}"


KINDS = {
    "verilog": verilog,
    "testbench": testbench,
    "assembly": assembly,
    "header": header,
    "proto": proto,
}


def main() -> None:
    given = arguments(__doc__, *KINDS, count=1000)
    write_lines(given.out, KINDS[given.kind](given.source, given.count))


if __name__ == "__main__":
    main()

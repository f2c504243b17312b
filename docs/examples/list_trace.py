"""Writes a small trace: a list of nodes that is walked in another order than it was built in.

usage: python list_trace.py FILE
"""

import random
import sys

from abut.trace import Frame, TraceWriter

NODES, WALKS = 10_000, 5

with TraceWriter(sys.argv[1], command=sys.argv, overwrite=True, chunk_accesses=20_000) as trace:
    program = trace.module("/usr/bin/example")
    builder = trace.context([Frame(program, 0x1234), Frame(program, 0x2000)])
    nodes = [
        trace.allocate(48, address=0x10000 + 64 * i, context=builder, time=i) for i in range(NODES)
    ]
    random.Random(1).shuffle(nodes)
    for _ in range(WALKS):
        for node in nodes:
            trace.access(node, 0)  # the next node
            trace.access(node, 16, 4)  # its value
    for i, node in enumerate(nodes):
        trace.free(node, time=NODES + i)

"""Running programs under several heaps, and what the figures of the runs say."""

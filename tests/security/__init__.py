"""Faults of programs, by kind, and which heaps notice them."""

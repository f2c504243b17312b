"""Suites that others wrote, run under the C library's heap and under abut, and compared."""

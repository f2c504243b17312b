"""The papers' heaps, built from parts (C++), and programs measured under them."""

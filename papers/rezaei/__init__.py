"""Rezaei and Kavi: separate caches for the allocator, and a core of its own."""

"""Cyll 2004: plans that give each object a slot, made from a recorded run."""

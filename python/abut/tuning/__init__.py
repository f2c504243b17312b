"""Plans: from a trace's objects, by a strategy, to slots in a file that a heap can follow."""

"""What several papers' measurements share: recorded programs, and results that are kept."""

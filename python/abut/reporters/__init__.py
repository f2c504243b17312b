"""What a comparison looks like: tables, JSON, plots. They take data and print nothing."""

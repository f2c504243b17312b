"""What was built from the papers. abut finds it through entry points and works without it."""

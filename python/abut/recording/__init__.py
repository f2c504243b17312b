"""Ways to record what a program does with its heap."""

"""What to change in a program so that its memory costs less: culprits, reasons, actions."""

"""`python -m abut` is the command line."""

from abut.cli import main

main()

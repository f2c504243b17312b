"""The papers that abut stands on, measured anew: a module a paper, found by `abut bench NAME`."""

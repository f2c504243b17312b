"""One module a verb: arguments in, a call, a rendered answer out."""

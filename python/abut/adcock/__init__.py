"""Adcock's experiments on structures whose nodes move: which there are, and what came of them."""

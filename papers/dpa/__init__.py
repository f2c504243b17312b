"""Wang, Wu and Yew 2010: a pool for each group of contexts."""

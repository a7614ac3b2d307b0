"""`static`: the paper's one-line policy."""

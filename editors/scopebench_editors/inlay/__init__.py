"""`inlay`: the paper's gated memory."""

"""Running an editor on a benchmark: every legal action of every query, then its own decisions."""

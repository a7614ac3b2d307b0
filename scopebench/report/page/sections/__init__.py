"""The sections of the page, each a pure function from run views to plain data."""

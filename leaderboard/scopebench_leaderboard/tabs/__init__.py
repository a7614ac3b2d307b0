"""One module per tab: its controls, how a link sets them, and its content as a pure function."""

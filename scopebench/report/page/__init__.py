"""The report page: one self-contained HTML file, and the same numbers in Markdown."""

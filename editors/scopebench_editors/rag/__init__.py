"""`rag`: reason over the nearest card, always."""

"""`base`: the unedited model."""

"""What a person sees of a build or a run."""

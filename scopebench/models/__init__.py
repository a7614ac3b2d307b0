"""The frozen language model and the sentence encoder, and the packaged ones they default to."""

import os

from scopebench.models.encoder import load_encoder
from scopebench.models.generation_cache import GenerationCache
from scopebench.models.load import load_language_model

# GNU OpenMP's threads spin while they wait for each other. Two runs on the same cores then hold
# each other up: measured on two cores, 3 prompts a second each instead of 13, and no loss for a run
# alone. It is read when torch is first imported; a value the user set stands.
os.environ.setdefault("GOMP_SPINCOUNT", "1000")

__all__ = ["GenerationCache", "load_encoder", "load_language_model"]

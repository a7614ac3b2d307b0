"""The frozen language model and the sentence encoder, and the packaged ones they default to."""

from scopebench.models.encoder import load_encoder
from scopebench.models.generation_cache import GenerationCache
from scopebench.models.load import load_language_model

__all__ = ["GenerationCache", "load_encoder", "load_language_model"]

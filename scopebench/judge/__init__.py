"""A language model as a third matcher: does an answer mean the gold? Optional, never the default.

A model's verdicts depend on the model, so they carry its name, revision and the prompt's hash in
their protocol id, and are never mixed with those of `strict` and `paper`, which need no model.
`benchmarks/matcher.py --judge MODEL` prints how well a model agrees with people.
"""

from scopebench.judge.outcomes import JudgedOutcomes, judge_run
from scopebench.judge.prompt import PROMPT_VERSION, Item, prompt
from scopebench.judge.verdicts import judge_protocol, judge_with

__all__ = [
    "PROMPT_VERSION",
    "Item",
    "JudgedOutcomes",
    "judge_protocol",
    "judge_run",
    "judge_with",
    "prompt",
]

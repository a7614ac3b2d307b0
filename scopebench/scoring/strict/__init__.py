"""The strict matcher, `strict/2`: what an answer must say to earn a gold, rule by rule.

`reading` turns a text into words, `golds` a gold into the ways of saying it, `dates` and `names`
know what those two are, `commitment` and `echo` say what does not count although the words stand
there, and `earn` puts them together. `rules` lists the rules; every one can be switched off.
"""

from scopebench.scoring.strict.earn import earns
from scopebench.scoring.strict.reading import without_thoughts
from scopebench.scoring.strict.rules import DEFAULT_RULES, Rules

__all__ = ["DEFAULT_RULES", "Rules", "earns", "without_thoughts"]

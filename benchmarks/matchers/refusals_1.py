"""Detection of refusals: answers which say that they are not going to answer. English only.

A refusal is not an abstention: abstaining is answering from the unedited model. Detection is a
fixed list of anchored patterns, so that the same text is judged alike for ever; it is precise
rather than complete. An answer is a refusal when it *opens* with one, after an optional apology or
"Based on the context,", and does not take it back ("I'm not sure, but I think it is ..."). Such
words inside a sentence or at the start of a name ("Unknown Pleasures") do not count. Refusals in
other languages are not detected.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from matchers.normalise_1 import fold_paper

_CACHE_SIZE: Final = 1 << 17
_QUOTES: Final = str.maketrans("‘’‚‛`´“”„‟«»", "''''''\"\"\"\"\"\"")

_ADVERB: Final = (
    r"(?:(?:absolutely|actually|also|clearly|completely|currently|directly|entirely|even|exactly|"
    r"explicitly|fully|honestly|just|only|personally|publicly|quite|really|simply|specifically|"
    r"still|totally|truly|yet|100%)\s)*"
)
_DO_NOT: Final = r"(?:do|does|did)(?:\snot|n'?t)"
_CANNOT: Final = r"(?:can\s?not|can'?t|could\snot|couldn'?t|will\snot|won'?t|would\snot|wouldn'?t)"
_CONTEXT: Final = (
    r"(?:(?:the|this|that|your|our|any)\s)?"
    r"(?:(?:above|available|following|given|provided|retrieved|supplied)\s)*"
    r"(?:article|context|data|document|evidence|excerpt|facts?|information|input|knowledge|"
    r"paragraph|passage|prompt|question|sources?|statements?|text)"
    r"(?:\s(?:above|available|given|provided|supplied|you\s(?:gave|provided|have\sprovided)))*"
)
_MISSING: Final = (
    r"(?:available|clear|determined|disclosed|found|given|identified|included|indicated|known|"
    r"listed|mentioned|named|provided|specified|stated)"
)
_UNKNOWN: Final = r"(?:unanswerable|uncertain|unclear|undetermined|undisclosed|unknown|unspecified)"
_MATTER: Final = (
    r"(?:answer|basis|context|data|details?|evidence|indication|information|knowledge|mention|"
    r"records?|references?)"
)
# Where a short refusal ends: the end, a new sentence, a reason, or a place.
_STOP: Final = (
    r"(?=[\"')\]*]*(?:$|[.;!?](?:\s|$)|,?\s(?:as|because|since)\s)"
    r"|\s(?:to\s(?:me|us)|at\s(?:this|the)\s(?:time|moment)|yet)\b"
    rf"|\s(?:in|by|within|from|based\son|given)\s{_CONTEXT}\b)"
)

_LABEL: Final = re.compile(r"^(?:(?:(?:final\s)?answer|a|response)\s?[:=]\s?)+")
_LEAD_IN: Final = (
    r"(?:"
    r"(?:(?:i'?m|i\sam|we'?re|we\sare)\s)?(?:(?:so|very|really|truly)\s)?sorry"
    r"(?:\sfor\s[^,.;]{1,40})?[,.;:!]*\s(?:but\s)?"
    r"|(?:i|we)\sapologi[sz]e(?:\sfor\s[^,.;]{1,40})?[,.;:]*\s(?:but\s)?"
    r"|(?:my\s)?apologies[,.;:]*\s(?:but\s)?"
    r"|(?:unfortunately|regrettably|sadly|honestly|frankly|well|to\sbe\shonest|"
    r"at\s(?:this|the)\s(?:time|moment))[,:]*\s"
    r"|(?:it\s(?:appears|seems)|(?:i'?m|i\sam)\safraid)(?:\s(?:like|that))?\s"
    rf"|(?:based\son|according\sto|from|given|in|within)\s{_CONTEXT}(?:\salone)?,?\s"
    r")*"
)

_PATTERNS: Final = (
    # I don't know, I do not have ..., I'm not sure, I am unable, I have no idea, I need more ...
    rf"(?:i|we)\s{_ADVERB}{_DO_NOT}\s{_ADVERB}(?:have|know|possess|recall|remember)\b",
    rf"(?:i'?m|i\sam|we'?re|we\sare)\s{_ADVERB}(?:not\s{_ADVERB}(?:able|allowed|aware|certain|"
    r"confident|familiar|in\sa\sposition|permitted|sure)|unable|unaware|uncertain|unfamiliar|"
    r"unsure)\b",
    rf"(?:i|we)\s{_ADVERB}{_CANNOT}\s{_ADVERB}(?:access|answer|assist|be\s(?:certain|sure)|comment|"
    r"comply|confirm|deduce|determine|disclose|find|give|guess|help|identify|infer|know|locate|"
    r"name|offer|predict|provide|recall|remember|respond|say|share|speculate|state|tell|verify)\b",
    r"(?:i|we)(?:\shave|'?ve)\s(?:absolutely\s)?no\s(?:access|answer|clue|context|data|evidence|"
    r"idea|information|knowledge|memory|recollection|records?|way)\b",
    r"(?:i|we)(?:'?d|\swould)?\s(?:need|require)\s(?:additional|further|more)\s(?:context|data|"
    r"details?|information)\b",
    r"(?:i|we)\slack\s(?:access|any|context|enough|information|knowledge|sufficient|the)\b",
    r"(?:as|i'?m|i\sam)\s(?:just\s|only\s)?an?\s(?:ai|artificial\sintelligence|"
    r"(?:large\s)?language\smodel)\b",
    # Don't know. Not sure. No idea. Unknown. N/A.
    rf"(?:don'?t\sknow|do\snot\sknow|idk|dunno)(?:\s(?:it|that|this|the\sanswer))?{_STOP}",
    rf"not\s{_ADVERB}(?:certain|sure)(?:\s(?:about\s)?(?:it|that|this|the\sanswer))?{_STOP}",
    r"not\s(?:certain|sure)\s(?:how|if|what|when|where|whether|which|who|whose|why)\b",
    rf"(?:n/a|no\s(?:answer|clue|comment|idea)|none\sgiven|not\sapplicable|unavailable|unsure|"
    rf"{_UNKNOWN}){_STOP}",
    rf"not\s{_ADVERB}{_MISSING}{_STOP}",
    # Cannot answer. Unable to determine. This cannot be determined. It is impossible to say.
    rf"(?:{_CANNOT}|unable\sto|not\sable\sto|(?:im|not\s)possible\sto|(?:difficult|hard)\sto)\s"
    r"(?:answer|confirm|determine|identify|infer|provide|say|verify|"
    r"be\s(?:answered|confirmed|determined|established|found|identified|inferred|verified))\b",
    rf"(?:it|this|that|(?:the|this|that|your)\s(?:\w+\s)?(?:answer|information|query|question))\s"
    rf"{_CANNOT}\sbe\s(?:answered|confirmed|determined|established|found|identified|inferred|"
    r"verified)\b",
    rf"(?:it|that|this)(?:'s|\s(?:is|was|remains))\s{_ADVERB}(?:(?:im|not\s)possible\sto\s(?:answer|"
    r"confirm|determine|know|say|tell|verify)|(?:difficult|hard)\sto\s(?:determine|know|say|tell)|"
    r"(?:unclear|unknown|uncertain|not\s(?:clear|known|stated|specified|mentioned))"
    rf"(?:\s(?:from|how|if|in|what|when|where|whether|which|who|whose|why)\b|{_STOP}))",
    rf"(?:(?:the|this|that|his|her|its|their)\s[^,.;:!?]{{1,80}}?|it|that|this|they)"
    rf"(?:'s|\s(?:is|are|remains?))\s{_ADVERB}(?:{_UNKNOWN}|not\s{_ADVERB}{_MISSING})"
    rf"{_STOP}",
    rf"[^,.;:!?]{{1,100}}?\s(?:is|are|was|were)(?:\snot|n'?t)\s{_ADVERB}{_MISSING}\s"
    rf"(?:anywhere\s)?(?:by|from|in|within)\s{_CONTEXT}\b",
    # The context does not say. There is no information. No information is given. Insufficient ...
    rf"{_CONTEXT}\s(?:{_ADVERB}{_DO_NOT}\s{_ADVERB}(?:address|answer|appear|clarify|contain|cover|"
    r"describe|disclose|discuss|explain|give|have|identify|include|indicate|list|mention|name|"
    r"offer|provide|refer|reveal|say|seem|show|specify|state|support|tell)|(?:contains?|gives?|has|"
    r"includes?|makes?|offers?|provides?)\sno|(?:is|are)\s(?:incomplete|insufficient|"
    r"not\s(?:enough|sufficient))|lacks?)\b",
    rf"there(?:'s|\s(?:is|are|was))\s(?:no|insufficient|not\s(?:any|enough|sufficient))\s"
    rf"(?:\w+\s){{0,2}}?(?:{_MATTER}\b|way\sto\s(?:know|tell|determine|say|answer))",
    rf"there\s(?:is|are|was)n'?t\s(?:any|enough|sufficient)\s(?:\w+\s){{0,2}}?{_MATTER}\b",
    r"no\s(?:(?:additional|available|clear|definitive|direct|explicit|further|other|relevant|"
    rf"reliable|specific|such|sufficient)\s){{0,2}}{_MATTER}(?:{_STOP}|\s(?:about|are|available|"
    r"exists|for|found|given|has|in|is|of|on|provided|regarding|that|to|was|were)\b)",
    r"(?:inadequate|insufficient|not\senough|not\ssufficient|too\slittle)\s(?:context|data|"
    r"details?|evidence|information|knowledge)\b",
    r"(?:please|kindly|(?:can|could)\syou(?:\splease)?)\s(?:clarify|give|provide|share|specify|"
    r"supply)\b",
)
_REFUSAL: Final = re.compile(f"{_LEAD_IN}(?:{'|'.join(_PATTERNS)})")

# "..., but I think it is X" takes a refusal back, unless what follows is another one.
_TAKEN_BACK: Final = re.compile(
    r"(?:\b(?:but|however|though|although)\b|[,.;:])[\s,]*"
    r"(?:i\s(?:believe|guess|suppose|suspect|think|would\s(?:guess|say))|i'?d\s(?:guess|say)|"
    r"it(?:'s|\s(?:could\sbe|is|may\sbe|might\sbe|was))|likely|maybe|my\s(?:best\s)?guess|perhaps|"
    r"possibly|probably|the\sanswer\sis)\b"
    r"(?!\s(?:not|possible|impossible|difficult|hard|best|better|un\w+)\b)"
)


@lru_cache(maxsize=_CACHE_SIZE)
def is_refusal(text: str) -> bool:
    """Return whether an answer is a refusal, by its words alone; an empty answer is not."""
    line = " ".join(fold_paper(text).translate(_QUOTES).split())
    plain = _unwrapped(_LABEL.sub("", _unwrapped(line)))
    found = _REFUSAL.match(plain)
    return found is not None and _TAKEN_BACK.search(plain, found.end()) is None


def _unwrapped(text: str) -> str:
    """Drop emphasis and brackets round a text, and quotation marks where they enclose all of it."""
    inner = text.strip(" *_()[]<>-")
    if inner[:1] in ('"', "'") and inner.rstrip(".!?")[-1:] == inner[:1]:
        return inner.strip("\"' ")
    return inner

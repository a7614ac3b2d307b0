"""Detection of refusals: answers which say that they are not going to answer.

A refusal is not an abstention: abstaining is answering from the unedited model. Detection is a
fixed list of anchored patterns, so that the same text is judged alike for ever; it is precise
rather than complete. English is covered widely, a few other languages by their commonest phrases.

An answer *opens with* a refusal when its first sentence does, after an optional apology or "Based
on the context,". Such words inside a sentence or at the start of a name ("Unknown Pleasures") do
not count. What such an answer goes on to *assert* is kept: a preface is no refusal ("As an AI
language model, I have no current data. However, the owner is ..."). A guess ("maybe", a question),
another refusal and advice assert nothing.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from scopebench.scoring.normalise import fold_paper
from scopebench.scoring.strict.vocabulary import HEDGES, HEDGES_UNSPACED

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

# In the same sentence: "..., but I think it is X".
_TAKEN_BACK: Final = re.compile(
    r"(?:[,;:.]\s*)?\b(?:but|however|though|although|mais|cependant|aber|jedoch|pero|però|porém|maar|но|однако)"
    r"\b[\s,]*|(?:但是|不过|但|でも|しかし)[，、,\s]*"
    r"|[,;:]\s*(?=(?:i\s(?:believe|guess|suppose|suspect|think|would\s(?:guess|say))|i'?d\s(?:guess|say)|"
    r"it(?:'s|\s(?:is|was))|likely|my\s(?:best\s)?guess|probably|the\sanswer\sis)\b)",
    re.IGNORECASE,
)

_ABROAD: Final = re.compile(
    r"(?:désolée?[,.!]?\s+|pardon[,.!]?\s+)?(?:je\s+ne\s+(?:sais|connais|peux|dispose|suis\s+pas\s+(?:sûre?|certaine?|en\s+mesure))\b|je\s+n['’]ai\s+(?:pas|aucune)|"
    r"(?:aucune\s+idée|inconnue?)\s*(?:$|[.!,;]))"
    r"|(?:(?:es\s+)?tut\s+mir\s+leid[,.!]?\s+|leider\s+)?(?:(?:das\s+)?(?:ich\s+)?wei(?:ß|ss)\s+(?:ich\s+)?(?:es\s+|das\s+)?(?:leider\s+)?nicht|"
    r"ich\s+(?:kann|habe|kenne)\b[^.!?]{0,40}?\b(?:nicht|keine?n?)\b|"
    r"ich\s+bin\s+(?:mir\s+)?(?:\w+\s+)?nicht\s+(?:sicher|in\s+der\s+lage)|"
    r"keine\s+ahnung\s*(?:$|[.!,;]|w(?:er|as|o|ann|ie|elche[rs]?)\b|ob\b))"
    r"|(?:lo\s+siento[,.!]?\s+)?(?:(?:yo\s+)?no\s+(?:lo\s+)?(?:sé|conozco|tengo|puedo)\b|no\s+(?:lo\s+)?se\s*(?:$|[.!,;])|(?:ni\s+idea|desconocid[oa])\s*(?:$|[.!,;]))"
    r"|(?:mi\s+dispiace[,.!]?\s+)?(?:non\s+(?:lo\s+)?(?:so|conosco|posso|ho)\b)"
    r"|(?:desculpe[,.!]?\s+)?(?:(?:eu\s+)?não\s+(?:sei|conheço|tenho|posso)\b)"
    r"|(?:sorry[,.!]?\s+)?(?:(?:dat\s+)?(?:ik\s+)?weet\s+(?:ik\s+)?(?:het\s+|dat\s+)?niet)"
    r"|(?:извините[,.!]?\s+|к\s+сожалению,?\s+)?(?:я\s+)?не\s+(?:знаю|могу|имею|уверен)"
    r"|(?:对不起|抱歉|很抱歉)?[，,。]?\s*我?(?:不知道|不清楚|不确定|无法|没有(?:相关)?信息)"
    r"|(?:すみません|申し訳)?[^。]{0,8}?(?:分かりません|わかりません|知りません)"
    r"|(?:죄송합니다[.,]?\s*)?(?:모르겠|알\s*수\s*없)",
    re.IGNORECASE,
)
"""Refusals in French, German, Spanish, Italian, Portuguese, Dutch, Russian, Chinese, Japanese and
Korean, as they open a sentence."""

_ADVICE: Final = re.compile(
    r"(?:please|kindly|i\s(?:would\s)?(?:recommend|suggest|advise)|(?:you|one)\s(?:can|may|could|might|should)|"
    r"(?:can|could)\syou|if\s(?:you|there)|let\sme\sknow|i\shope|is\sthere|feel\sfree|it\s(?:is|would\sbe|may\sbe|might\sbe)\s"
    r"(?:best|better|recommended|advisable|important|possible|always)|my\s(?:knowledge|training)|i\swould\sneed|"
    r"i\scan\s(?:only|help|try|provide|assist)|more\s(?:information|context))\b",
    re.IGNORECASE,
)
"""How a sentence opens that helps without asserting."""

_SAYS_NOTHING: Final = re.compile(
    r"(?:it|that|this|which|there)(?:'s|\s(?:is|was))(?:n'?t|\s(?:not|no|possible|impossible|difficult|hard|"
    r"best|better|un\w+))\b"
)
"""How a sentence opens that says only what is not so."""

_CONTRAST: Final = re.compile(
    r"^(?:(?:however|but|still|nevertheless|that\sbeing\ssaid|instead|also|therefore|thus|so|additionally|"
    r"furthermore|unfortunately|(?:as\sof|according\sto|based\son|to\sthe\sbest\sof)\s(?:my|the)\s[^,.]{1,40}|"
    r"i\scan\stell\syou\sthat)[,\s]+)+"
)
"""How a sentence is tied to the one before it."""

_MAY_BE: Final = re.compile(
    r"\b(?:may|might|could)\s(?:\w+\s)?(?:be|have)\b|\bmight\b", re.IGNORECASE
)

_SENTENCE: Final = re.compile(r"(?<=[.!?])[\"')\]*]*\s+|(?<=[。！？])|\n+")

_ONLY_LEAD_IN: Final = re.compile(
    rf"{_LEAD_IN}(?:(?:i'?m\s|i\sam\s)?(?:(?:so|very)\s)?sorry|(?:i|we)\sapologi[sz]e|(?:my\s)?apologies|"
    r"unfortunately)?[\s.,!]*"
)
_ONLY_SORRY_ABROAD: Final = re.compile(
    r"(?:désolée?|pardon|(?:es\s+)?tut\s+mir\s+leid|lo\s+siento|mi\s+dispiace|desculpe|sorry|"
    r"извините|很?抱歉|对不起|すみません|申し訳(?:ありません|ございません)|죄송합니다)[\s.,!，。]*",
    re.IGNORECASE,
)


@lru_cache(maxsize=_CACHE_SIZE)
def is_refusal(text: str) -> bool:
    """Return whether an answer is a refusal, by its words alone; an empty answer is not."""
    return assertions(text) == ""


@lru_cache(maxsize=_CACHE_SIZE)
def assertions(text: str) -> str | None:
    """Return what an answer that opens with a refusal goes on to assert; None: it opens with none.

    The empty text: it asserts nothing.
    """
    parts = _SENTENCE.split(_unquoted(text))
    sentences = [part for part in parts if any(map(str.isalnum, part))]
    opening = 0
    while opening < len(sentences) - 1 and _is_lead_in(sentences[opening]):
        opening += 1
    if not sentences or not _opens(" ".join(sentences[: opening + 1])):
        return None
    kept = [_turned(sentences[opening]), *map(_asserted, sentences[opening + 1 :])]
    return " ".join(part for part in kept if part)


def _is_lead_in(sentence: str) -> bool:
    """Return whether a sentence is only an apology, or another way to begin a refusal."""
    return (
        _ONLY_LEAD_IN.fullmatch(_plain(sentence)) is not None
        or _ONLY_SORRY_ABROAD.fullmatch(_bare(sentence)) is not None
    )


def _unquoted(text: str) -> str:
    """Drop the quotation marks that enclose a whole text."""
    inner = text.strip()
    quote = inner[:1]
    enclosed = quote in ('"', "'") and inner.endswith(quote) and inner.count(quote) == 2
    return inner[1:-1] if enclosed else text


def _opens(sentence: str) -> bool:
    """Return whether a sentence opens with a refusal."""
    return (
        _REFUSAL.match(_plain(sentence)) is not None or _ABROAD.match(_bare(sentence)) is not None
    )


def _turned(sentence: str) -> str:
    """Return what a refusing sentence asserts after all; "": nothing."""
    for found in _TAKEN_BACK.finditer(sentence):
        rest = sentence[found.end() :]
        if rest.strip():
            return _asserted(rest)
    return ""


def _asserted(sentence: str) -> str:
    """Return a sentence if it asserts something, "" if it guesses, refuses, asks or advises."""
    guesses = sentence.rstrip(" \"')*").endswith(("?", "？")) or _hedges(sentence)
    plain = _CONTRAST.sub("", _plain(sentence))
    guesses = guesses or _SAYS_NOTHING.match(plain) is not None
    if guesses or _opens(plain) or _ADVICE.match(plain):
        return ""
    return sentence


def _hedges(sentence: str) -> bool:
    words = set(re.findall(r"[^\W\d_]+", sentence.casefold()))
    return (
        bool(words & HEDGES)
        or _MAY_BE.search(sentence) is not None
        or any(hedge in sentence for hedge in HEDGES_UNSPACED)
    )


def _plain(text: str) -> str:
    """Return a text without case, diacritics, labels and what encloses it."""
    line = " ".join(fold_paper(text).translate(_QUOTES).split())
    return _unwrapped(_LABEL.sub("", _unwrapped(line)))


def _bare(text: str) -> str:
    """Return a text without what encloses it, diacritics kept."""
    return _unwrapped(" ".join(text.translate(_QUOTES).split()))


def _unwrapped(text: str) -> str:
    """Drop emphasis and brackets round a text, and quotation marks where they enclose all of it."""
    inner = text.strip(" *_()[]<>-")
    if inner[:1] in ('"', "'") and inner.rstrip(".!?")[-1:] == inner[:1]:
        return inner.strip("\"' ")
    return inner

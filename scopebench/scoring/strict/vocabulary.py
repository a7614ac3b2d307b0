"""Closed lists of English words that the rules know; each holds for any question."""

from __future__ import annotations

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FUNCTION_WORDS: Final = _words(
    "a an the this that these those it its he she they his her their him them we us our you "
    "your i my who whom whose which what where when why how is are was were be been being am "
    "has have had do does did will would can could shall should may might must of in on at by "
    "to from for with as into onto over under about after before during through between among "
    "against within without upon per via near along around across until till since than like "
    "toward towards inside outside off up down e ist sind heisst est sont sono das and or but "
    "nor so yet if because while although though however therefore also only just both either "
    "neither not no yes then there here now s t named called known"
)
"""Words that stand beside a name and are no part of it; some forms of "is" in other languages."""

VERBS: Final = _words(
    "wrote sang won made led built took became began drew gave held knew left lost met paid ran "
    "said saw sold spoke told went came got grew taught brought thought plays sings writes "
    "hosts stars lives works owns leads runs holds wins makes means stands refers comes goes "
    "lies flows starts written born drawn spoken taken seen shown given"
)
"""Common verbs, in the forms that do not end in -ed."""

ADVERBS: Final = _words(
    "today currently here too again alone ago probably likely originally primarily mainly "
    "mostly usually instead"
)
"""Words beside a name that are no part of it."""

CONNECTORS: Final = _words(
    "of the de la le del di da du des der den von van for in on at and y et e s"
)
"""Words in lower case that may stand inside a name."""

LEADING: Final = _words(
    "a an the in on at by to from of for with as during into within inside circa c ca "
    "approximately about around roughly nearly almost some its his her their"
)
"""Words that may be left out before a gold: articles, prepositions and approximations."""

KINDS: Final = _words("form kind sort type variety")
"""Words whose "a ... of X" is X."""

COUNTERS: Final = _words(
    "number nr season series episode chapter part volume page verse grade level round group day "
    "week year age aged top usd eur gbp total"
)
"""Words that may stand with a capital before a number without naming anything."""

UNITS: Final = {
    name: unit
    for unit, names in {
        "in": "inch inches",
        "ft": "foot feet",
        "mi": "mile miles",
        "mm": "millimeter millimeters millimetre millimetres",
        "cm": "centimeter centimeters centimetre centimetres",
        "m": "meter meters metre metres",
        "km": "kilometer kilometers kilometre kilometres",
        "kg": "kilogram kilograms kilo kilos",
        "lb": "pound pounds lbs",
        "oz": "ounce ounces",
        "l": "liter liters litre litres",
        "ml": "milliliter milliliters millilitre millilitres",
        "s": "sec secs second seconds",
        "min": "mins minute minutes",
        "h": "hr hrs hour hours",
        "yr": "yrs year years",
        "hz": "hertz",
        "khz": "kilohertz",
        "mhz": "megahertz",
        "ghz": "gigahertz",
    }.items()
    for name in names.split()
}
"""Units after a number, by their names; a currency's name is none."""

SHORT_NAMES: Final = {
    short: name
    for name, shorts in {
        "alexander": "alex",
        "andrew": "andy",
        "anthony": "tony",
        "benjamin": "ben",
        "charles": "charlie chuck",
        "christopher": "chris",
        "daniel": "dan danny",
        "david": "dave davy",
        "donald": "don donnie",
        "edward": "ed eddie ted teddy",
        "elizabeth": "liz beth betty",
        "frederick": "fred freddie",
        "gregory": "greg",
        "james": "jim jimmy jamie",
        "jeffrey": "jeff",
        "john": "johnny jack",
        "jonathan": "jon",
        "joseph": "joe joey",
        "joshua": "josh",
        "katherine": "kate kathy katie",
        "kenneth": "ken kenny",
        "lawrence": "larry",
        "matthew": "matt",
        "michael": "mike mick",
        "nicholas": "nick",
        "patrick": "pat",
        "peter": "pete",
        "philip": "phil",
        "raymond": "ray",
        "richard": "rick dick richie",
        "robert": "bob bobby rob robbie",
        "ronald": "ron ronnie",
        "samuel": "sam sammy",
        "stephen": "steve",
        "steven": "steve",
        "thomas": "tom tommy",
        "timothy": "tim",
        "walter": "walt",
        "william": "bill billy will willie",
    }.items()
    for short in shorts.split()
}
"""Short forms of English first names, which a person's full name may be given with."""

TITLES: Final = _words(
    "president vice deputy assistant prime minister chancellor king queen prince princess "
    "emperor empress tsar czar sultan pope bishop archbishop cardinal reverend rev rabbi imam "
    "sir dame lord lady baron baroness count countess duke duchess earl mr mrs ms miss dr "
    "doctor prof professor general gen colonel col captain capt major lieutenant lt sergeant "
    "sgt admiral commander marshal governor gov mayor senator sen representative congressman "
    "congresswoman judge justice chief secretary ambassador ceo chairman coach manager director "
    "actor actress singer songwriter rapper musician composer author writer novelist poet "
    "playwright painter artist architect scientist physicist chemist biologist botanist "
    "astronomer mathematician engineer inventor explorer philosopher historian economist "
    "politician footballer player drummer guitarist comedian prophet archduke archduchess host "
    "producer screenwriter journalist officer agent detective inspector founder leader"
)
"""Titles and roles, which may stand with a capital before a person's name."""

OFFICES: Final = _words(
    "president minister chancellor secretary ambassador governor mayor senator representative "
    "director chairman manager officer ceo general"
)
"""Those of them that no person is called by, so that a name which ends in one is an office."""

BEFORE_FIRST_NAMES: Final = _words(
    "king queen prince princess emperor empress tsar czar sultan pope sir dame archduke archduchess"
)
"""Titles that a first name follows."""

PLACE_HEADS: Final = _words(
    "city town village country nation continent island planet genus species"
)
"""Words in small letters whose "... of X" is X; a kingdom or province of that name is another."""

GENERIC_HEADS: Final = _words(
    "language languages religion family families period season seasons team country city state "
    "group region award prize album band series system people tribe university university's "
    "club company corporation"
)
"""Common nouns after a name that say what it is, and may be left out ("Uralic languages")."""

BODIES: Final = _words(
    "team award prize band tribe university university's club company corporation"
)
"""Those of them that make something else of a common noun."""

SUFFIXES: Final = _words("jr sr junior senior esq phd md")
"""Suffixes of persons' names; with or without one it is somebody else."""

COMPANY_FORMS: Final = _words(
    "inc incorporated ltd limited llc corp corporation co plc ag gmbh sa as asa ab oy "
    "oyj nv bv spa kk"
)
"""Legal forms after a company's name."""

DESCRIBERS: Final = _words(
    "band group duo trio singer star film movie novel book poem song single album series show "
    "sitcom play opera musical game company firm brand team club river lake mountain city town "
    "village island country language genus species family class order phylum wife husband son "
    "daughter brother sister father mother friend cousin uncle aunt king queen writer"
)
"""Nouns before a name that say what it is ("rock band the Outfield")."""

PROFESSION_ENDINGS: Final = ("ist", "ian", "er", "or", "man", "ess")
NO_PROFESSIONS: Final = _words(
    "former another number winter summer october together whether larger smaller greater higher "
    "older younger earlier longer stronger center corner quarter latter mother-in-law human "
    "german woman"
)
"""How nouns that say what somebody does end, and words that only end so."""

NOT_PERSONS: Final = _words(
    "league university college school institute association federation union party republic "
    "kingdom empire states state city county river lake mountain mount island islands ocean sea "
    "bay gulf street road avenue park station airport bridge church cathedral castle palace "
    "museum theatre theater hospital company corporation group bank club team fc cf afc united "
    "football basketball baseball hockey cricket rugby championship cup games olympics war "
    "battle treaty act award prize records pictures studios television broadcasting network "
    "radio times post news magazine press army navy force corps house hall court committee "
    "council commission organization organisation society foundation international national "
    "american british french german italian spanish world north south east west northern "
    "southern eastern western new old great upper lower central first second music film films "
    "band orchestra choir opera ballet language languages"
)
"""Words of names that are not persons'."""

NEGATORS: Final = _words(
    "not never neither nor except excluding excepting unlike cannot without no nobody none"
)
PHRASES_OF_EXCLUSION: Final = (
    ("other", "than"),
    ("rather", "than"),
    ("instead", "of"),
    ("as", "opposed", "to"),
    ("anyone", "but"),
    ("anybody", "but"),
    ("anything", "but"),
    ("everyone", "but"),
    ("everybody", "but"),
    ("everything", "but"),
    ("anywhere", "but"),
    ("nothing", "but", "not"),
    ("far", "from"),
    ("apart", "from"),
)
AFTER_NOT: Final = _words("only just merely simply least until till before surprisingly unlike")
"""Words after which a "not" does not deny: "not only X", "not until X", "not least X"."""

CONTRAST: Final = _words("but however though although because since while whereas instead rather")
"""Words that end the reach of a "not"."""

FORMERLY: Final = _words("formerly previously once erstwhile")
PAST_QUESTION: Final = _words(
    "was were did had used formerly former previously previous once originally original before "
    "until old earlier past ago first succeed succeeds succeeded replace replaces replaced "
    "predecessor"
)
"""Words of questions that ask about the past, where "formerly X" is an answer."""

HEDGES: Final = _words(
    "maybe perhaps possibly peut vielleicht möglicherweise tal quiza quizas acaso forse talvez "
    "misschien kanske måske kanskje возможно может наверное"
)
"""Words of a guess."""
HEDGES_UNSPACED: Final = ("可能", "也许", "或许", "大概", "たぶん", "かもしれ", "おそらく", "아마")
"""The same in scripts without spaces."""

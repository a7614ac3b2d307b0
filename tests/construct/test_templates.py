from __future__ import annotations

from scopebench.construct.templates import Fit, Templates


def test_the_longest_template_wins_and_gives_the_subject():
    templates = Templates(["The capital of {} is", "The {} is", "{} was born in", "{} in"])
    assert templates.fit("The capital of Ardenbrook is") == Fit(
        "The capital of {} is", "Ardenbrook"
    )
    assert templates.fit("Mara Venn was born in") == Fit("{} was born in", "Mara Venn")
    assert templates.fit("Nobody knows it") is None
    assert templates.fit("") is None


def test_a_subject_is_never_empty():
    assert Templates(["The capital of {} is"]).fit("The capital of  is") is None
    assert Templates(["{}"]).fit("Anything") is None

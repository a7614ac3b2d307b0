from __future__ import annotations

from dataclasses import replace

import pytest

from scopebench.models.prompts import PROMPT_SETS, prompt_set_for

# A template that changes must raise its family's version; then the new pair is written down here.
PINNED = {
    "generic": (1, "3065ac8fd0cf2a3470fbd5e0f906bf2bbf6ed0356ddb6fe29ca9af7c03c2494a"),
    "smollm2": (1, "e2a3595f815285b3a5608d196351fb3e024c67dd9bdbb99558c07a3eec18f04c"),
    "gemma3": (1, "3d20e77cc8b8d6ddcbaece4c8da3071bc1cad8b307a4754868b5c958adba544f"),
}


@pytest.mark.parametrize("family", PROMPT_SETS)
def test_templates_are_tied_to_their_version(family: str) -> None:
    prompts = PROMPT_SETS[family]
    assert (prompts.version, prompts.fingerprint()) == PINNED[family]


@pytest.mark.parametrize("family", PROMPT_SETS)
def test_every_template_counts_in_the_fingerprint(family: str) -> None:
    prompts = PROMPT_SETS[family]
    names = ("abstain_question", "abstain_cloze", "reason_question", "reason_cloze", "family")
    changed = [replace(prompts, **{name: getattr(prompts, name) + " "}) for name in names]
    changed.append(replace(prompts, version=prompts.version + 1))
    assert len({p.fingerprint() for p in (prompts, *changed)}) == 7


@pytest.mark.parametrize("family", PROMPT_SETS)
@pytest.mark.parametrize("form", ["question", "cloze"])
def test_a_prompt_holds_what_is_asked_once_and_last(family: str, form: str) -> None:
    prompts = PROMPT_SETS[family]
    asked, evidence = "Who leads {the} Opal Guild?", "Ines Varga leads\nthe {Opal} Guild."
    bare = prompts.abstain(f" {asked} ", form)  # type: ignore[arg-type]
    informed = prompts.reason(asked, form, evidence)  # type: ignore[arg-type]
    for prompt in (bare, informed):
        assert prompt.count(asked) == 1
        assert "{question}" not in prompt
        assert not prompt.endswith(" ")  # a trailing space would split the answer's first token
    assert "Opal} Guild." not in bare
    assert informed.count("Ines Varga leads the {Opal} Guild.") == 1
    assert informed.index("Ines Varga") < informed.index(asked)


def test_families_are_told_apart() -> None:
    smol = "{{ 'You are a helpful AI assistant named SmolLM, trained by Hugging Face' }}"
    assert prompt_set_for("llama", smol).family == "smollm2"
    assert prompt_set_for("llama", None).family == "generic"
    assert prompt_set_for("gemma3_text", None).family == "gemma3"
    assert prompt_set_for("gpt2", "{{ messages }}").family == "generic"
    assert {name: prompts.family for name, prompts in PROMPT_SETS.items()} == {
        name: name for name in PROMPT_SETS
    }

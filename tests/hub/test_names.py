from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scopebench.hub.names import safe_model_id, safe_name, safe_parameter, safe_text, slug


@pytest.mark.parametrize("name", ["inlay", "0.1.0", "Qwen2.5-0.5B", "a", "A" * 96, "my_editor-2"])
def test_plain_names_pass(name: str) -> None:
    assert safe_name(name) == name


@pytest.mark.parametrize(
    "name",
    [
        "",
        "A" * 97,
        ".hidden",
        "-flag",
        "_x",
        "a..b",
        "a.",
        "..",
        "a/b",
        "a\\b",
        "a b",
        "a\n",
        "a\x00",
        "=HYPERLINK(1)",
        "+1",
        "@x",
        "<b>x</b>",
        "inl\u0430y",  # Cyrillic a
        "a\u2024b",  # one dot leader
        "a\uff0eb",  # fullwidth full stop
        "a\u2215b",  # division slash
        "\u202eyalni",  # writing turned round
        "a\u200bb",  # zero width space
        "\u0661",  # Arabic digit one
        "nul",
        "COM1.txt",
    ],
)
def test_tricks_are_no_names(name: str) -> None:
    assert safe_name(name) is None
    assert safe_model_id(name) is None or name == "a/b"


def test_a_model_id_may_name_its_owner() -> None:
    assert safe_model_id("org/model-1.5") == "org/model-1.5"
    for text in ("a/b/c", "/a", "a/", "a//b", "../a", "a/..", "org--x/y"):
        assert safe_model_id(text) is None


def test_slugs() -> None:
    assert slug("org/model-1.5") == "org--model-1.5"
    assert slug("smollm2-135m") == "smollm2-135m"
    with pytest.raises(ValueError, match="not a model id"):
        slug("../x")


IDS = st.from_regex(r"[a-zA-Z0-9._/-]{1,8}", fullmatch=True).filter(
    lambda text: safe_model_id(text) is not None
)


@given(IDS, IDS)
def test_no_two_model_ids_share_a_slug(first: str, second: str) -> None:
    assert (slug(first) == slug(second)) == (first == second)
    assert safe_name(slug(first)) is not None


@given(st.text())
def test_a_name_is_ascii_and_nothing_else_passes(text: str) -> None:
    assert safe_name(text) in (None, text)
    if safe_name(text) is not None:
        assert text.isascii() and not set(text) & set("<>&\"'=+@/\\ ")


@pytest.mark.parametrize("text", ["0.7", "-1", "linux x86", "über", "a = b"])
def test_free_text_passes(text: str) -> None:
    assert safe_text(text) == text


@pytest.mark.parametrize(
    "text", ["=1+1", "@SUM(A1)", "+1", "<img src=x>", "a\u202eb", "a\nb", "`x`"]
)
def test_markup_and_formulas_are_no_free_text(text: str) -> None:
    assert safe_text(text) is None


@pytest.mark.parametrize(
    "text", ["", "0.7", "-1", "a = b", "~/x (v1.0), 5% @ C:/y", "cosine_+", "x" * 100]
)
def test_plain_parameters_pass(text: str) -> None:
    assert safe_parameter(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "x" * 101,
        "o\u0444\u0444i\u0441ial winner",  # Cyrillic ef and es
        "reproduced \u2713",
        "\u00fcber",
        "a\tb",
        "a\n",
        "a\u00a0b",  # no-break space
        "=1+1",
        "@SUM(A1)",
        "+1",
        "<b>",
        "[x](y)",
        "a|b",
        '"',
    ],
)
def test_tricks_are_no_parameters(text: str) -> None:
    assert safe_parameter(text) is None


@given(st.text())
def test_a_parameter_is_printable_ascii(text: str) -> None:
    assert safe_parameter(text) in (None, text)
    if safe_parameter(text) is not None:
        assert text.isascii() and text.isprintable() and len(text) <= 100

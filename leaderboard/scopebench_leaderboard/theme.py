"""How the page looks: Gradio's plainest theme, the system's own fonts, one style sheet.

No font, script or style is fetched from anywhere else.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Any, Final

_SANS: Final = ["system-ui", "-apple-system", "Segoe UI", "Roboto", "Helvetica Neue", "sans-serif"]
_MONO: Final = ["ui-monospace", "SFMono-Regular", "Menlo", "Consolas", "monospace"]
_ACCENT: Final = "#0b57a4"
_ACCENT_DARK: Final = "#82bbff"


def theme() -> Any:
    """Return the theme: white or near-black paper, one blue, thin rules."""
    import gradio as gr

    base = gr.themes.Default(
        primary_hue="blue", neutral_hue="slate", radius_size="sm", font=_SANS, font_mono=_MONO
    )
    return base.set(
        body_background_fill="#ffffff",
        body_background_fill_dark="#14171b",
        block_background_fill="#ffffff",
        block_background_fill_dark="#14171b",
        block_border_width="0px",
        block_shadow="none",
        block_label_text_color="#454c57",
        block_info_text_color="#565d68",
        block_info_text_color_dark="#a6adb8",
        body_text_color="#15181d",
        body_text_color_dark="#e9ebee",
        body_text_color_subdued="#565d68",
        body_text_color_subdued_dark="#a6adb8",
        input_background_fill="#ffffff",
        input_background_fill_dark="#1d2126",
        input_border_color="#7b8390",
        input_border_color_dark="#6b7482",
        input_placeholder_color="#626a76",
        input_placeholder_color_dark="#9aa2ae",
        button_primary_background_fill=_ACCENT,
        button_primary_background_fill_hover="#084482",
        button_primary_background_fill_dark=_ACCENT_DARK,
        button_primary_background_fill_hover_dark="#a6cfff",
        button_primary_text_color="#ffffff",
        button_primary_text_color_dark="#0c1a2a",
        slider_color=_ACCENT,
        slider_color_dark=_ACCENT_DARK,
        link_text_color=_ACCENT,
        link_text_color_dark=_ACCENT_DARK,
    )


def head() -> str:
    """Return what stands in the page's head: the style sheet, the description, the way back."""
    style = _asset("board.css")
    return (
        '<meta name="description" content="Editors ranked by whether they know when an edit does '
        'not apply.">'
        '<meta name="color-scheme" content="light dark">'
        f"<style>{style}</style>"
        "<script>addEventListener('popstate', () => location.reload());</script>"
    )


def script() -> str:
    """Return what runs in each part of a page once it is there: links and sort buttons."""
    return _asset("board.js")


REPLACE_ADDRESS: Final = (
    "(query) => { const to = new URL(query || '?', location.href);"
    " const theme = new URL(location.href).searchParams.get('__theme');"
    " if (theme) to.searchParams.set('__theme', theme);"
    " const tab = [...document.querySelectorAll('[role=tab][aria-controls][aria-selected=true]')]"
    ".find((each) => each.checkVisibility({visibilityProperty: true}));"
    " if (tab && tab.textContent.trim().toLowerCase() !== to.searchParams.get('tab')) return;"
    " const from = new URL(location.href).searchParams.get('tab') || 'overview';"
    " const step = from === to.searchParams.get('tab') ? 'replaceState' : 'pushState';"
    " history[step](history.state, '', to); }"
)
"""Puts what is shown into the address, so that it can be sent to somebody else.

Another tab is a step that the back button undoes. An answer that comes after the reader has gone to
another tab is left out.
"""

SAVE_FILE: Final = (
    "(text, name) => { if (!text) return; const link = document.createElement('a');"
    " link.href = URL.createObjectURL(new Blob([text], {type: 'application/octet-stream'}));"
    " link.download = name; link.click(); setTimeout(() => URL.revokeObjectURL(link.href), 9000); }"
)
"""Saves a text as a file, made in the browser: nothing is left on the server."""


def _asset(name: str) -> str:
    return files("scopebench_leaderboard").joinpath("assets", name).read_text(encoding="utf-8")

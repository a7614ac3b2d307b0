"""Submit: an upload, verified here, and sent on where the reader is signed in."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

import gradio as gr

from scopebench.errors import ScopeBenchError
from scopebench_leaderboard.limits import reader_key
from scopebench_leaderboard.render import notice, render
from scopebench_leaderboard.site import Site
from scopebench_leaderboard.submit import (
    CHECKS,
    Verdict,
    how_to_send,
    send_on,
    upload_fault,
    verdict_on,
)

KEY: Final = "submit"
LABEL: Final = "Submit"
LOG: Final = logging.getLogger(__name__)

CONSENT: Final = "These files may be kept in public, under the names in them."
NO_CONSENT: Final = "Tick this first: what is sent is public and stays so."
WAITING: Final = "The verification report will stand here."
SIGN_IN: Final = "Sign in to send it as a pull request in your own name."
BROKEN: Final = "It could not be verified for a fault of this page's own; the log says which."
NOT_SENT: Final = "It could not be sent on for a fault of this page's own; the log says which."


def build(site: Site) -> None:
    """Make the tab inside the current Gradio context, with its events."""
    settings = site.settings
    sending = settings.sign_in and settings.results_repo is not None
    gr.HTML(render("submit_lead.html.jinja"), apply_default_css=False)
    with gr.Row():
        with gr.Column(min_width=300):
            files = gr.File(
                label=f"One zip, or the three files, up to {settings.max_upload_mb} MiB",
                file_count="multiple",
                height=170,
                elem_id="upload",
            )
            consent = gr.Checkbox(label=CONSENT, elem_id="consent")
            verify = gr.Button("Verify", variant="primary", elem_id="verify")
            if sending:
                gr.LoginButton("Sign in to send")
            send = gr.Button("Send as a pull request", visible=sending, interactive=False)
        with gr.Column(min_width=300):
            verdict = gr.HTML(notice(WAITING), apply_default_css=False, elem_id="verdict")
    verify.click(
        _signed_verifier(site) if settings.sign_in else _verifier(site),
        inputs=[files, consent],
        outputs=[verdict, send],
        validator=_validator(settings.max_upload_mb),
        concurrency_limit=settings.verify_concurrency,
        concurrency_id="verify",
        api_visibility="private",
        show_progress_on=verdict,
    )
    if sending:
        send.click(
            _sender(site),
            inputs=[files],
            outputs=[verdict, send],
            concurrency_limit=settings.verify_concurrency,
            concurrency_id="verify",
            api_visibility="private",
        )


def judged(site: Site, paths: Sequence[str], user: str | None, request: gr.Request) -> Verdict:
    """Verify an upload, if its sender may have one more verified now."""
    fault = upload_fault(paths, site.settings.max_upload_mb)
    if fault is not None:
        return Verdict(ok=False, faults=(fault,))
    key = reader_key(
        user,
        dict(request.headers),
        request.client.host if request.client else None,
        trust_proxy=site.settings.trust_proxy,
    )
    wait = site.limit.take(key, time.monotonic())
    if wait > 0:
        return Verdict(
            ok=False,
            faults=(
                f"rate: {site.settings.submissions_per_hour} uploads an hour are verified for one "
                f"sender; try again in {wait / 60 + 1:.0f} minutes, or verify at home: "
                "scopebench verify RUN_DIR",
            ),
        )
    try:
        return site.verifying.run(verdict_on, list(paths), dict(site.digests))
    except Exception:  # a stranger's files must not show a reader a traceback
        LOG.exception("an upload could not be verified")
        return Verdict(ok=False, faults=(BROKEN,))


def _validator(most_mb: int) -> Callable[..., Any]:
    def validate(paths: list[str] | None, consent: bool) -> Any:
        fault = upload_fault(paths or [], most_mb)
        return [gr.validate(fault is None, fault or ""), gr.validate(bool(consent), NO_CONSENT)]

    return validate


def _verifier(site: Site) -> Callable[..., Any]:
    def check(paths: list[str] | None, consent: bool, request: gr.Request) -> Any:
        return _shown(site, judged(site, paths or [], None, request), signed_in=False)

    return check


def _signed_verifier(site: Site) -> Callable[..., Any]:
    def check(
        paths: list[str] | None,
        consent: bool,
        request: gr.Request,
        profile: gr.OAuthProfile | None,
    ) -> Any:
        user = None if profile is None else profile.username
        return _shown(site, judged(site, paths or [], user, request), signed_in=profile is not None)

    return check


def _shown(site: Site, verdict: Verdict, *, signed_in: bool) -> tuple[str, Any]:
    settings = site.settings
    sending = settings.sign_in and settings.results_repo is not None
    told = ""
    if verdict.ok and not sending:
        told = how_to_send(settings.results_repo, settings.results_folder)
    elif verdict.ok and not signed_in:
        told = SIGN_IN
    return (
        _html(verdict, told),
        gr.Button(interactive=verdict.ok and sending and signed_in),
    )


def _sender(site: Site) -> Callable[..., Any]:
    def send(
        paths: list[str] | None, profile: gr.OAuthProfile | None, token: gr.OAuthToken | None
    ) -> Any:
        repo = site.settings.results_repo
        if token is None or profile is None or repo is None:
            return notice(SIGN_IN, tone="bad"), gr.Button(interactive=False)
        try:
            told, url = site.verifying.run(
                send_on, list(paths or []), dict(site.digests), repo, token.token
            )
        except ScopeBenchError as error:
            return notice(str(error), tone="bad"), gr.Button(interactive=True)
        except Exception:  # as in `judged`
            LOG.exception("an upload could not be sent on")
            return notice(NOT_SENT, tone="bad"), gr.Button(interactive=True)
        return _html(Verdict(ok=True), told, url), gr.Button(interactive=False)

    return send


def _html(verdict: Verdict, told: str = "", url: str = "") -> str:
    return render("verdict.html.jinja", verdict=verdict, checks=CHECKS, next=told, url=url)

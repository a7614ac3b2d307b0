from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from gradio_client import Client, handle_file
from gradio_client.exceptions import AppError

from scopebench_leaderboard.app import TABS, build_app, launch_options, make_site
from scopebench_leaderboard.board import Board
from scopebench_leaderboard.content import OTHER_BOARD, OTHER_SUBMISSION, content_of
from scopebench_leaderboard.details import compare
from scopebench_leaderboard.limits import RateLimit
from scopebench_leaderboard.links import Link, read_link
from scopebench_leaderboard.live import Shown
from scopebench_leaderboard.settings import Settings
from scopebench_leaderboard.site import NO_RESULTS, NO_SUBMISSION, NotToShow, Site, choice_key
from scopebench_leaderboard.tabs import ranking as ranking_tab
from scopebench_leaderboard.tabs.tab import Tab, bare, unset
from scopebench_leaderboard.views import choices, ranking

BY_KEY = {tab.key: tab for tab in TABS}


@pytest.fixture(scope="module")
def client(served: str) -> Client:
    return Client(served, verbose=False)


def _boards(site: Site) -> dict[str, str]:
    """The key of every choice, by protocol."""
    board = site.live.shown.board
    assert board is not None
    return {choice.protocol_id: choice_key(choice) for choice in choices(board)}


def test_four_endpoints_are_public_and_no_other(client: Client) -> None:
    named = client.view_api(return_format="dict")["named_endpoints"]

    assert set(named) == {"/ranking", "/submission", "/compare", "/verify"}


def test_ranking_endpoint_gives_the_rows_of_the_view(client: Client, site: Site) -> None:
    board = site.live.shown.board
    assert board is not None
    first = choices(board)[0]

    rows = client.predict(population="withheld", metric="miss", api_name="/ranking")

    expected = ranking(board, first, population="withheld", metric="miss")
    assert [row["submission_id"] for row in rows] == list(expected["submission_id"])
    assert [row["miss"] for row in rows] == list(expected["miss"])
    assert len(rows) == first.n == 2


def test_a_ranking_never_mixes_protocols(client: Client, site: Site) -> None:
    keys = _boards(site)
    assert len(keys) == 2

    found = [
        {row["submission_id"] for row in client.predict(board=key, api_name="/ranking")}
        for key in keys.values()
    ]

    assert sorted(map(len, found)) == [1, 2]
    assert not found[0] & found[1]


def test_ranking_endpoint_pages_and_searches(client: Client) -> None:
    assert len(client.predict(offset=1, api_name="/ranking")) == 1
    assert [row["editor"] for row in client.predict(q="STATIC", api_name="/ranking")] == ["static"]
    assert client.predict(q="nobody", api_name="/ranking") == []


def test_submission_endpoint_gives_every_part(
    client: Client, toy_results: tuple[Path, dict[str, str]]
) -> None:
    key = toy_results[1]["inlay"]

    found = client.predict(submission_id=key, api_name="/submission")

    assert found["submission"]["submission_id"] == key
    assert found["submission"]["editor"] == "inlay"
    populations = {row["population"] for row in found["scores"]}
    assert populations == {"original", "withheld", "curated"}


def test_an_unknown_submission_is_told(client: Client) -> None:
    with pytest.raises(AppError, match="no such submission"):
        client.predict(submission_id="0" * 32, api_name="/submission")


def test_compare_endpoint_gives_the_paired_tests(
    client: Client, toy_results: tuple[Path, dict[str, str]]
) -> None:
    results, keys = toy_results

    found = client.predict(keys["inlay"], keys["static"], api_name="/compare")

    expected = compare(results, keys["inlay"], keys["static"])
    assert found["n_discordant"] == expected.n_discordant
    assert [row["difference"]["value"] for row in found["comparisons"]] == [
        row.difference.value for row in expected.comparisons
    ]


def test_comparing_across_protocols_is_refused_in_one_line(
    client: Client, toy_results: tuple[Path, dict[str, str]]
) -> None:
    keys = toy_results[1]
    with pytest.raises(AppError) as caught:
        client.predict(keys["inlay"], keys["drawn"], api_name="/compare")

    assert "protocol" in str(caught.value)
    assert "Traceback" not in str(caught.value)


def test_a_good_upload_verifies(
    client: Client, good_zip: Path, toy_results: tuple[Path, dict[str, str]]
) -> None:
    found = client.predict([handle_file(str(good_zip))], api_name="/verify")

    assert found["ok"], found["faults"]
    assert found["submission_id"] == toy_results[1]["inlay"]
    assert found["summary"]["editor"].startswith("inlay ")


def test_three_files_verify_like_a_zip(client: Client, toy_runs: dict[str, Path]) -> None:
    files = [
        handle_file(str(toy_runs["static"] / name))
        for name in ("run.json", "outcomes.parquet", "decisions.parquet")
    ]

    assert client.predict(files, api_name="/verify")["ok"]


def test_bad_uploads_are_told_line_by_line(
    client: Client, bad_uploads: dict[str, tuple[Path, str]]
) -> None:
    for what, (path, word) in bad_uploads.items():
        found = client.predict([handle_file(str(path))], api_name="/verify")

        assert not found["ok"], what
        assert any(word in fault for fault in found["faults"]), (what, found["faults"])
        assert all("\n" not in fault and len(fault) < 1500 for fault in found["faults"])


def test_a_file_that_is_no_submission_is_refused_by_its_name(
    client: Client, tmp_path: Path
) -> None:
    (tmp_path / "notes.txt").write_text("hello", encoding="utf-8")

    found = client.predict([handle_file(str(tmp_path / "notes.txt"))], api_name="/verify")

    assert not found["ok"]
    assert "notes.txt" in found["faults"][0]


def test_the_uploads_of_one_sender_are_limited(
    site: Site, server: Callable[[Site], Any], bad_uploads: dict[str, tuple[Path, str]]
) -> None:
    path, _ = bad_uploads["not a zip"]
    settings = replace(site.settings, submissions_per_hour=1)
    with server(replace(site, settings=settings, limit=RateLimit(1))) as address:
        client = Client(address, verbose=False)
        first, second = (
            client.predict([handle_file(str(path))], api_name="/verify") for _ in range(2)
        )

    assert not first["faults"][0].startswith("rate:")
    assert second["faults"][0].startswith("rate: 1 uploads an hour")


@pytest.mark.parametrize("key", sorted(BY_KEY))
def test_every_tab_is_a_function_of_its_link(site: Site, key: str) -> None:
    first = content_of(site, BY_KEY[key], Link(tab=key))

    assert first == content_of(site, BY_KEY[key], Link(tab=key))
    assert "could not be made" not in first
    assert len(first) > 300


def test_nonsense_in_a_link_shows_the_usual_page(site: Site) -> None:
    strange = read_link(
        {name: "\x00<script>" + "9" * 900 for name in ("q", "board", "metric", "pi", "part")}
    )
    for tab in TABS:
        content = content_of(site, tab, replace(strange, q=""))
        assert "<script" not in content
        assert "could not be made" not in content


def test_a_search_that_finds_nothing_says_so(site: Site) -> None:
    content = content_of(site, ranking_tab.TAB, Link(tab="ranking", q="nobody"))

    assert "No submission fits these filters." in content


def test_without_results_every_tab_says_how_to_give_some(tmp_path: Path) -> None:
    site = make_site(Settings(cache=tmp_path))
    site.live.refresh()

    with pytest.raises(NotToShow, match="scopebench leaderboard --results"):
        site.page(Link())
    assert NO_RESULTS in content_of(site, BY_KEY["ranking"], Link())
    assert "How to cite" in content_of(site, BY_KEY["about"], Link())


def test_an_empty_results_folder_is_an_empty_board(tmp_path: Path) -> None:
    (tmp_path / "results" / "submissions").mkdir(parents=True)
    site = make_site(Settings(results=str(tmp_path / "results"), cache=tmp_path / "cache"))

    assert "being built" in content_of(site, BY_KEY["ranking"], Link())
    site.live.refresh()

    assert NO_SUBMISSION in content_of(site, BY_KEY["ranking"], Link())


def test_a_missing_results_folder_is_told(tmp_path: Path) -> None:
    site = make_site(Settings(results=str(tmp_path / "gone"), cache=tmp_path / "cache"))
    site.live.refresh()

    assert "no such results folder" in content_of(site, BY_KEY["overview"], Link())


def test_a_corrupt_submission_is_listed_apart_and_a_fault_keeps_the_last_board(
    toy_runs: dict[str, Path], placer: Callable[[Path, Path], str], tmp_path: Path
) -> None:
    results = tmp_path / "results"
    placer(toy_runs["static"], results)
    settings = Settings(
        results=str(results), benchmarks=(str(toy_runs["bench"]),), cache=tmp_path / "cache"
    )
    site = make_site(settings)
    assert site.live.refresh()
    assert not site.live.refresh(), "nothing has changed"

    broken = results / "submissions" / "evil" / "model" / ("0" * 32)
    broken.mkdir(parents=True)
    (broken / "run.json").write_text("{", encoding="utf-8")
    site.live.refresh()
    content = content_of(site, BY_KEY["ranking"], Link(tab="ranking"))
    assert "1 submission not shown, and why" in content
    assert "submissions/evil/model" in content
    assert ">static</a>" in content

    shutil.move(results, tmp_path / "away")
    site.live.refresh()
    assert site.live.shown.fault is not None
    assert ">static</a>" in content_of(site, BY_KEY["ranking"], Link(tab="ranking"))


def test_one_broken_part_leaves_the_others_alone(site: Site) -> None:
    def broken(page: Any) -> str:
        return str(1 // 0)

    content = content_of(site, Tab("overview", "Overview", (), bare, unset, broken), Link())

    assert "could not be made" in content
    assert "ZeroDivision" not in content


def test_names_from_a_submission_are_never_markup(
    site: Site, make_board: Callable[..., Board]
) -> None:
    hostile = "<img src=x onerror=alert(1)>\"'`${alert(1)}{{7*7}}\u202e"
    parts = [{"population": "curated", "scope_accuracy": 0.5}]
    board = make_board({"editor": hostile, "model": hostile, "params": hostile, "parts": parts})

    class Still:
        shown = Shown(board, Path("results"), loading=False)

    made = replace(site, live=Still())  # type: ignore[arg-type]
    for key in ("overview", "ranking"):
        content = content_of(made, BY_KEY[key], Link(tab=key))
        assert "onerror" in content
        assert "<img" not in content
        assert "\u202e" not in content


def test_links_survive_their_address() -> None:
    link = Link(tab="compare", submission="a", second="b", population="curated", q="a&b=c é")
    from urllib.parse import parse_qsl

    assert read_link(dict(parse_qsl(link.query.removeprefix("?")))) == link
    assert read_link({"tab": "<b>", "part": "-3"}).tab == "overview"
    assert read_link({"part": "²"}).part_number == 1
    assert read_link({"part": "12"}).part_number == 12


def test_the_page_calls_nobody(site: Site) -> None:
    options = launch_options(site.settings)
    app = build_app(site)

    assert app.analytics_enabled is False
    assert options["footer_links"] == []
    assert "http" not in options["head"].replace("http-equiv", "")
    assert options["max_file_size"] == "8mb"
    assert app.config["dependencies"], "the page is wired"


def test_what_an_address_names_and_the_board_lacks_is_told(site: Site) -> None:
    known = site.page(Link()).board.submissions["submission_id"].iloc[0]
    for link, told in (
        (Link(tab="editor", submission=known), ""),
        (Link(tab="editor", submission="0" * 32), OTHER_SUBMISSION),
        (Link(tab="compare", submission=known, second="nobody"), OTHER_SUBMISSION),
        (Link(tab="ranking", board="another"), OTHER_BOARD),
    ):
        content = content_of(site, BY_KEY[link.tab], link)
        assert [text for text in (OTHER_SUBMISSION, OTHER_BOARD) if text in content] == (
            [told] if told else []
        )


def test_no_field_of_a_link_is_a_parameter_of_gradios_own() -> None:
    # `page` chooses a page of an app of several, and any other value is answered with an error.
    assert not {"page", "view", "__theme"} & set(vars(Link()))

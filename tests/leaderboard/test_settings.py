from __future__ import annotations

import re
from pathlib import Path

import pytest

from scopebench.errors import DataError
from scopebench_leaderboard.settings import PREFIX, Settings, is_repo, read_settings

README = Path(__file__).resolve().parents[2] / "leaderboard" / "README.md"


def test_nothing_set_is_the_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_settings({}) == Settings()


def test_every_setting_is_read() -> None:
    found = read_settings(
        {
            f"{PREFIX}RESULTS": "org/results",
            f"{PREFIX}BENCHMARK": "org/one@v1 org/two",
            f"{PREFIX}CACHE": "/somewhere",
            f"{PREFIX}REFRESH_SECONDS": "60",
            f"{PREFIX}MAX_UPLOAD_MB": "5",
            f"{PREFIX}SUBMISSIONS_PER_HOUR": "0",
            f"{PREFIX}VERIFY_CONCURRENCY": "2",
            f"{PREFIX}CONCURRENCY": "3",
            f"{PREFIX}QUEUE_SIZE": "4",
            f"{PREFIX}TRUST_PROXY": "yes",
            "OAUTH_CLIENT_ID": "x",
        }
    )

    assert found == Settings(
        results="org/results",
        benchmarks=("org/one@v1", "org/two"),
        cache=Path("/somewhere"),
        refresh_seconds=60,
        max_upload_mb=5,
        submissions_per_hour=0,
        verify_concurrency=2,
        concurrency=3,
        queue_size=4,
        trust_proxy=True,
        sign_in=True,
    )


def test_a_space_stands_behind_a_proxy() -> None:
    assert read_settings({"SPACE_ID": "org/board"}).trust_proxy
    assert not read_settings({"SPACE_ID": "org/board", f"{PREFIX}TRUST_PROXY": "0"}).trust_proxy


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("REFRESH_SECONDS", "soon"),
        ("REFRESH_SECONDS", "9"),
        ("MAX_UPLOAD_MB", "0"),
        ("MAX_UPLOAD_MB", "-1"),
        ("QUEUE_SIZE", "1.5"),
        ("TRUST_PROXY", "perhaps"),
    ],
)
def test_what_is_wrong_is_told_by_name(name: str, value: str) -> None:
    with pytest.raises(DataError, match=PREFIX + name):
        read_settings({PREFIX + name: value})


def test_a_repo_is_told_from_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "org" / "there").mkdir(parents=True)

    assert is_repo("org/results")
    assert not is_repo("org/there")
    assert not is_repo("results")
    assert not is_repo("./results")
    assert not is_repo("a/b/c")
    assert Settings(results="org/results").results_repo == "org/results"
    assert Settings(results="org/there").results_folder == Path("org/there")


def test_the_readme_tells_every_variable_and_no_other() -> None:
    source = Path(read_settings.__code__.co_filename).read_text(encoding="utf-8")
    read = set(re.findall(r'reader\.\w+\("(\w+)"', source))
    told = set(re.findall(rf"`{PREFIX}(\w+)`", README.read_text(encoding="utf-8")))

    assert read == told

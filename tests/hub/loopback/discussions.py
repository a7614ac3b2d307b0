"""The endpoints of discussions and pull requests."""

from __future__ import annotations

from typing import Any

from loopback.routes import DISCUSSION_PAGE, Answer, Request, as_json, repo_of, route
from loopback.store import TESTER, Discussion, Refused, Repo, Store, comment_data, stamp


@route("GET", "{api}/discussions")
def discussions(store: Store, request: Request, parts: dict[str, str]) -> Answer:
    repo = repo_of(store, parts)
    wanted = request.query
    found = [
        item
        for item in reversed(repo.discussions)
        if (wanted.get("type", "all") in ("all", _type(item)))
        and (wanted.get("status", "all") in ("all", "open" if item.status == "open" else "closed"))
    ]
    begin = int(wanted.get("p", "0")) * DISCUSSION_PAGE
    page = [_summary(repo, item) for item in found[begin : begin + DISCUSSION_PAGE]]
    return as_json({"discussions": page, "count": len(found), "start": begin})


def _type(item: Discussion) -> str:
    return "pull_request" if item.is_pull_request else "discussion"


def _summary(repo: Repo, item: Discussion) -> dict[str, Any]:
    return {
        "num": item.num,
        "title": item.title,
        "status": item.status,
        "isPullRequest": item.is_pull_request,
        "createdAt": stamp(),
        "author": {"name": item.author},
        "repo": {"name": repo.repo_id, "type": repo.kind},
    }


@route("POST", "{api}/discussions")
def open_discussion(store: Store, request: Request, parts: dict[str, str]) -> Answer:
    repo = repo_of(store, parts)
    asked = request.json()
    made = repo.open(
        asked["title"],
        asked["description"],
        pull_request=asked["pullRequest"],
        author=request.user or TESTER,
    )
    return as_json(_summary(repo, made))


@route("GET", r"{api}/discussions/(?P<num>\d+)")
def discussion(store: Store, request: Request, parts: dict[str, str]) -> Answer:
    repo = repo_of(store, parts)
    item = repo.discussion(int(parts["num"]))
    details: dict[str, Any] = _summary(repo, item) | {"events": item.events, "diff": ""}
    if item.is_pull_request:
        details["filesWithConflicts"] = []
        details["changes"] = {"base": "refs/heads/main"}
        if item.merge_commit:
            details["changes"]["mergeCommitId"] = item.merge_commit
    return as_json(details)


@route("POST", r"{api}/discussions/(?P<num>\d+)/comment")
def comment(store: Store, request: Request, parts: dict[str, str]) -> Answer:
    item = repo_of(store, parts).discussion(int(parts["num"]))
    return as_json(
        {"newMessage": item.add_event("comment", comment_data(request.json()["comment"]))}
    )


@route("POST", r"{api}/discussions/(?P<num>\d+)/status")
def status(store: Store, request: Request, parts: dict[str, str]) -> Answer:
    item = repo_of(store, parts).discussion(int(parts["num"]))
    asked = request.json()
    if item.status == "merged":
        raise Refused(409, "this pull request is merged")
    if asked.get("comment"):
        item.add_event("comment", comment_data(asked["comment"]))
    item.status = asked["status"]
    return as_json({"newStatus": item.add_event("status-change", {"status": item.status})})


@route("POST", r"{api}/discussions/(?P<num>\d+)/merge")
def merge(store: Store, request: Request, parts: dict[str, str]) -> Answer:
    repo_of(store, parts).merge(int(parts["num"]))
    return as_json({})

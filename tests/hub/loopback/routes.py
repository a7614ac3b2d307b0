"""The endpoints that huggingface_hub 2.4 and datasets 5.2 call, over a `Store`."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import yaml
from loopback.store import TESTER, Blob, Commit, Refused, Repo, Store, stamp

TREE_PAGE = 1000
DISCUSSION_PAGE = 10
LARGE = re.compile(r"\.(parquet|arrow|bin|safetensors|zip)$")


@dataclass(frozen=True)
class Request:
    """A request as a route sees it; its path is split at `/` before its parts are unquoted.

    `user` is whose token it came with, if anybody's.
    """

    method: str
    target: str
    headers: dict[str, str]
    body: bytes
    base: str
    user: str | None = None

    @property
    def path(self) -> str:
        return urlsplit(self.target).path

    @property
    def query(self) -> dict[str, str]:
        return {key: values[-1] for key, values in parse_qs(urlsplit(self.target).query).items()}

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Answer:
    """An answer: a status, headers and a body."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)


def as_json(value: Any, status: int = 200, **headers: str) -> Answer:
    return Answer(
        status, json.dumps(value).encode(), {"Content-Type": "application/json"} | headers
    )


Route = Callable[[Store, Request, dict[str, str]], Answer]
ROUTES: list[tuple[str, re.Pattern[str], Route]] = []


def route(method: str, pattern: str) -> Callable[[Route], Route]:
    """Register a route; `{api}` is a repository below /api, `{git}` one at its own address."""
    named = pattern.replace("{api}", r"/api/(?P<kind>model|dataset|space)s/(?P<repo>[^/]+/[^/]+)")
    named = named.replace("{git}", r"/(?P<prefix>datasets/|spaces/)?(?P<repo>[^/]+/[^/]+?)")

    def register(function: Route) -> Route:
        ROUTES.append((method, re.compile(named + r"$"), function))
        return function

    return register


def dispatch(store: Store, request: Request) -> Answer:
    """Answer a request."""
    for method, pattern, function in ROUTES:
        if request.method != method and (request.method, method) != ("HEAD", "GET"):
            continue
        found = pattern.match(request.path)
        if found:
            parts = {key: unquote(text) for key, text in found.groupdict().items() if text}
            try:
                return function(store, request, parts)
            except Refused as refused:
                return refusal(refused.status, str(refused), refused.code)
    return refusal(404, f"no such endpoint: {request.method} {request.path}")


def refusal(
    status: int, message: str, code: str | None = None, headers: dict[str, str] | None = None
) -> Answer:
    """Return an error as the Hub words it."""
    extra = {"X-Error-Message": message.encode("ascii", "replace").decode(), **(headers or {})}
    if code:
        extra["X-Error-Code"] = code
    return as_json({"error": message}, status, **extra)


def repo_of(store: Store, parts: dict[str, str]) -> Repo:
    kind = parts.get("kind") or parts.get("prefix", "models/").rstrip("/").removesuffix("s")
    return store.repo(kind, parts["repo"])


@route("GET", "/api/whoami-v2")
def whoami(store: Store, request: Request, parts: dict[str, str]) -> Answer:
    if request.user is None:
        raise Refused(401, "Invalid credentials in Authorization header")
    return as_json(
        {
            "type": "user",
            "id": "0" * 24,
            "name": request.user,
            "fullname": request.user.capitalize(),
            "avatarUrl": f"{request.base}/avatars/{request.user}.svg",
            "isPro": False,
            "orgs": [],
            "auth": {"type": "access_token"},
        }
    )


@route("POST", "/api/repos/create")
def create(store: Store, request: Request, parts: dict[str, str]) -> Answer:
    asked = request.json()
    kind = asked.get("type") or "model"
    repo_id = f"{asked.get('organization') or request.user or TESTER}/{asked['name']}"
    prefix = "" if kind == "model" else f"{kind}s/"
    url = f"{request.base}/{prefix}{repo_id}"
    if (kind, repo_id) in store.repos:
        return as_json({"error": "You already created this repo", "url": url}, 409)
    private = asked.get("visibility") == "private" or bool(asked.get("private"))
    made = store.create(kind, repo_id, private=private)
    made.sdk = asked.get("sdk")
    made.variables |= {item["key"]: item["value"] for item in asked.get("variables") or ()}
    return as_json({"url": url, "name": repo_id})


@route("POST", "/api/validate-yaml")
def validate_yaml(store: Store, request: Request, parts: dict[str, str]) -> Answer:
    front = request.json()["content"].split("---")
    try:
        yaml.safe_load(front[1] if len(front) > 2 else "")
    except yaml.YAMLError as error:
        return as_json({"errors": [{"message": str(error)}], "warnings": []}, 400)
    return as_json({"errors": [], "warnings": []})


@route("POST", r"{api}/preupload/(?P<revision>[^/]+)")
def preupload(store: Store, request: Request, parts: dict[str, str]) -> Answer:
    files = repo_of(store, parts).resolve(parts["revision"]).files
    answers = []
    for asked in request.json()["files"]:
        path = asked["path"]
        large = bool(LARGE.search(path))
        there = files.get(path)
        answers.append(
            {
                "path": path,
                "uploadMode": "lfs" if large else "regular",
                "shouldIgnore": False,
                "oid": None if there is None else there.oid,
            }
        )
    return as_json({"files": answers})


@route("POST", r"{api}/commit/(?P<revision>[^/]+)")
def commit(store: Store, request: Request, parts: dict[str, str]) -> Answer:
    change = _parse_commit(store, request.body)
    pull = request.query.get("create_pr") == "1"
    author = request.user or TESTER
    repo = repo_of(store, parts)
    body = repo.commit(parts["revision"], change, create_pr=pull, author=author)
    absolute = {
        key: value.replace("@", request.base, 1) if key.endswith("Url") else value
        for key, value in body.items()
    }
    return as_json(absolute)


def _parse_commit(store: Store, body: bytes) -> dict[str, Any]:
    change: dict[str, Any] = {"header": {}, "files": {}, "deleted": [], "deleted_folders": []}
    for line in body.splitlines():
        item = json.loads(line)
        value = item["value"]
        match item["key"]:
            case "header":
                change["header"] = value
            case "file":
                content = base64.b64decode(value["content"])
                change["files"][value["path"]] = Blob(content, large=False)
            case "lfsFile":
                if value["oid"] not in store.objects:
                    raise Refused(400, f"{value['path']}: its content was never uploaded")
                change["files"][value["path"]] = Blob(store.objects[value["oid"]], large=True)
            case "deletedFile":
                change["deleted"].append(value["path"])
            case "deletedFolder":
                change["deleted_folders"].append(value["path"])
    return change


@route("POST", r"{git}\.git/info/lfs/objects/batch")
def lfs_batch(store: Store, request: Request, parts: dict[str, str]) -> Answer:
    repo_of(store, parts)
    objects = []
    for asked in request.json()["objects"]:
        entry = {"oid": asked["oid"], "size": asked["size"]}
        if asked["oid"] not in store.objects:
            href = f"{request.base}/lfs/{asked['oid']}"
            entry["actions"] = {"upload": {"href": href}, "verify": {"href": f"{href}/verify"}}
        objects.append(entry)
    return as_json({"transfer": "basic", "objects": objects})


@route("PUT", r"/lfs/(?P<oid>[0-9a-f]{64})")
def lfs_put(store: Store, request: Request, parts: dict[str, str]) -> Answer:
    if Blob(request.body, large=True).sha256 != parts["oid"]:
        raise Refused(400, "the content is not what its hash says")
    store.objects[parts["oid"]] = request.body
    return Answer()


@route("POST", r"/lfs/(?P<oid>[0-9a-f]{64})/verify")
def lfs_verify(store: Store, request: Request, parts: dict[str, str]) -> Answer:
    there = store.objects.get(parts["oid"])
    if there is None or len(there) != request.json()["size"]:
        raise Refused(404, "no such object of that size")
    return as_json({})


@route("GET", r"{api}(/revision/(?P<revision>[^/]+))?")
def info(store: Store, request: Request, parts: dict[str, str]) -> Answer:
    repo = repo_of(store, parts)
    at = repo.resolve(parts.get("revision", "main"))
    return as_json(
        {
            "_id": "0" * 24,
            "id": repo.repo_id,
            "author": repo.repo_id.partition("/")[0],
            "sha": at.oid,
            "lastModified": stamp(),
            "createdAt": stamp(),
            "private": repo.private,
            "gated": False,
            "disabled": False,
            "downloads": 0,
            "likes": 0,
            "tags": [],
            "cardData": {},
            "sdk": repo.sdk,
            "siblings": [{"rfilename": path} for path in sorted(at.files)],
        }
    )


@route("GET", r"{api}/tree/(?P<revision>[^/]+)(/(?P<folder>.+))?")
def tree(store: Store, request: Request, parts: dict[str, str]) -> Answer:
    at = repo_of(store, parts).resolve(parts["revision"])
    recursive = request.query.get("recursive", "").lower() in ("true", "1")
    entries = _entries(at, parts.get("folder", ""), recursive=recursive)
    if parts.get("folder") and not entries:
        raise Refused(404, f"{parts['folder']} does not exist", "EntryNotFound")
    begin = int(request.query.get("cursor", "0"))
    headers = {}
    if begin + TREE_PAGE < len(entries):
        flag = "true" if recursive else "false"
        following = f"{request.base}{request.path}?recursive={flag}&cursor={begin + TREE_PAGE}"
        headers["Link"] = f'<{following}>; rel="next"'
    return as_json(entries[begin : begin + TREE_PAGE], **headers)


def _entries(at: Commit, folder: str, *, recursive: bool) -> list[dict[str, Any]]:
    root = folder.rstrip("/") + "/" if folder else ""
    files: list[dict[str, Any]] = []
    folders: set[str] = set()
    for path, blob in sorted(at.files.items()):
        if not path.startswith(root):
            continue
        below = path.removeprefix(root).split("/")
        folders |= {root + "/".join(below[:depth]) for depth in range(1, len(below))}
        if recursive or len(below) == 1:
            files.append(_file_entry(path, blob))
    if not recursive:
        folders = {name for name in folders if "/" not in name.removeprefix(root)}
    found = [{"type": "directory", "path": name, "oid": "0" * 40, "size": 0} for name in folders]
    return sorted(found + files, key=lambda entry: str(entry["path"]))


def _file_entry(path: str, blob: Blob) -> dict[str, Any]:
    size = len(blob.content)
    entry: dict[str, Any] = {"type": "file", "path": path, "size": size, "oid": blob.git_oid}
    if blob.large:
        entry["lfs"] = {"oid": blob.sha256, "size": size, "pointerSize": 130}
    return entry


@route("POST", r"{api}/paths-info/(?P<revision>[^/]+)")
def paths_info(store: Store, request: Request, parts: dict[str, str]) -> Answer:
    at = repo_of(store, parts).resolve(parts["revision"])
    kind = request.headers.get("content-type", "")
    asked = request.json()["paths"] if "json" in kind else parse_qs(request.body.decode())["paths"]
    return as_json([_file_entry(path, at.files[path]) for path in asked if path in at.files])


@route("GET", r"{git}/resolve/(?P<revision>[^/]+)/(?P<path>.+)")
def resolve(store: Store, request: Request, parts: dict[str, str]) -> Answer:
    at = repo_of(store, parts).resolve(parts["revision"])
    blob = at.files.get(parts["path"])
    if blob is None:
        missing = refusal(404, "Entry not found", "EntryNotFound")
        missing.headers["X-Repo-Commit"] = at.oid
        return missing
    headers = {
        "ETag": f'"{blob.oid}"',
        "X-Repo-Commit": at.oid,
        "Accept-Ranges": "bytes",
        "Content-Type": "application/octet-stream",
    }
    asked = re.fullmatch(r"bytes=(\d+)-(\d*)", request.headers.get("range", ""))
    if not asked:
        return Answer(200, blob.content, headers)
    begin, size = int(asked[1]), len(blob.content)
    end = min(int(asked[2]) if asked[2] else size - 1, size - 1)
    if begin >= size:
        return Answer(416, b"", headers | {"Content-Range": f"bytes */{size}"})
    headers["Content-Range"] = f"bytes {begin}-{end}/{size}"
    return Answer(206, blob.content[begin : end + 1], headers)


@route("GET", "{api}/refs")
def refs(store: Store, request: Request, parts: dict[str, str]) -> Answer:
    repo = repo_of(store, parts)
    found: dict[str, list[dict[str, str]]] = {"branches": [], "converts": [], "tags": []}
    for ref, oid in repo.refs.items():
        if ref.startswith("refs/heads/"):
            name = ref.removeprefix("refs/heads/")
            found["branches"].append({"name": name, "ref": ref, "targetCommit": oid})
    for tag, oid in repo.tags.items():
        found["tags"].append({"name": tag, "ref": f"refs/tags/{tag}", "targetCommit": oid})
    return as_json(found)


@route("POST", r"{api}/tag/(?P<revision>[^/]+)")
def tag(store: Store, request: Request, parts: dict[str, str]) -> Answer:
    repo = repo_of(store, parts)
    name = request.json()["tag"]
    if name in repo.tags:
        raise Refused(409, f"Tag {name} already exists")
    repo.tags[name] = repo.resolve(parts["revision"]).oid
    return as_json({})


@route("POST", "{api}/variables")
def variables(store: Store, request: Request, parts: dict[str, str]) -> Answer:
    repo = repo_of(store, parts)
    asked = request.json()
    repo.variables[asked["key"]] = asked["value"]
    return _variables(repo)


@route("GET", "{api}/variables")
def get_variables(store: Store, request: Request, parts: dict[str, str]) -> Answer:
    return _variables(repo_of(store, parts))


def _variables(repo: Repo) -> Answer:
    return as_json({key: {"value": value} for key, value in repo.variables.items()})

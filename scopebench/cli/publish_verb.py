"""`scopebench publish`: a built benchmark becomes a dataset repository."""

from __future__ import annotations

from pathlib import Path

import click

from scopebench.api.sharing import Plan, Published, publish
from scopebench.cli.options import echo_json, json_option, say


@click.command(
    "publish",
    epilog="""\b
Examples:
  scopebench publish mquake --repo my-org/scopebench-mquake --dry-run
  scopebench publish mquake --repo my-org/scopebench-mquake

Log in first: `hf auth login`, or set HF_TOKEN. A publishing that was stopped is finished by the
same command; where everything is there, it sends nothing.
""",
)
@click.argument("benchmark_dir", type=click.Path(path_type=Path))
@click.option("--repo", required=True, metavar="ORG/NAME", help="The dataset repository.")
@click.option("--tag", metavar="TAG", help="The tag [default: v and the benchmark's version].")
@click.option("--private", is_flag=True, help="Where it creates the repository, make it private.")
@click.option("--dry-run", is_flag=True, help="List every file with size and hash; send nothing.")
@json_option
def command(
    benchmark_dir: Path, repo: str, tag: str | None, private: bool, dry_run: bool, as_json: bool
) -> None:
    """Publish BENCHMARK_DIR as a dataset repository: one commit, tagged with its version."""
    made = publish(benchmark_dir, repo, tag=tag, private=private, dry_run=dry_run, tell=say)
    plan, done = made.plan, made.published
    if done is None:
        _echo_plan(plan, repo, as_json=as_json)
    elif as_json:
        echo_json({"repo": done.repo, "tag": done.tag, "commit": done.commit, "sent": done.sent})
    else:
        _echo_done(plan, done)


def _echo_plan(plan: Plan, repo: str, *, as_json: bool) -> None:
    files = [{"path": file.path, "bytes": file.size, "sha256": file.sha256} for file in plan.files]
    if as_json:
        echo_json({"repo": repo, "tag": plan.tag, "files": files, "sent": False})
        return
    for file in plan.files:
        click.echo(f"{file.sha256}  {file.size:>12,}  {file.path}")
    total = sum(file.size for file in plan.files)
    click.echo(
        f"{len(plan.files)} files, {total:,} bytes, for {repo} at {plan.tag}; nothing was sent.",
        err=True,
    )


def _echo_done(plan: Plan, done: Published) -> None:
    said = "Published" if done.sent else "Already there, nothing was sent:"
    click.echo(f"{said} {plan.name} {plan.version}: {done.url} at {done.commit}", err=True)
    config, splits = next(iter(plan.configs.items()))
    click.echo(
        "from datasets import load_dataset\n"
        f'load_dataset("{done.repo}", "{config}", split="{splits[0]}", revision="{done.commit}")'
    )

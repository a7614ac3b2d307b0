"""The command line: one module per verb, imported only when that verb is used."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from typing import Final

import click

from scopebench.errors import ScopeBenchError

VERBS: Final = {
    "audit": "Judge a sample of a benchmark's rows, and show how often they are wrong.",
    "build": "Build a benchmark folder from source files, or from the embedded starter.",
    "cache": "Show, clean or verify what is kept in the cache folder.",
    "doctor": "Look at what is installed and there, with one suggestion for each problem.",
    "export": "Export runs or a benchmark for the Hub, LaTeX, CSV, lm-eval or Inspect.",
    "fetch": "Fetch canonical data files and local models.",
    "headroom": "Compute every number of a run, or of your own table of outcomes.",
    "judge": "Let a language model judge the answers of a run, in a table of its own.",
    "leaderboard": "Show, build or deploy a leaderboard of submitted runs.",
    "list": "List editors, sources or models.",
    "new-editor": "Write the package of an editor of your own, ready to be tested and scored.",
    "publish": "Publish a built benchmark as a dataset repository of the Hub.",
    "report": "Write a page, Markdown or figures about runs or outcomes.",
    "reproduce": "Generate samples of submissions again, and mark what came of it.",
    "score": "Execute every action of every query with an editor, and score it.",
    "show": "Show one query with its labels, cards and outcomes.",
    "submit": "Verify a run and send it to a results repository.",
    "validate": "Find what is wrong in a source file, a built benchmark or a run folder.",
    "verify": "Check that a run can be submitted: every score recomputed, every row there.",
}

_EPILOG: Final = """\b
Examples:
  scopebench fetch smollm2-135m
  scopebench score --editor inlay --out runs/inlay
  scopebench headroom runs/inlay
"""


class LazyGroup(click.Group):
    """A group that knows its verbs by name and imports a verb's module when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the verbs in order."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a verb."""
        if cmd_name not in VERBS:
            return None
        module = importlib.import_module(f"scopebench.cli.{cmd_name.replace('-', '_')}_verb")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the verbs without importing them."""
        with formatter.section("Verbs"):
            formatter.write_dl(list(VERBS.items()))


@click.command(
    cls=LazyGroup,
    epilog=_EPILOG,
    context_settings={"auto_envvar_prefix": "SCOPEBENCH", "help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="scopebench", message="scopebench %(version)s")
def cli() -> None:
    """Measure whether a knowledge editor knows when an edit does not apply.

    Data goes to stdout, talk to stderr. Bad input is told in one line with exit code 2.
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit."""
    try:
        code = cli.main(args=arguments, prog_name="scopebench", standalone_mode=False)
    except ScopeBenchError as error:
        _tell(f"error: {error}")
        sys.exit(2)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        _tell("stopped; nothing half-written is left, and a run goes on with the same command")
        sys.exit(130)
    except BrokenPipeError:
        # The reader of stdout (`head`) went away; there is nobody left to tell.
        sys.stderr.close()
        sys.exit(141)
    sys.exit(code if isinstance(code, int) else 0)


def _tell(text: str) -> None:
    one_line = " ".join(str(text).split())
    click.echo(f"scopebench: {one_line}", err=True)

"""The `crosscheck` command: a thin group that loads each command's file when it is called.

Listing the commands with their one-line helps here keeps `crosscheck --help` instant: no command
module, and so no heavy library, is imported for it.
"""

from __future__ import annotations

import gc
import importlib
import os
import sys
from typing import TYPE_CHECKING

import click

from crosscheck import streams, system
from crosscheck.errors import BAD_INPUT, INTERRUPTED, OUR_ERROR, SIGNALLED, UserError
from crosscheck.processes import Ended, end_all, end_cleanly

if TYPE_CHECKING:
    from collections.abc import Sequence

COMMANDS = {
    "init": "Look at a folder and write a crosscheck.toml for what is in it.",
    "gate": "Recompute every number twice, compare, check, and answer pass or fail.",
    "claims": "Audit a published table on its own, without predictions.",
    "explain": "What a metric means, what each witness says, which mistake gives a value.",
    "compare": "Ablation table of several systems with paired intervals and tests.",
    "tables": "Verified numbers for the paper: tables, LaTeX macros, a methods paragraph.",
    "rerun": "Verify a report: hashes, recomputation, difference.",
    "diff": "What moved between two reports, or two revisions.",
    "watch": "Gate again whenever an input changes, and show what moved.",
    "bundle": "Pack inputs, config, report and versions into one archive that reruns from itself.",
    "certify": "Sign a report: who vouches for it, when, for which bytes.",
    "verify": "Whether a certificate is what a trusted person signed.",
    "selftest": "Inject the catalogue of known faults and show that each is caught.",
    "fuzz": "Search for a data set on which two witnesses disagree, and shrink it.",
    "contract": "The contract, readable.",
    "policy": "What the policy in force holds a run to.",
    "rules": "Every rule that a finding can cite.",
    "demo": "Write a built-in study to a folder.",
    "serve": "A page for reviewers: paste a table, drop files, see what holds.",
}


class LazyGroup(click.Group):
    """A group whose commands live in `crosscheck/commands/NAME.py`, imported on use."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name the commands in the order a newcomer meets them."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command's file and hand out its `command`."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"crosscheck.commands.{cmd_name}")
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Suggest the command that a mistyped one is nearest to."""
        from difflib import get_close_matches  # noqa: PLC0415 - seldom needed

        near = [] if args[0] in COMMANDS else get_close_matches(args[0], COMMANDS, n=1)
        if near:
            ctx.fail(f"No such command '{args[0]}'. Did you mean '{near[0]}'?")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing any of them."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="metric-crosscheck", prog_name="crosscheck")
def group() -> None:
    """Double-entry bookkeeping for the numbers in a paper.

    Every metric is computed twice, by two programs that share nothing; compared; checked; and
    gated. Exit codes: 0 pass, 1 the gate failed, 2 bad usage or bad input, 3 an error of ours.
    """


COLLECT = (50_000, 20, 50)
"""Objects more than before, and collections of each age, between two looks for cycles."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with the code that says how it went."""
    # Nearly all that a run makes lives to its end: looking for cycles as often finds none.
    gc.set_threshold(*COLLECT)
    system.trust_no_folder()
    end_cleanly()
    streams.print_without_readers()
    try:
        code = run(arguments)
    finally:
        end_all()  # whatever went wrong: Python would wait for them
    sys.exit(code)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code."""
    system.keep_caches()
    system.let_threads_sleep()
    system.open_no_windows()
    streams.print_anything()
    try:
        code = group.main(arguments, prog_name="crosscheck", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return BAD_INPUT
    except click.ClickException as error:
        error.show()
        return BAD_INPUT
    except UserError as error:
        system.say(f"crosscheck: {error}", err=True)
        return BAD_INPUT
    except (KeyboardInterrupt, click.exceptions.Abort) as error:
        return _interrupted(error)
    except (SystemExit, GeneratorExit):
        raise
    except BaseException as error:
        # The last stop: a panic of a library is no Exception.
        if os.environ.get("CROSSCHECK_DEBUG"):
            raise
        return _broken(error)
    return code if isinstance(code, int) else 0


def _interrupted(error: BaseException) -> int:
    for cause in (error, error.__cause__):  # click makes an Abort of it
        if isinstance(cause, Ended):
            click.echo("crosscheck: asked to end; nothing was written", err=True)
            return SIGNALLED + cause.number
    click.echo("crosscheck: interrupted; nothing was written", err=True)
    return INTERRUPTED


def _broken(error: BaseException) -> int:
    """Say what nobody has caught: an error of ours has an exit code of its own."""
    code, told = system.trouble(error)
    more = "Set CROSSCHECK_DEBUG=1 and run again for the traceback, and please report it."
    click.echo(f"crosscheck: {told}" + (f"\n{more}" if code == OUR_ERROR else ""), err=True)
    return code

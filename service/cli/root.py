"""The command's root: which sub-commands there are, and how a failure is reported."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any

import click

from compiled import prefer
from service.cli.exits import of_system

SUB_COMMANDS = {
    "serve": "Run everything: event store, web service, dispatcher and bot workers.",
    "play": "Play against bots in the terminal.",
    "listen": "Send the events of an app's games to a server on your machine, as webhooks.",
    "simulate": "Let bots play each other and tabulate who wins.",
    "arena": "Let bots play a round robin, and rate them.",
    "verify": "Check exported games: that nothing was changed, and all was fair and legal.",
    "audit": "Report on players over all games: players like bots, times, pairs.",
    "apps": "Make, list, rotate and revoke the keys of applications, or delete one, without a restart.",
    "bots": "Register an app's own bots, and say which versions play.",
    "key": "Make an app key for MIGRATO_APP_KEYS.",
    "signing-key": "Show or rotate the key that signs the heads of games.",
    "worker": "Run one worker process: dispatcher, bots, questions, remote bots or archiver.",
    "archive": "Move finished games out of Redis, look at them there, bring them back.",
    "forks": "List and end the forks that seats have made for themselves.",
    "backup": "Copy the whole store into one verified file, beside a running engine.",
    "restore": "Put a backup into an empty store.",
    "players": "Erase players whom nobody has seen for long.",
    "fsck": "Check the event store and the archive, and repair what is safe.",
    "projections": "Make listings and ratings anew from the events.",
    "openapi": "Print the OpenAPI document of the HTTP service.",
}
ELSEWHERE = {
    **dict.fromkeys(("backup", "restore"), "service.cli.backups.commands"),
    "apps": "service.cli.apps.commands",
    "key": "service.cli.apps.key",
}

EXAMPLES = """\b
Examples:
  migrato serve                                    http://127.0.0.1:8000, games kept in .migrato
  migrato play                                     a game against greedy
  migrato play --game migo                         the same in the second game
  migrato simulate --bots heuristic,greedy         1,000 games, a table of results
"""


class LazyGroup(click.Group):
    """Imports a sub-command when it is used: `migrato serve` does not wait for what only `play` needs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The sub-commands, most used first."""
        return list(SUB_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The sub-command of that name."""
        if cmd_name not in SUB_COMMANDS:
            return None
        name = cmd_name.replace("-", "_")
        command = getattr(import_module(ELSEWHERE.get(name, f"service.cli.commands.{name}")), name)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list in `migrato --help`, made without importing anything."""
        with formatter.section("Commands"):
            formatter.write_dl(list(SUB_COMMANDS.items()))

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run; every error ends as a sentence (and a traceback with MIGRATO_LOG_LEVEL=debug)."""
        prefer()
        _open_standard_streams()
        try:
            with _interrupted_by_signals():
                try:
                    return super().main(*args, **kwargs)
                finally:
                    sys.stdout.flush()  # or what finds no room would only show when the interpreter ends
        except BrokenPipeError:  # a reader that went away, as in `| head`
            sys.stderr.close()
            sys.exit(1)
        except Exception as error:
            refusal = of_system(error) if isinstance(error, OSError) else None
            if refusal is not None:
                refusal.show()
                sys.exit(refusal.exit_code)
            if os.environ.get("MIGRATO_LOG_LEVEL") == "debug":
                raise
            click.echo(f"Error: this is a fault in migrato: {type(error).__name__}: {error}", err=True)
            sys.exit(1)


def _open_standard_streams() -> None:
    """Open closed standard streams on nothing (a shell closes one by `>&-`): otherwise a file or socket of ours takes
    its number.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            stream = Path(os.devnull).open(mode)  # noqa: SIM115 (as long as the process)
            os.set_inheritable(stream.fileno(), True)
            setattr(sys, name, stream)


@contextmanager
def _interrupted_by_signals() -> Iterator[None]:
    """SIGTERM and SIGHUP end a sub-command as Ctrl-C does: it tidies up."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 (so it is called)
        signal.signal(number, signal.SIG_IGN)  # once is enough; SIGKILL is for the impatient
        raise KeyboardInterrupt

    ours = [one for one in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(one) is signal.SIG_DFL]
    for number in ours:
        signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)


@click.group(
    cls=LazyGroup,
    epilog=EXAMPLES,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.version_option(package_name="migrato-engine", prog_name="migrato")
def main() -> None:
    """A game engine for Migrato and Migo behind an HTTP interface.

    Settings are MIGRATO_* environment variables; the options of a sub-command override them.
    Exit code 0: done; 1: it failed or was interrupted; 2: it was asked for something impossible, or a disk is full.
    """

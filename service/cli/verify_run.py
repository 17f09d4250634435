"""Parts of both `migrato verify` and `migrato archive verify`: their options, and the course of a run."""

import json
import time
from collections.abc import Callable, Generator
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from events.audit.findings import CheckFailed, Report
from events.audit.histories import Histories
from events.audit.kept.comparing import KeptThings
from events.errors import StoreUnavailable
from events.log.export import Exported
from service.cli.exits import Refusal
from service.cli.export_files import trusted_keys
from service.cli.in_order import WorkerDied
from service.cli.verify_report import Outcome, Totals

if TYPE_CHECKING:
    from events.runtime.settings import Settings

_LARGEST_KEYS: Final = 2**20

bots_option = click.option(
    "--bots", is_flag=True, help="Let bots think again, and compare their moves; takes its time."
)
keys_option = click.option(
    "--keys",
    type=click.Path(path_type=Path),
    help="Whom to trust: a JWK set, as an engine publishes it at /.well-known/migrato-keys.json.",
)
json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object a game, and one that sums them up."
)
jobs_option = click.option(
    "--jobs",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="How many processes verify games at once; what is told stays the same, and in the same order.",
)


def trusted_by(keys: Path | None) -> dict[str, str] | None:
    """The keys in the file that `--keys` names; None without that. Refusal if it cannot be used."""
    if keys is None:
        return None
    try:
        with keys.open("rb") as stream:
            return trusted_keys(stream.read(_LARGEST_KEYS + 1))
    except OSError as error:
        raise Refusal(f"--keys: {keys} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise Refusal(f"--keys: {keys} cannot be used: {error}.") from error


def own_keys(settings: "Settings") -> dict[str, str] | None:
    """The keys of the engine with these settings, as `trusted_by`; None where there are none that can be used."""
    from events.log.signing import encoded
    from events.runtime.key_files import load
    from events.runtime.settings import SettingsError

    if settings.signing_keys is None:
        return None
    with suppress(SettingsError):
        return {key_id: encoded(public) for key_id, public in load(settings.signing_keys).public.items()}
    return None


def outcome_of(
    file: str, report: Report, exported: Exported, histories: Histories, kept: KeptThings | None = None
) -> Outcome:
    """The outcome of a game, compared with those that came before, and with what was kept of it."""
    try:
        met = histories.meet(report, exported, file)
        compared = None if kept is None else kept.compare(report, exported)
    except CheckFailed as contradiction:
        return Outcome(file, report=report.contradicted(contradiction))
    return Outcome(file, report=report, double_of=None if met is None else met.where, kept=compared)


def run(coming: Generator[Outcome, None, None], tell: Callable[[Outcome, int], None]) -> Totals:
    """Tell each outcome, and the number of games so far; their sum, also if an interrupt or a failure ends the run."""
    total, began = Totals(), time.monotonic()
    with closing(coming):
        try:
            for outcome in coming:
                total.add(outcome)
                tell(outcome, total.games)
        except KeyboardInterrupt:
            total.stopped = "Interrupted."
        except WorkerDied as death:
            total.stopped = str(death)
        except StoreUnavailable as error:
            total.stopped = f"{error.detail} ({error.reason})"
    total.seconds = time.monotonic() - began
    return total


def sum_up(total: Totals, *, as_json: bool, err: bool = False) -> None:
    """Print what all games come to; `err`: to stderr, unless it is JSON."""
    if as_json:
        click.echo(json.dumps({"summary": total.document}))
    else:
        click.echo(total.last_line, err=err)
    if total.stopped is not None:
        click.echo(f"{total.stopped} What came after was not looked at.", err=True)

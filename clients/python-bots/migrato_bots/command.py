"""The command around a bot's class: push, pull, match."""

import argparse
import importlib
import importlib.util
import inspect
import json
import logging
import os
import re
import secrets
import signal
import sys
import threading
from base64 import b64encode
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from migrato_bots.bots import Bots
from migrato_bots.journal import Journal
from migrato_bots.match import match
from migrato_bots.pull import Against, Lobby, Puller, Source
from migrato_bots.push import Answers, Server

log = logging.getLogger("migrato_bots")

SECRET: Final = "MIGRATO_BOT_SECRET"  # noqa: S105 (the name of a variable)
APP_KEY: Final = "MIGRATO_APP_KEY"
URL: Final = "MIGRATO_URL"
FORM: Final = re.compile(r"whsec_[A-Za-z0-9+/]{32,88}={0,2}")
GRACE: Final = 10.0  # seconds in which moves that were begun are made before the process ends


def run(bot: Callable[[], Any], arguments: Sequence[str] | None = None) -> None:
    """The command line of a file with one bot: `python mybot.py push`, `pull` or `match level-3`.

    `arguments`: those of the command line, unless you give others.
    """
    place = f"{Path(inspect.getfile(bot))}:{getattr(bot, '__qualname__', '')}"
    wanted, rest = _parser(Path(sys.argv[0]).name).parse_known_args(arguments)
    _run(bot, place, wanted, rest)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line for a class anywhere: `python -m migrato_bots push mybot.py:MyBot`."""
    wanted, rest = _parser("migrato-bots", has_place=True).parse_known_args(arguments)
    _run(found(wanted.place), wanted.place, wanted, rest)


def found(place: str) -> Callable[[], Any]:
    """The class at a place: "mybot.py:MyBot" or "package.module:MyBot". SystemExit if there is none."""
    where, colon, name = place.rpartition(":")
    if not colon:
        raise SystemExit(f"{place} names no class: mybot.py:MyBot does.")
    try:
        module = _of_file(Path(where)) if where.endswith(".py") else _of_name(where)
        bot: Callable[[], Any] = getattr(module, name)
    except (OSError, ModuleNotFoundError, AttributeError) as error:
        raise SystemExit(f"{place}: {error}") from error
    return bot


def _of_name(name: str) -> ModuleType:
    sys.path.insert(0, "")
    return importlib.import_module(name)


def _of_file(path: Path) -> ModuleType:
    """The module of the file; it may import what lies beside it."""
    path = path.resolve()
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(str(path), path)  # no other module has that name
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[str(path)] = module
    spec.loader.exec_module(module)
    return module


def _parser(program: str, has_place: bool = False) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=program, description="Let a bot play.")
    ways = parser.add_subparsers(dest="way", required=True, metavar="WAY")
    push = ways.add_parser("push", help="serve: the engine asks for moves")
    pull = ways.add_parser("pull", help="follow the games of seats, and move")
    plays = ways.add_parser("match", help="play bots of the engine here, without a server")
    for way in (push, pull, plays):
        if has_place:
            way.add_argument("place", metavar="BOT", help="mybot.py:MyBot or package.module:MyBot")
    for way in (push, pull):
        way.add_argument(
            "--thinkers", type=_positive, default=4, metavar="N", help="moves that are thought about at once"
        )
    push.add_argument("--host", default="127.0.0.1", help="the address to listen at")
    push.add_argument("--port", type=int, default=8080, help="the port; 0 for any free one")
    push.add_argument(
        "--secret-file", type=Path, metavar="FILE", help=f"where the secret is, if not in {SECRET}"
    )
    engine = os.environ.get(URL, "http://127.0.0.1:8000")
    pull.add_argument(
        "--engine", type=_address, default=engine, metavar="URL", help=f"the engine's address, or {URL}"
    )
    pull.add_argument(
        "--app-key-file", type=Path, metavar="FILE", help=f"where the app's key is, if not in {APP_KEY}"
    )
    pull.add_argument(
        "--seats", type=Path, default=Path("seats.jsonl"), metavar="FILE", help="the seats to play"
    )
    source = pull.add_mutually_exclusive_group()
    source.add_argument("--against", metavar="BOT", help="create games against this bot of the engine")
    source.add_argument("--lobby", action="store_true", help="take open seats in the app's lobby")
    pull.add_argument("--games", type=_positive, default=1, metavar="N", help="how many games --against it")
    pull.add_argument("--game", metavar="NAME", help="migrato or migo")
    pull.add_argument(
        "--options", type=_members, default={}, metavar="JSON", help="options of games --against it"
    )
    pull.add_argument(
        "--at-once", type=_positive, default=4, metavar="N", help="games that it looks for at a time"
    )
    pull.add_argument("--player", default="bot", metavar="NAME", help="the player's name in those games")
    plays.add_argument("opponents", metavar="BOT,BOT,...", help="level-3, or several bots of the engine")
    plays.epilog = (
        "Further options are those of `migrato arena`: --games 100, --seed 7, --csv FILE --resume, --json."
    )
    return parser


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def _address(text: str) -> str:
    if not text.startswith(("http://", "https://")):
        raise argparse.ArgumentTypeError(f"{text!r} does not begin with http:// or https://")
    return text


def _members(text: str) -> dict[str, Any]:
    try:
        members = json.loads(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no JSON: {error}") from error
    if not isinstance(members, dict):
        raise argparse.ArgumentTypeError(f"{text!r} is no JSON object")
    return members


def _run(bot: Callable[[], Any], place: str, wanted: argparse.Namespace, rest: Sequence[str]) -> None:
    if wanted.way == "match":
        match(place, wanted.opponents, rest)
    if rest:
        raise SystemExit(f"There is no option {rest[0]}; --help lists them.")
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.INFO)
    logging.getLogger("httpx").setLevel(logging.WARNING)
    try:
        bots = Bots(bot)
    except TypeError as error:
        raise SystemExit(str(error)) from error
    if wanted.way == "push":
        _push(bots, wanted)
    else:
        _pull(bots, wanted)


def _push(bots: Bots, wanted: argparse.Namespace) -> None:
    secrets_of_seats = _given(wanted.secret_file, SECRET).replace(",", " ").split()
    if not secrets_of_seats or not all(map(FORM.fullmatch, secrets_of_seats)):
        new = f"whsec_{b64encode(secrets.token_bytes(32)).decode()}"
        raise SystemExit(
            f"Only who knows the bot's secret may ask it for moves. Here is a new one, for it and the games' seats:\n\n"
            f"    export {SECRET}={new}"
        )
    try:
        server = Server(Answers(bots, secrets_of_seats, wanted.thinkers), wanted.host, wanted.port)
    except OSError as error:
        raise SystemExit(f"{wanted.host} port {wanted.port}: {error.strerror}") from error
    stopped = _stopped_by_signal()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    log.info("%s answers at http://%s:%d/", bots.name, wanted.host, server.server_port)
    stopped.wait()
    server.shutdown()
    _end(server.drain(GRACE))


def _pull(bots: Bots, wanted: argparse.Namespace) -> None:
    app_key = _given(wanted.app_key_file, APP_KEY) or None
    try:
        journal = Journal(wanted.seats)
    except BlockingIOError as error:
        raise SystemExit(f"{wanted.seats} is in use: another process plays these seats.") from error
    except OSError as error:
        raise SystemExit(f"{wanted.seats}: {error.strerror}") from error
    puller = Puller(bots, wanted.engine, journal, app_key, wanted.thinkers)
    stopped = _stopped_by_signal(puller.stop)
    log.info("%s plays the seats in %s at %s", bots.name, wanted.seats, wanted.engine)
    source = _source(wanted)
    if source is not None and source.is_exhausted(journal):
        seats, more = journal.count(), "set a higher --games, or another file by --seats"
        log.warning("%s has %d games already, and all are over: %s", wanted.seats, seats, more)
    puller.run(source)
    puller.stop()
    _end(puller.drain(GRACE) or not stopped.is_set())


def _source(wanted: argparse.Namespace) -> Source | None:
    if wanted.lobby:
        return Lobby(wanted.at_once, wanted.player, wanted.game)
    if wanted.against is None:
        return None
    new_game: dict[str, Any] = {"options": wanted.options} if wanted.options else {}
    new_game |= {"game": wanted.game} if wanted.game else {}
    return Against(wanted.against, wanted.games, wanted.at_once, wanted.player, new_game)


def _given(file: Path | None, variable: str) -> str:
    """The text of a secret file, else of a variable."""
    if file is None:
        return os.environ.get(variable, "").strip()
    try:
        return file.read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise SystemExit(f"{file} cannot be read: {error}") from error


def _stopped_by_signal(then: Callable[[], None] = lambda: None) -> threading.Event:
    """The event that SIGTERM or SIGINT sets."""
    stopped = threading.Event()

    def stop(number: int, _frame: object) -> None:
        log.info("stopping: %s", signal.Signals(number).name)
        stopped.set()
        then()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    return stopped


def _end(is_done: bool) -> None:
    """Say how it went; threads that think on end with the process."""
    log.info("stopped" if is_done else "stopped, with a move unfinished")

"""`migrato listen`: the order of attempts, when it ends, and how it refuses; `tests/processes` has it at work."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from drills.ports import free_port
from events.features.webhooks.attempts import NO_HTTP, Outcome, outcome_of
from events.features.webhooks.deliveries import GIVEN_UP, Delivery, of_message
from events.features.webhooks.event_types import LoggedMessage, Message
from service.cli.exits import Failure, Refusal
from service.cli.http_client import Client, Json, Refused
from service.cli.listening import forwarder
from service.cli.listening.forwarder import Forwarder
from service.cli.listening.reader import Reader
from service.cli.listening.receiver import Receiver
from tests.support.bot_server import answer, bot_server, drip
from tests.support.command import migrato
from tests.support.waiting import until

SECRET = "whsec_" + "A" * 32


def delivery(name: str) -> Delivery:
    """Delivery of an event such as a1, the first one of game a."""
    message = Message("turn.changed", "2026-11-22T10:00:00.000Z", name[0], int(name[1]), {"game_id": name[0]})
    return of_message(LoggedMessage(f"{name[1]}-{ord(name[0])}", message))


class Events:
    """A reader of these events, which ends the command once so many lines were said."""

    begin = "0-0"

    def __init__(self, names: str, lines: int, said: list[str]) -> None:
        self._pages = [[delivery(name) for name in names.split()]]
        self._lines = lines
        self._said = said

    def page(self, _: Callable[[str], object]) -> list[Delivery]:
        if self._pages:
            return self._pages.pop()
        until(lambda: len(self._said) >= self._lines, otherwise=lambda: str(self._said))
        raise Failure("the end")


def forwarded(names: str, lines: int, **statuses: list[int]) -> tuple[Forwarder, list[str], str]:
    """Forward these events to a receiver that answers some of them, by their names, so before it accepts."""
    said, got = list[str](), list[str]()

    def post(attempt: Delivery) -> Outcome:
        name = f"{attempt.lane}{attempt.id[0]}"
        got.append(name)
        left = statuses.get(name, [])
        return outcome_of(left.pop(0) if left else 204, 0.0)

    work = Forwarder(cast("Reader", Events(names, lines, said)), post, said.append)
    with pytest.raises(Failure) as ended:
        work.run()
    return work, got, ended.value.message


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forwarder, "FIRST_PAUSE", 0.002)
    monkeypatch.setattr(forwarder, "LONGEST_PAUSE", 0.004)


def test_a_refused_event_holds_up_its_game_alone() -> None:
    """In a game each comes after the one before; all are settled at the end."""
    work, got, _ = forwarded("a1 a2 b3 a4", 6, a1=[500, 404])
    assert [name for name in got if name[0] == "a"] == ["a1", "a1", "a1", "a2", "a4"]
    assert got.count("b3") == 1
    assert work.done == f"4-{ord('a')}"


def test_the_next_one_goes_on_before_what_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """An event that has arrived after one that has not is sent again then, and none is lost."""
    monkeypatch.setattr(forwarder, "LONGEST_PAUSE", 600.0)
    monkeypatch.setattr(forwarder, "FIRST_PAUSE", 600.0)
    work, got, _ = forwarded("a1 b2 a3", 3, b2=[500])
    assert sorted(got) == ["a1", "a3", "b2"]
    assert work.done == f"1-{ord('a')}"


def test_a_day_of_failures_is_the_end_of_an_event(monkeypatch: pytest.MonkeyPatch) -> None:
    """An event is given up after a day of failures; then the next event of its game comes."""
    monkeypatch.setattr("events.features.webhooks.deliveries.GIVEN_UP", 0.0)
    assert GIVEN_UP == 86_400
    work, got, _ = forwarded("a1 a2", 2, a1=[503, 503])
    assert (got, work.done) == (["a1", "a2"], f"2-{ord('a')}")


def test_a_receiver_that_is_gone_ends_it() -> None:
    """A receiver that is gone for good ends the command, as it would disable a webhook."""
    work, got, why = forwarded("a1 b2", 9, a1=[410])
    assert "410" in why
    assert (work.done, "a1" in got) == ("0-0", True)


class Answers(Client):
    """An engine that answers so, one after the other."""

    def __init__(self, *answers: Json | Exception) -> None:
        super().__init__("http://engine")
        self.asked: list[str]
        object.__setattr__(self, "_answers", [*answers])

    def get(self, path: str) -> Any:
        found = self._answers.pop(0)  # type: ignore[attr-defined]
        if isinstance(found, Exception):
            raise found
        return found


def test_an_engine_that_is_away_is_asked_again() -> None:
    """Both is said once; a refusal that will not pass ends it."""
    page, said = {"events": [], "next": "7-0"}, list[str]()
    busy = Refused({"code": "store-unavailable", "detail": "The store does not answer."})
    gone = Refused({"code": "unauthorized", "detail": "The key is void."})
    reader = Reader(Answers(page, Failure("Nothing there."), busy, page, gone), None, "now", lambda _: None)
    assert reader.begin == "7-0"
    assert reader.page(said.append) == []
    assert said == ["Nothing there. Asking again.", "the engine answers again"]
    with pytest.raises(Failure, match="The key is void"):
        reader.page(said.append)
    with pytest.raises(Refusal, match=r"The key is void\. .*--key-file"):
        Reader(Answers(gone), None, "now")
    lost = Refused({"code": "events-expired", "detail": "They are not kept."})
    with pytest.raises(Failure, match=r"They are not kept\. Without --since"):
        Reader(Answers(page, lost), None, "now", lambda _: None).page(said.append)


def test_answers_mean_the_same_as_to_the_engine() -> None:
    """An answer means the same as to the engine, and nothing but its head counts."""
    for server, outcome in (
        (drip(b"HTTP/1.1 200 Fine\r\nContent-Length: 1000000\r\n\r\n", b"."), Outcome("delivered", 200)),
        (answer(b"", 503, "Retry-After: 30"), Outcome("unreachable", 503, "status 503", 30.0)),
        (answer(b"", 302, "Location: /"), Outcome("refused", 302, "status 302")),
        (
            drip(b"FTP/1.1 no\r\n\r\n", b""),
            Outcome("unreachable", error=NO_HTTP),
        ),
    ):
        with bot_server(server) as there:
            assert Receiver(there.url, SECRET).post(delivery("a1")) == outcome


def test_refusals(tmp_path: Path) -> None:
    """Each says what is wrong, before anything is forwarded."""
    here, key = ("--forward-to", "http://127.0.0.1:3000/hook"), tmp_path / "key"
    for arguments, words in (
        (("--forward-to", "127.0.0.1:3000"), "no http:// or https:// address"),
        (("--forward-to", "http://[::1/hook"), "no http:// or https:// address"),
        ((*here, "--key-file", key), "cannot be read"),
        ((*here, "--secret-file", tmp_path), "is a directory"),
    ):
        refused = migrato("listen", *arguments)
        assert (refused.exit_code, refused.stdout) == (2, "")
        assert words in refused.stderr
    key.write_text("\n")
    assert "holds no key" in migrato("listen", *here, "--key-file", key).stderr
    key.write_text("whsec_short\n")
    assert "24 bytes" in migrato("listen", *here, "--secret-file", key).stderr


def test_no_engine(tmp_path: Path) -> None:
    """Nothing is waited for at the start; the secret that was made meanwhile stays, for its owner alone."""
    secret, away = tmp_path / "secret", ("--url", f"http://127.0.0.1:{free_port()}")
    failed = migrato("listen", "--forward-to", "http://127.0.0.1:3000/", *away, "--secret-file", secret)
    assert (failed.exit_code, "No service answers" in failed.stderr) == (1, True)
    kept = secret.read_text()
    assert kept.startswith("whsec_")
    assert secret.stat().st_mode & 0o777 == 0o600
    migrato("listen", "--forward-to", "http://127.0.0.1:3000/", *away, "--secret-file", secret)
    assert secret.read_text() == kept

"""`migrato apps`: what it makes, lists, rotates and revokes, and how it refuses."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from events.features.apps.records import KEY
from events.features.apps.scopes import SCOPES
from events.features.usage.port import Noted, Slice
from events.features.usage.redis import RedisUsage
from events.log.usage import Used
from events.runtime import bootstrap
from events.runtime.settings import Settings
from events.store.link import link_to
from tests.support.command import migrato


class Shell:
    """Runs the command on a store."""

    def __init__(self, redis_url: str) -> None:
        self.environ = {"MIGRATO_REDIS_URL": redis_url}

    def __call__(self, *arguments: str) -> Result:
        return migrato("apps", *arguments, **self.environ)

    def json(self, *arguments: str) -> Any:
        """The document that it prints, and nothing else."""
        result = self(*arguments, "--json")
        assert (result.exit_code, result.stderr) == (0, ""), result.output
        return json.loads(result.stdout)

    def refusal(self, *arguments: str) -> str:
        """The last line of what it says; exit code 2, nothing on stdout."""
        result = self(*arguments)
        assert (result.exit_code, result.stdout) == (2, "")
        return result.stderr.splitlines()[-1]


@pytest.fixture
def shell(redis_url: str) -> Shell:
    """A shell on an empty store."""
    return Shell(redis_url)


def test_a_key_for_people(shell: Shell) -> None:
    """Four lines on stdout, what to know beside it on stderr."""
    result = shell("create", "club", "--scope", "games:read", "--scope", "admin", "--expires", "90d")
    assert result.exit_code == 0
    lines = dict(line.split(None, 1) for line in result.stdout.splitlines())
    assert list(lines) == ["app", "scopes", "expires", "key"]
    assert (lines["app"], lines["scopes"]) == ("club", "games:read admin")
    assert KEY.fullmatch(lines["key"])
    assert "shown this once" in result.stderr


def test_a_whole_life(shell: Shell) -> None:
    """A key is made, listed, rotated and revoked, each step as programs read it."""
    first = shell.json("create", "club")
    assert first["app"]["scopes"] == [scope for scope in SCOPES if scope != "admin"]
    second = shell.json("rotate", "club", "--overlap", "90m", "--expires", "7d")
    assert [key["id"] for key in second["app"]["keys"]] == [first["key_id"], second["key_id"]]
    assert all(key["expires_at"] for key in second["app"]["keys"])
    left = shell.json("revoke", "club", "--key", first["key_id"])
    assert [key["id"] for key in left["keys"]] == [second["key_id"]]
    assert shell.json("revoke", "club")["status"] == "revoked"
    assert shell.json("list") == {"apps": [shell.json("revoke", "club")]}
    third = shell.json("rotate", "club", "--overlap", "0")
    assert [key["id"] for key in third["app"]["keys"]] == [third["key_id"]]


def test_a_table_for_people(shell: Shell, redis_url: str) -> None:
    """A line for each key, by its id; in columns; no key, and no hash of one."""
    assert shell("list").stdout == "There are no apps.\n"
    texts = [shell.json("create", name)["key"] for name in ("club", "a-much-longer-name")]
    texts.append(shell.json("rotate", "club")["key"])
    shell.json("create", "gone")
    shell.json("revoke", "gone")
    head, *lines = shell("list").stdout.splitlines()
    assert head.split() == ["app", "status", "scopes", "key", "created", "expires", "last", "used"]
    named = [line.split()[0] for line in lines if not line.startswith(" ")]
    assert named == ["a-much-longer-name", "club", "gone"]
    at, ids = head.index("key"), [text[3:15] for text in (texts[1], texts[0], texts[2])]
    assert [line[at : at + 12].strip() for line in lines] == [*ids, "-"]
    stored = bootstrap.apps(Settings(redis_url=redis_url))
    digests = [key.digest for name in named[:2] for key in stored.app(name).app.keys]
    assert not any(secret in "\n".join(lines) for secret in (*digests, *(text[16:] for text in texts)))


def test_mistakes_are_refused(shell: Shell) -> None:
    """A mistake is refused in a sentence, and changes nothing."""
    shell.json("create", "there")
    before = shell.json("list")
    for arguments, told in (
        (("create", "Club"), "'Club' will not do"),
        (("create", ""), "will not do"),
        (("create", "a" * 65), "will not do"),
        (("create", "club", "--scope", "all"), "--scope"),
        (("create", "club", "--expires", "59"), "not within 1 minute and 3,660 days"),
        (("create", "club", "--expires", "soon"), "no time"),
        (("create", "club", "--expires", "-1d"), "no time"),
        (("create", "there"), "There is an app there already"),
        (("rotate", "there", "--overlap", "31d"), "not within 0 seconds and 30 days"),
        (("rotate", "nobody"), "There is no app nobody."),
        (("revoke", "nobody"), "There is no app nobody."),
        (("revoke", "there", "--key", "short"), "the id of a key"),
        (("revoke", "there", "--key", "0" * 12), "The app there has no key 000000000000."),
    ):
        assert told in shell.refusal(*arguments)
    assert shell.json("list") == before


def test_a_third_key_is_refused(shell: Shell) -> None:
    """The refusal of a third key names the ids of the two, and says what to do."""
    first, second = shell.json("create", "club"), shell.json("rotate", "club")
    told = shell.refusal("rotate", "club")
    assert first["key_id"] in told
    assert second["key_id"] in told
    assert "overlap of 0" in told


def test_before_the_first_start(tmp_path: Path) -> None:
    """A data directory is made for the first app, and for nothing else."""
    data = tmp_path / "data"
    nothing = migrato("apps", "list", "--data-dir", data)
    assert (nothing.exit_code, "There is no event store" in nothing.stderr) == (2, True)
    assert not data.exists()
    created = migrato("apps", "create", "club", "--data-dir", data)
    assert created.exit_code == 0
    assert f"No engine runs in {data}; " in created.stderr
    assert "An engine with --ephemeral has its keys from MIGRATO_APP_KEYS" in created.stderr
    assert "within 2 seconds" not in created.stderr
    listed = migrato("apps", "list", "--json", "--data-dir", data)
    assert [app["name"] for app in json.loads(listed.stdout)["apps"]] == ["club"]


def test_a_store_that_does_not_answer() -> None:
    """The command says that the store does not answer."""
    result = migrato("apps", "list", MIGRATO_REDIS_URL="redis://127.0.0.1:1")
    assert (result.exit_code, "does not answer" in result.stderr) == (1, True)


def test_usage_as_csv_and_as_a_table(shell: Shell) -> None:
    """A line for the app's day and one for each bot; an app that has used nothing has no line."""
    shell("create", "club")
    store = RedisUsage(link_to(shell.environ["MIGRATO_REDIS_URL"], 10.0))
    counts = {"created": 2, "people": 7, "moves:greedy@3": 5, "ms:greedy@3": 1200, "questions:greedy@3": 1}
    store.add("club", "2026-11-03", [Slice("5", [Noted("1-0", Used("club", "2026-11-03", counts), "")])])
    days = ("--from", "2026-11-01", "--to", "2026-11-30")
    head, of_app, of_bot = csv.reader(shell("usage", *days, "--csv").stdout.splitlines())
    shown = [
        {name: value for name, value in zip(head, row, strict=True) if value} for row in (of_app, of_bot)
    ]
    about = {"app": "club", "date": "2026-11-03"}
    assert {name: value for name, value in shown[0].items() if value != "0"} == about | {
        "games_created": "2",
        "moves_by_people": "7",
        "moves_by_bots": "5",
    }
    assert {name: value for name, value in shown[1].items() if value != "0"} == about | {
        "bot": "greedy@3",
        "moves": "5",
        "questions": "1",
        "thinking_ms": "1200",
    }
    table = [line.split() for line in shell("usage", "club", *days).stdout.splitlines()]
    assert table[1:] == [
        [*row, "2", "7", "5", "1", "1.2", "s", "0", "0"]
        for row in (["club", "2026-11-03"], ["club", "total"])
    ]
    assert shell("usage", "nobody").stdout == "Nothing was used.\n"
    assert "`to`" in shell.refusal("usage", "--from", "2026-11-30", "--to", "2026-11-01")


def test_quotas(shell: Shell) -> None:
    """The quotas that are named are changed; `off` removes one."""
    shell("create", "club")
    assert shell("quota", "club").stdout == "club has no quotas.\n"
    shell("quota", "club", "--games-per-day", "100", "--questions-per-month", "5000")
    assert shell("quota", "club", "--games-per-day", "off").stdout == "questions per month  5000\n"
    assert shell.json("quota", "club") == {"name": "club", "quotas": {"questions": {"month": 5000}}}
    assert "no quota" in shell.refusal("quota", "club", "--games-per-day", "many")
    assert "There is no app" in shell.refusal("quota", "nobody", "--games-per-day", "1")


def test_limits(shell: Shell) -> None:
    shell("create", "club")
    assert shell("limit", "club").stdout == "club has no limits of its own.\n"
    shell("limit", "club", "--games", "100", "--bots", "0")
    assert shell("limit", "club", "--games", "off").stdout == "bots per minute  0\n"
    assert shell.json("limit", "club") == {"name": "club", "limits": {"bots": 0}}

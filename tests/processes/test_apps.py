"""Apps on a whole engine: the command line beside it, and the address that others reach."""

import json
from pathlib import Path
from typing import Any

import requests

from tests.processes.conftest import NewEngine
from tests.support.command import migrato, refused_to_serve
from tests.support.waiting import LIMIT, until


def apps(data_dir: Path, *arguments: str) -> Any:
    """The document that `migrato apps` prints, on the store of a data directory."""
    done = migrato("apps", *arguments, "--json", "--data-dir", data_dir)
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


def statuses(url: str, key: str | None) -> set[int]:
    """The answers to listings, each over a new connection, so that every web worker is asked."""
    headers = {} if key is None else {"Authorization": f"Bearer {key}"}
    return {requests.get(f"{url}/v1/games", headers=headers, timeout=LIMIT).status_code for _ in range(8)}


def test_the_command_line_beside_a_running_engine(new_engine: NewEngine) -> None:
    """A key is good at once; with it others may reach the next start; revoked, it is refused soon."""
    engine = new_engine(MIGRATO_WEB_WORKERS="2")
    open_to_all = new_engine("data", "--host", "0.0.0.0", MIGRATO_WEB_WORKERS="2")
    others = ("--host", "0.0.0.0", "--port", str(engine.port), "--data-dir", engine.data_dir)
    assert "migrato apps create" in refused_to_serve(*others)
    engine.start()
    assert statuses(engine.url, None) == {200}
    key = apps(engine.data_dir, "create", "club")["key"]
    assert statuses(engine.url, key) == {200}
    until(lambda: statuses(engine.url, None) == {401})
    engine.stop()
    open_to_all.start()
    assert (statuses(open_to_all.url, key), statuses(open_to_all.url, None)) == ({200}, {401})
    apps(engine.data_dir, "revoke", "club")
    until(lambda: statuses(open_to_all.url, key) == {401})

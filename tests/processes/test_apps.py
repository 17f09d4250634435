"""Apps on a whole engine: the command line beside it, and the address that others reach."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import requests

from tests.processes.conftest import NewEngine
from tests.project.running import ROOT, clean_environment
from tests.waiting import until


def apps(data_dir: Path, *arguments: str) -> Any:
    """What `migrato apps` prints, on the store of a data directory."""
    command = [sys.executable, "-m", "service.cli", "apps", *arguments, "--json", "--data-dir", str(data_dir)]
    done = subprocess.run(
        command, cwd=ROOT, env=clean_environment({}), capture_output=True, text=True, timeout=60, check=True
    )
    return json.loads(done.stdout)


def status(url: str, key: str | None) -> int:
    """How a listing is answered, over a new connection."""
    headers = {} if key is None else {"Authorization": f"Bearer {key}"}
    return requests.get(f"{url}/v1/games", headers=headers, timeout=10).status_code


def test_the_command_line_beside_a_running_engine(new_engine: NewEngine) -> None:
    """A key is good at once; it outlives a restart; revoked, it is refused by every web worker within 2 seconds."""
    engine = new_engine().start()
    assert status(engine.url, None) == 200
    key = apps(engine.data_dir, "create", "club")["key"]
    assert status(engine.url, key) == 200
    until(lambda: {status(engine.url, None) for _ in range(8)} == {401}, 3)
    engine.stop()
    engine.start()
    assert {status(engine.url, key) for _ in range(8)} == {200}
    assert {status(engine.url, None) for _ in range(8)} == {401}
    apps(engine.data_dir, "revoke", "club")
    until(lambda: {status(engine.url, key) for _ in range(8)} == {401}, 3)


def test_an_address_that_others_reach_needs_an_app(new_engine: NewEngine) -> None:
    """In the store, or in the settings; and it is looked for in the store of the data directory."""
    here, open_to_all = new_engine(), new_engine("data", "--host", "0.0.0.0")

    def refused() -> None:
        command = [sys.executable, "-m", "service.cli", "serve", "--host", "0.0.0.0"]
        command += ["--port", str(open_to_all.port), "--data-dir", str(here.data_dir)]
        done = subprocess.run(
            command,
            cwd=ROOT,
            env=clean_environment({}),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 2
        assert "migrato apps create" in done.stderr
        assert "Traceback" not in done.stderr

    refused()
    here.start()
    here.stop()
    refused()
    key = apps(here.data_dir, "create", "club")["key"]
    open_to_all.start()
    assert status(open_to_all.url, key) == 200
    assert status(open_to_all.url, None) == 401

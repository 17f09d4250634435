"""Nurseries: what they import, and what they must not make."""

import sys
from io import StringIO

from events.runtime.heartbeat import READY, VARIABLE
from service.cli.supervision.child_process import Program
from service.cli.supervision.forking import Nursery
from service.cli.supervision.merged_log import MergedLog
from tests.support.running import ROOT, output
from tests.support.waiting import until

LOOK = """
import sys, threading
from service.cli.supervision.nursery import import_all
import_all("greenlets")
from gevent import hub
from gevent.monkey import saved
replaced = {id(value) for values in saved.values() for value in values.values() if callable(value)}
for name, module in sorted(sys.modules.items()):
    if name.partition(".")[0] in OURS and any(id(value) in replaced for value in vars(module).values()):
        print(name)
assert hub._get_hub() is None
assert threading.enumerate() == [threading.main_thread()]
"""
OURS = (
    "domain",
    "events",
    "service",
    "workers",
    "redis",
    "rq",
    "gunicorn",
    "flask",
    "werkzeug",
    "requests",
    "urllib3",
)
ON_PURPOSE = {
    "events.caching",  # its lock is never waited for
    "service.cli.supervision.nursery",
    "service.http.server.standing_by",
}


def test_roles_on_greenlets_share_nothing_that_is_a_process_s_own() -> None:
    """No loop and no thread is there to be forked, and nobody keeps a lock, a socket or a pause that gevent replaces,
    and that would stop all greenlets of a process.
    """
    found = output([sys.executable, "-c", f"OURS = {OURS!r}\n{LOOK}"])
    assert set(found.split()) == ON_PURPOSE


def test_a_nursery_that_was_killed_forks_nothing() -> None:
    """It is not taken for ready until it has been started again, and the supervisor goes on."""
    well = f"import os, signal; os.write(int(os.environ[{VARIABLE!r}]), {READY!r}); signal.pause()"
    role = Program("role", (sys.executable, "-m", "workers", "work"), {}, str(ROOT))
    program = Program("nursery", (sys.executable, "-c", well), {}, str(ROOT), heartbeat_limit=60.0)
    nursery = Nursery(program, MergedLog(StringIO()))
    nursery.start()
    until(lambda: nursery.ready)
    nursery.kill()
    until(nursery.ended)
    assert not nursery.ready
    assert nursery.fork(role, 1, 2) is None

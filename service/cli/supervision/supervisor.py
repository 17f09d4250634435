"""Keeps a tree of processes alive and takes it down in order."""

import os
import selectors
import signal
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from types import FrameType

from service.cli.exits import Failure
from service.cli.supervision.child_process import ChildProcess, Exit, SupervisedProcess
from service.cli.supervision.forking import reap_strangers
from service.cli.supervision.heartbeat_watch import WatchTimer
from service.cli.supervision.merged_log import MergedLog

TICK = 0.1  # seconds between looks at the processes
CALM = (
    1.0  # seconds between these while all run and signals wake the supervisor: INTERVAL of their heartbeats
)
HOPELESS = 5  # early deaths of one process before the start is given up
NAME = "migrato"
SIGNALS_READ = 512  # bytes


class Supervisor:
    """Runs stages of processes, the first stage first; stops them last stage first.

    Within a stage everything starts and stops together. A stage's `ready` question must be answered with yes
    before the next one starts. What dies is started again; for ever, once everything has been well. What hangs is
    killed, and so starts again, too.
    """

    def __init__(self, log: MergedLog) -> None:
        self._log = log
        self._stages: list[list[SupervisedProcess]] = []
        self._first: list[list[SupervisedProcess]] = []  # those of them that stop before all others
        self._selector = selectors.DefaultSelector()
        self._signals: tuple[int, int] | None = None  # a pipe, to whose reading end each signal brings a byte
        self._stop_requests = 0
        self._watch_timer = WatchTimer()
        self._settled = False
        self._early_deaths: dict[str, int] = {}
        self._pids: dict[SupervisedProcess, int | None] = {}

    def install_signal_handlers(self) -> None:
        """SIGINT, SIGTERM and SIGHUP ask for a clean stop, a second one for a quick one."""
        self._signals = reading, writing = os.pipe()
        for end in self._signals:
            os.set_blocking(end, False)
        self._selector.register(reading, selectors.EVENT_READ)
        signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._on_signal)

    def stopping(self) -> bool:
        """True if a stop was asked for."""
        return self._stop_requests > 0

    def start_stage(
        self,
        stage: Sequence[SupervisedProcess],
        ready: Callable[[], bool] | None = None,
        within: float = 30.0,
        *,
        stops_first: bool = False,
    ) -> None:
        """Start the processes and wait until `ready` says yes; Failure if it does not `within` seconds.

        `stops_first`: they stop before all stages that were started later.
        """
        if self.stopping():
            return
        self._stages.append([*stage])
        if stops_first:
            self._first.append(self._stages[-1])
        for process in stage:
            process.start()
            self._register(process)
        deadline = time.monotonic() + within
        while ready is not None and not ready():
            if time.monotonic() > deadline:
                names = ", ".join(process.name for process in stage)
                raise Failure(f"{names} did not become ready within {within:.0f} seconds; see the log above.")
            self._tick()
            if self.stopping():
                return

    def watch(self) -> None:
        """Keep everything alive until a stop is asked for; to be called once all has started well."""
        self._settled = True
        while not self.stopping():
            self._tick()

    def run_beside(self, process: SupervisedProcess) -> None:
        """Let a process do its work once, while everything is kept alive; it ends early if a stop is asked for."""
        self._settled = True
        if not self._can_start(process):
            return
        while process.running and not self.stopping():
            self._tick()
            self._collect(process)
        self._end(process)

    def change_over(self, old: ChildProcess, new: ChildProcess, within: float) -> bool:
        """Start `new` beside `old`, and end `old` once `new` is ready; False if that is not so `within` seconds.

        Then `old` goes on. Both are of one stage: `new` takes the place of `old` there.
        """
        if not self._can_start(new):
            return False
        deadline = time.monotonic() + within
        while not new.ready:
            self._tick(pause=TICK)
            self._collect(new)
            if not new.running or self.stopping() or time.monotonic() > deadline:
                self._end(new, at_once=True)
                return False
        self._replace(old, new)
        self._end(old)
        return True

    def restart(self, process: SupervisedProcess) -> None:
        """End the process in order, and start it again."""
        stage, number = self._replace(process, None)
        self._end(process)
        if not self.stopping():
            process.start()
            self._register(process)
        stage.insert(number, process)

    def stop(self) -> None:
        """Stop the stages, the last one first, each within its processes' patience."""
        later = [stage for stage in reversed(self._stages) if not any(stage is one for one in self._first)]
        for stage in (*self._first, *later):
            for process in stage:
                process.ask_to_stop()
            deadline = time.monotonic() + max((process.patience for process in stage), default=0.0)
            while any(process.running for process in stage):
                if time.monotonic() > deadline or self._stop_requests > 1:
                    self._kill(stage)
                self._tick(restarting=False)
        self._selector.close()
        if self._signals is not None:
            signal.set_wakeup_fd(-1)
            for end in self._signals:
                os.close(end)
            self._signals = None

    def _can_start(self, process: SupervisedProcess) -> bool:
        """Start a process that all others can do without; False, with the reason in the log, if the machine refuses."""
        try:
            process.start()
        except OSError as error:
            self._log.line(NAME, f"{process.name} cannot be started: {error}")
            return False
        self._register(process)
        return True

    def _replace(
        self, old: SupervisedProcess, new: SupervisedProcess | None
    ) -> tuple[list[SupervisedProcess], int]:
        """Take `old` out of its stage, and put `new` there; the stage, and the place in it."""
        stage = next(stage for stage in self._stages if old in stage)
        number = stage.index(old)
        stage[number : number + 1] = [] if new is None else [new]
        return stage, number

    def _end(self, process: SupervisedProcess, *, at_once: bool = False) -> None:
        """End a process that is in no stage, within its patience."""
        process.ask_to_stop()
        deadline = time.monotonic() + (0.0 if at_once else process.patience)
        while process.running:
            if time.monotonic() > deadline or self._stop_requests > 1:
                self._kill([process])
            self._tick(pause=TICK)
            self._collect(process)

    def _kill(self, stage: Sequence[SupervisedProcess]) -> None:
        for process in stage:
            if process.running:
                self._log.line(NAME, f"{process.name} does not stop: killed")
                process.kill()

    def _tick(self, *, restarting: bool = True, pause: float | None = None) -> None:
        for key, _ in self._selector.select(self._pause() if pause is None else pause):
            if key.data is None:
                os.read(key.fd, SIGNALS_READ)
            elif not key.data.copy_output():
                self._selector.unregister(key.fileobj)
        restarting = restarting and not self.stopping()
        seconds = self._watch_timer.due()
        for stage in self._stages:
            for process in stage:
                if seconds and restarting and process.hangs(seconds):
                    self._log.line(NAME, f"{process.name} hangs, it gives no sign of life: killed")
                    process.kill()
                self._look_after(process, restarting=restarting)
        reap_strangers(self._pids.values())

    def _pause(self) -> float:
        """Seconds until the next look, unless something happens before."""
        all_run = all(process.running for stage in self._stages for process in stage)
        return (
            CALM if self._settled and all_run and self._signals is not None and not self.stopping() else TICK
        )

    def _look_after(self, process: SupervisedProcess, *, restarting: bool) -> None:
        ended = self._collect(process)
        if ended is not None and restarting:
            self._died(process, ended)
        elif ended is None and restarting and process.restart_if_due():
            self._register(process)

    def _collect(self, process: SupervisedProcess) -> Exit | None:
        """End of the process, if it came since the last call; its output is read no more."""
        output = process.output
        ended = process.ended()
        if ended is not None:
            self._pids.pop(process, None)
        if ended is not None and output is not None:
            with suppress(KeyError):
                self._selector.unregister(output)
        return ended

    def _died(self, process: SupervisedProcess, ended: Exit) -> None:
        name = process.name
        self._early_deaths[name] = self._early_deaths.get(name, 0) + 1
        if not self._settled and (ended.hopeless or self._early_deaths[name] >= HOPELESS):
            raise Failure(f"{name} {ended.words} while starting; see its lines above.")
        delay = process.restart_later()
        self._log.line(NAME, f"{name} {ended.words}; starting it again in {delay:.1f} s")

    def _register(self, process: SupervisedProcess) -> None:
        assert process.output is not None
        self._pids[process] = process.pid
        self._selector.register(process.output, selectors.EVENT_READ, process)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._stop_requests += 1

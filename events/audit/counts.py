# compiled into recording
"""Results of the checks of one game, counted event by event."""

from events.audit.findings import (
    CHECKS,
    FAILED,
    NOT_CHECKED,
    NOTHING,
    PARTLY,
    PASSED,
    REMARKS,
    Checked,
    CheckFailed,
    Remark,
)


class CheckCounts:
    """Counts of what was found right in a game, and notes on what could not be checked."""

    def __init__(self) -> None:
        self._counts = dict.fromkeys(CHECKS, 0)
        self._notes: dict[str, str] = {}
        self._left: set[str] = set()
        self._open = set(CHECKS)
        self._remarks: list[Remark] = []
        self.unasked = 0

    def passed(self, check: str, count: int = 1) -> None:
        """Add to the number of times that the check passed."""
        self._counts[check] += count

    def all_but(self, *but: str) -> None:
        """Note that everything that can be checked has been, except by these checks."""
        self._open = set(but)

    def note(self, check: str, why: str) -> None:
        """Note why a check could not check everything, or anything."""
        self._left.add(check)
        self._notes[check] = why

    def add(self, check: str, what: str) -> None:
        """Add a note to a check that has checked everything."""
        self._notes[check] = what

    def remark(self, about: str, detail: str) -> None:
        """Add a remark: something that is not wrong, but must be said."""
        assert about in REMARKS
        self._remarks.append(Remark(about, detail))

    @property
    def remarks(self) -> tuple[Remark, ...]:
        """Remarks, in the order of REMARKS."""
        order = list(REMARKS)
        return tuple(sorted(self._remarks, key=lambda remark: order.index(remark.about)))

    def checks(self, wrong: CheckFailed | None) -> tuple[Checked, ...]:
        """Result of every check."""
        return tuple(self._checked(name, wrong) for name in CHECKS)

    def _checked(self, name: str, wrong: CheckFailed | None) -> Checked:
        count, note = self._counts[name], self._notes.get(name)
        if wrong is not None and name == wrong.check:
            return Checked(name, FAILED, count)
        if wrong is not None and name in self._open:
            left = (
                "only up to where something was found wrong" if count else "something was found wrong before"
            )
            return Checked(name, PARTLY if count else NOT_CHECKED, count, left)
        if name in self._left:
            return Checked(name, PARTLY if count else NOT_CHECKED, count, note)
        if not count:
            return Checked(name, NOT_CHECKED, 0, NOTHING)
        return Checked(name, PASSED, count, note)

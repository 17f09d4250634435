"""Refusals, and that they leave the event log as it was."""

from werkzeug.test import TestResponse

from tests.service.table import Json, Table, code_of, json_of


class Refused:
    """Asserts refusals; the game's event log has to be what it was when this was made."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._before = table.log()

    def __call__(self, answer: TestResponse, status: int, code: str) -> Json:
        """The problem of an answer that is one."""
        assert code_of(answer) == (status, code), answer.text
        assert self._table.log() == self._before
        return json_of(answer)

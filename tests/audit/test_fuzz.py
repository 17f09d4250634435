"""No mutation passes and nothing crashes; `python -m tests.audit.fuzz` tries more of them."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from events.audit.findings import CheckFailed
from events.audit.stream_verifier import EMPTY, follow
from tests.audit import migo_games
from tests.audit.fuzz import MUTATIONS, fuzz
from tests.audit.games import Corpus

MUTATED = 400
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
MEMBERS = ("version", "type", "schema", "at", "seat", "data", "redacted", "commitment", "head", "salt")


def test_no_mutation_passes_and_none_crashes(played: Corpus) -> None:
    """Of both games; of Migo with two, three and four seats, prepared rounds and forks."""
    for corpus in (played, migo_games.corpus()):
        found = fuzz(corpus, 2026, lambda tried: tried < MUTATED)
        assert len({mutation for mutation, _ in found}) == len(set(MUTATIONS))
        assert len({check for _, check in found}) > 8


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.one_of(JSON, st.fixed_dictionaries(dict.fromkeys(MEMBERS, JSON))))
def test_no_document_crashes_the_live_verifier(document: object) -> None:
    """Anything that JSON can hold, in place of an event and of each of its members, is refused by name."""
    with pytest.raises(CheckFailed) as found:
        follow(EMPTY, document)
    assert found.value.check in ("format", "sequence", "commitments", "chain")

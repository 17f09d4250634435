"""Record of an invite at its id, as the append and the invites' own adapter know it."""

from events.ports import StoredInvite


def invite_record(invite: StoredInvite) -> str:
    """Record of an invite: seat, digest and end."""
    return f"{invite.seat}:{invite.digest}:{invite.until}"


def read_invite(invite_id: str, kept: bytes) -> StoredInvite:
    """The invite whose record this is."""
    seat, digest, until = kept.decode().split(":")
    return StoredInvite(invite_id, int(seat), digest, int(until))

"""Refusals that say nothing of the request: the server cannot do it now."""

from redis.exceptions import ResponseError

NOT_NOW = {
    "BUSY",
    "CLUSTERDOWN",
    "MASTERDOWN",
    "MISCONF",
    "NOREPLICAS",
    "OOM",
    "READONLY",
    "TRYAGAIN",
    "UNBLOCKED",
}


def is_not_now(refusal: ResponseError) -> bool:
    """Whether the request may be asked again as it is."""
    return (refusal.status_code or str(refusal).partition(" ")[0]) in NOT_NOW

"""Ports for servers that are killed and started again, each claimed so that no other process takes it meanwhile."""

import random
import socket
from typing import Final

HOST: Final = "127.0.0.1"
PORTS: Final = (
    12_000,
    22_000,
)  # below those that the system hands out by itself, as are those 10,000 further
_CHANCE: Final = random.SystemRandom()
_CLAIMS: list[socket.socket] = []  # open as long as this process


def free_port(*further: int) -> int:
    """A TCP port of this machine that nobody listens on, as are those that lie `further` from it.

    The claim is the UDP port of the same number, which the kernel gives to one process at a time: a process that looks
    for a port in the same way gets another one, even while the server of this one is down.
    """
    while True:
        port = _CHANCE.randrange(*PORTS)
        if all(_claimed(port + distance) for distance in (0, *further)):
            return port


def _claimed(port: int) -> bool:
    claim = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        claim.bind((HOST, port))
        with socket.socket() as probe:
            probe.bind((HOST, port))
    except OSError:
        claim.close()
        return False
    _CLAIMS.append(claim)
    return True

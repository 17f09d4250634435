"""Addresses that we call on behalf of others, and those that we do not."""

import socket
import threading
from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events import url_guard
from events.errors import UrlRefused
from events.url_guard import Allowed, Guard, Target, is_public, target_of
from tests.support.waiting import LIMIT

PUBLIC, PUBLIC_6 = "93.184.216.34", "2606:2800:220:1::1"
NOWHERE = Allowed()


def answering(*addresses: str) -> Callable[[str, int], list[str]]:
    """A resolver that knows one answer."""
    return lambda host, port: list(addresses)


def failing(number: int, why: str) -> Callable[[str, int], list[str]]:

    def resolve(host: str, port: int) -> list[str]:
        raise socket.gaierror(number, why)

    return resolve


unknown = failing(socket.EAI_NONAME, "Name or service not known")
troubled = failing(socket.EAI_AGAIN, "Temporary failure in name resolution")


class Noting(list[str]):
    """A resolver that knows a public address for each name, and all that it was asked for."""

    def __call__(self, host: str, port: int) -> list[str]:
        self.append(host)
        return [PUBLIC]


def refused(check: Callable[..., object], *arguments: object) -> bool:
    """True if the guard refuses the URL."""
    try:
        check(*arguments)
    except UrlRefused:
        return True
    return False


LONGEST_LABEL = "b" * 63
LONGEST_NAME = ".".join([LONGEST_LABEL] * 3 + ["b" * 61])
ANYBODYS = target_of("https://bots.example.com/")
URLS = {
    "https://bots.example.com": Target("https", "bots.example.com", 443, "/"),
    "HTTPS://Bots.Example.COM./move?a=1&b=%20": Target("https", "bots.example.com", 443, "/move?a=1&b=%20"),
    "http://my_bot:8080/": Target("http", "my_bot", 8080, "/"),
    "https://xn--bcher-kva.example/x": Target("https", "xn--bcher-kva.example", 443, "/x"),
    "https://93.184.216.34:8443/a/../b;c@d": Target("https", PUBLIC, 8443, "/a/../b;c@d"),
    "https://[2606:2800:220:1::1]:1/": Target("https", PUBLIC_6, 1, "/"),
    **{
        f"https://{name}/": Target("https", name.rstrip("."), 443, "/")
        for name in (LONGEST_LABEL, LONGEST_NAME, f"{LONGEST_NAME}.")
    },
}
WITHOUT_SPACES = """
    bots.example.com //bots.example.com/ ftp://bots.example.com/ file:///etc/passwd gopher://bots.example.com/
    https:/bots.example.com/ https:///move https://user@bots.example.com/ https://user:word@bots.example.com/
    https://bots.example.com@127.0.0.1/ https://bots.example.com#@127.0.0.1/ https://bots.example.com/#part
    https://bots.example.com\\@127.0.0.1/ https://bots.example.com?move https://bots..example.com/
    https://bots.example.com../ https://.example.com/ https://bots.example.com:/ https://bots.example.com:0/
    https://bots.example.com:65536/ https://bots.example.com:-1/ https://bots.example.com:١/
    https://bücher.example/ https://bots。example/ https://①②⑦.⓪.⓪.①/ https://ⓛocalhost/
    https://2130706433/ https://0x7f000001/ https://0x7f.1/ https://0X7F.0.0.1/ https://0177.0.0.1/ https://127.1/
    https://127.0.0.1.2/ https://example.0x/ https://1.2.3.256/ https://01.2.3.4/ https://[127.0.0.1]/
    https://[::1%25lo]/ https://[fe80::1%eth0]/ https://[fe80::1%25eth0]/ https://[::1/ https://::1/ https://[]/
    https://[:::]/ https://%31%32%37.0.0.1/
    """
NO_URLS = (
    *WITHOUT_SPACES.split(),
    "",
    "https://bots.example.com/a b",
    "https://bots.example.com/\r\nHost: other",
    "https://bots.example.com/\n",
    " https://bots.example.com/",
    "https://bots.example.com/\x00",
    "https://bots.example.com/\u212a",
    "https://boo\u212a.example/",
    "http\u017f://bots.example.com/",
    "https://bots.example.com/" + "a" * 2048,
)


def test_a_url_is_taken_apart() -> None:
    """Its name may be as long as DNS can hold."""
    assert {url: target_of(url) for url in URLS} == URLS


def test_ambiguous_text_is_no_url() -> None:
    """Neither users nor fragments nor other alphabets; an address only as everybody writes it."""
    assert [url for url in NO_URLS if not refused(target_of, url)] == []


def test_a_name_that_dns_cannot_hold_is_no_url() -> None:
    """Nobody could look it up: not when it is called, either. An operator cannot allow it by name."""
    long = (f"{LONGEST_LABEL}b", f"a.{LONGEST_LABEL}b.example", f"{LONGEST_NAME}b", f"{LONGEST_NAME}b.")
    for name in long:
        with pytest.raises(UrlRefused, match="63"):
            target_of(f"https://{name}/")
        with pytest.raises(ValueError, match="does not appear"):
            Allowed.of([name.rstrip(".")])


@settings(max_examples=40, deadline=None)
@given(st.from_regex(url_guard.NAME, fullmatch=True))
def test_every_name_that_is_accepted_can_be_looked_up(name: str) -> None:
    """Python writes a name by this codec before it asks anybody."""
    try:
        host = target_of(f"https://{name}/").host
    except UrlRefused:
        assert len(name) > 63 or name.rpartition(".")[2][0].isdigit(), "neither long nor a number"
    else:
        assert host == name
        host.encode("idna")


FORBIDDEN = """
    0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 100.127.255.255 127.0.0.1 127.255.255.254 169.254.169.254 172.16.0.1
    172.31.255.255 192.0.0.8 192.0.0.192 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.51.100.1 203.0.113.1
    224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 100.100.100.200 168.63.129.16
    :: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:93.184.216.34 64:ff9b::7f00:1 64:ff9b::5db8:d822
    64:ff9b:1::1 100::1 2001::1 2001:db8::1 2002:7f00:1::1 3fff::1 5f00::1 fc00::1 fd00:ec2::254 fe80::1 fec0::1
    ff02::1
"""


def test_an_address_that_is_not_one_public_host_is_refused() -> None:
    """Private, loopback, link-local, multicast, shared, reserved, metadata, mapped and translated ones."""
    noting = Noting()
    for address in FORBIDDEN.split():
        assert not is_public(ip_address(address)), address
        written = f"[{address}]" if ":" in address else address
        assert refused(Guard(NOWHERE, noting).check, f"https://{written}/"), address
        assert refused(Guard(NOWHERE, answering(address)).addresses, ANYBODYS), address
    assert noting == []


def test_a_public_host_may_be_called() -> None:
    """A public host may be called by HTTPS, as a hand of cards is not sent in the open."""
    for address in (PUBLIC, PUBLIC_6, "1.1.1.1", "192.0.1.1", "100.128.0.1", "2a00:1450::1"):
        assert is_public(ip_address(address))
        guard = Guard(NOWHERE, answering(address))
        assert guard.addresses(ANYBODYS) == [address]
        guard.check("https://bots.example.com/")
    for url in ("http://bots.example.com/", f"http://{PUBLIC}/"):
        guard = Guard(NOWHERE, answering(PUBLIC))
        assert refused(guard.check, url)
        assert refused(guard.addresses, target_of(url))


@given(st.one_of([st.ip_addresses(network=f"{net}") for net in ("::ffff:0:0/96", "2002::/16", "2001::/32")]))
def test_no_form_of_ipv6_stands_for_an_ipv4_address(address: IPv4Address | IPv6Address) -> None:
    """Mapped, 6to4 and Teredo addresses carry one, public or not."""
    assert not is_public(address)
    assert is_public(ip_address(PUBLIC_6))


def test_one_forbidden_address_among_several_refuses_the_name() -> None:
    guard = Guard(NOWHERE, answering(PUBLIC, "10.0.0.1"))
    assert refused(guard.addresses, ANYBODYS)
    assert refused(guard.check, "https://bots.example.com/")


def test_a_resolver_must_say_an_address() -> None:
    for answer in (["fe80::1%eth0"], ["2606:2800:220:1::1%1"], ["localhost"], [""], []):
        assert refused(Guard(NOWHERE, answering(*answer)).addresses, ANYBODYS), answer


def test_hosts_that_the_operator_allows_may_be_called_by_http_too() -> None:
    for entry, host, address in (
        ("127.0.0.1", "localhost", "127.0.0.1"),
        ("127.0.0.1/32", "127.0.0.1", "127.0.0.1"),
        ("10.0.0.0/8", "bots.internal", "10.1.2.3"),
        ("::1", "localhost", "::1"),
        ("fd00::/8", "bots.internal", "fd00::1"),
        ("64:ff9b::/96", "bots.example.com", "64:ff9b::1"),
        ("Bots.Internal", "bots.internal", "192.168.0.7"),
    ):
        guard = Guard(Allowed.of([entry]), answering(address))
        for url in (f"http://{host}/", f"https://{host}/"):
            guard.check(url)
            assert guard.addresses(target_of(url)) == [address]


def test_a_host_that_the_operator_names_need_not_be_looked_up() -> None:
    noting = Noting()
    guard = Guard(Allowed.of(["bots.internal"]), noting)
    guard.check("http://bots.internal/")
    assert noting == []
    guard.check("https://bots.example.com/")
    assert noting == ["bots.example.com"]


def test_nothing_else_is_allowed_along() -> None:
    """A setting allows no more than it names: no other form of the address, and no name below an allowed one."""
    guard = Guard(Allowed.of(["127.0.0.1", "bots.internal"]), answering("10.0.0.1"))
    for host in ("[::ffff:127.0.0.1]", "127.0.0.2", "[::1]", "a.bots.internal"):
        assert refused(guard.check, f"http://{host}/"), host
    guard.check("http://bots.internal/")


def test_an_entry_that_means_nothing_is_an_error() -> None:
    nothing = ("10.0.0.1/8", "10.0.0.0/33", "*", "*.internal", "http://bots", "0x7f.1", "a/b")
    for entry in ("", "bots internal", *nothing):
        with pytest.raises(ValueError, match=r"does not appear to be|has host bits set"):
            Allowed.of([entry])


def test_a_name_that_does_not_exist_is_refused_like_one_of_our_own_network() -> None:
    """A name that does not exist is refused as one of our network is, so callers cannot learn which names it has."""
    refusals = []
    for resolve in (unknown, answering("10.0.0.1")):
        with pytest.raises(UrlRefused) as refused:
            Guard(NOWHERE, resolve).check("https://db.internal/")
        refusals.append(str(refused.value))
    assert refusals[0] == refusals[1]


def test_a_refusal_says_what_is_wrong_and_which_setting_allows_it() -> None:
    for url, wrong in {
        "http://127.0.0.1:3000/hook": "127.0.0.1 is not on the public internet.",
        "https://[::1]/hook": "::1 is not on the public internet.",
        f"http://{PUBLIC}/hook": "It must be https.",
        "http://db.internal/hook": "It must be https.",
        "https://db.internal/hook": "db.internal is not found, or not on the public internet.",
    }.items():
        with pytest.raises(UrlRefused) as refused:
            Guard(NOWHERE, unknown).check(url)
        assert str(refused.value) == f"{wrong} {url_guard.ALLOWING}"
        assert "MIGRATO_REMOTE_ALLOW" in str(refused.value)


def test_a_name_that_cannot_be_looked_up_now_is_left_to_the_call() -> None:
    Guard(NOWHERE, troubled).check("https://bots.example.com/")
    with pytest.raises(OSError, match="Temporary"):
        Guard(NOWHERE, troubled).addresses(target_of("https://bots.example.com/"))


def test_silent_name_servers_hold_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a few names are looked up at once, and each only for a moment; then the call decides."""
    monkeypatch.setattr(url_guard, "LOOK_SECONDS", 0.01)
    asked, answered = threading.Semaphore(0), threading.Event()

    def silent(host: str, port: int) -> list[str]:
        asked.release()
        answered.wait(LIMIT)
        return ["10.0.0.1"]

    guard = Guard(NOWHERE, silent)
    for _ in range(3 * url_guard.LOOKS):
        guard.check("https://bots.example.com/")
    assert all(asked.acquire(timeout=LIMIT) for _ in range(url_guard.LOOKS))
    assert not asked.acquire(timeout=0.05)
    answered.set()


def test_the_systems_resolver_is_asked() -> None:
    assert set(url_guard.resolve("localhost", 80)) <= {"127.0.0.1", "::1"}

"""Compressed packets, as servers send them and as they never do."""

import socket
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from pybinlog.replication.compression import CompressedSocket, CompressionError, ZstdInflater, inflate_zlib
from pybinlog.replication.options import Compression
from pybinlog.replication.session import LoginRefused, chosen_algorithm

DEFLATE: dict[str, Callable[[bytes | memoryview], bytes]] = {
    "zlib": zlib.compress,
    "zstd": zstandard.ZstdCompressor().compress,
}
INFLATE = {"zlib": inflate_zlib, "zstd": ZstdInflater().inflate}
ALGORITHMS = sorted(DEFLATE)
BOMB = 1 << 26


@pytest.fixture
def sides() -> Iterator[tuple[socket.socket, socket.socket]]:
    ours, theirs = socket.socketpair()
    ours.settimeout(10)
    with ours, theirs:
        yield ours, theirs


def packet(number: int, content: bytes, size: int) -> bytes:
    return len(content).to_bytes(3, "little") + bytes([number & 0xFF]) + size.to_bytes(3, "little") + content


def received(reader: CompressedSocket, count: int, room: int) -> bytes:
    """So many bytes, by views of that size."""
    data = b""
    while len(data) < count:
        view = memoryview(bytearray(room))
        got = reader.recv_into(view)
        assert 0 < got <= room
        data += view[:got]
    return data


class Pieces:
    """A socket that gives bytes in pieces of these sizes, again and again."""

    def __init__(self, data: bytes, sizes: list[int]):
        self._data, self._sizes, self._turn = data, sizes, 0

    def recv_into(self, view: memoryview) -> int:
        size = self._sizes[self._turn % len(self._sizes)]
        self._turn += 1
        piece = self._data[: min(size, len(view))]
        self._data = self._data[len(piece) :]
        view[: len(piece)] = piece
        return len(piece)

    def sendall(self, data: bytes) -> None:
        pass


class Sent:
    """A socket that keeps what is sent, and gives it back."""

    def __init__(self) -> None:
        self.data = b""

    def sendall(self, data: bytes) -> None:
        self.data += data

    def recv_into(self, view: memoryview) -> int:
        return Pieces(self.data, [len(self.data)]).recv_into(view)


@given(
    contents=st.lists(st.tuples(st.binary(min_size=1, max_size=200), st.integers(1, 500), st.booleans()), min_size=1),
    sizes=st.lists(st.integers(1, 300), min_size=1),
    room=st.integers(1, 70000),
    algorithm=st.sampled_from(ALGORITHMS),
)
def test_what_was_compressed_comes_out_however_it_arrives(
    contents: list[tuple[bytes, int, bool]], sizes: list[int], room: int, algorithm: str
) -> None:
    sent, wanted = b"", b""
    for number, (word, times, as_it_is) in enumerate(contents, 1):
        plain = word * times
        sent += packet(number, plain, 0) if as_it_is else packet(number, DEFLATE[algorithm](plain), len(plain))
        wanted += plain
    reader = CompressedSocket(Pieces(sent, sizes), INFLATE[algorithm])
    reader.sendall(b"\1\0\0\0x")
    assert received(reader, len(wanted), room) == wanted
    assert reader.recv_into(memoryview(bytearray(10))) == 0


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_largest_packets_and_numbers_above_255(algorithm: str) -> None:
    large = bytes(range(256)) * 65535 + b"x" * 255
    assert len(large) == 0xFFFFFF
    sent = b"".join(packet(number, b"y", 0) for number in range(1, 300))
    sent += packet(300, DEFLATE[algorithm](large), len(large)) + packet(301, large, 0)
    reader = CompressedSocket(Pieces(sent, [100000]), INFLATE[algorithm])
    reader.sendall(b"\1\0\0\0x")
    assert received(reader, 299 + 2 * len(large), 1 << 20) == b"y" * 299 + large + large


def test_a_command_goes_out_uncompressed_and_numbers_begin_anew(sides: tuple[socket.socket, socket.socket]) -> None:
    ours, theirs = sides
    reader = CompressedSocket(ours, inflate_zlib)
    for _ in range(2):
        reader.sendall(b"\1\0\0\0\x0e")
        assert theirs.recv(100) == b"\5\0\0\0\0\0\0" + b"\1\0\0\0\x0e"
        theirs.sendall(packet(1, b"ab", 0) + packet(2, b"cd", 0))
        assert received(reader, 4, 3) == b"abcd"


@given(
    commands=st.lists(st.lists(st.binary(min_size=1, max_size=200_000), min_size=1, max_size=4), max_size=3),
    algorithm=st.sampled_from(ALGORITHMS),
)
def test_a_clients_side_reads_what_a_servers_side_compresses(commands: list[list[bytes]], algorithm: str) -> None:
    sent = Sent()
    server = CompressedSocket(sent, INFLATE[algorithm], DEFLATE[algorithm])
    for answers in commands:
        sent.data = packet(0, b"\1\0\0\0\x0e", 0)
        server.begin_command()
        assert received(server, 5, 100) == b"\1\0\0\0\x0e"
        sent.data = b""
        for answer in answers:
            server.sendall(memoryview(answer))
        client = CompressedSocket(Pieces(sent.data, [1000]), INFLATE[algorithm])
        client.sendall(b"\1\0\0\0\x0e")
        assert received(client, sum(map(len, answers)), 1 << 16) == b"".join(answers)


def test_bytes_that_no_poll_tells_of_are_pending(sides: tuple[socket.socket, socket.socket]) -> None:
    ours, theirs = sides
    reader = CompressedSocket(ours, inflate_zlib)
    reader.sendall(b"\1\0\0\0\x0e")
    assert not reader.pending()
    theirs.sendall(packet(1, b"abc", 0) + packet(2, b"de", 0) + packet(3, b"fgh", 0)[:-1])
    assert received(reader, 2, 2) == b"ab"
    assert reader.pending()
    assert received(reader, 1, 1) == b"c"
    assert reader.pending()
    assert received(reader, 2, 2) == b"de"
    assert not reader.pending()  # a packet that is not all there gives nothing
    ours.settimeout(0)
    with pytest.raises(BlockingIOError):
        reader.recv_into(memoryview(bytearray(9)))
    theirs.sendall(b"h")
    assert received(reader, 3, 9) == b"fgh"


def test_a_file_for_pymysql_reads_across_packets(sides: tuple[socket.socket, socket.socket]) -> None:
    ours, theirs = sides
    reader = CompressedSocket(ours, inflate_zlib)
    reader.sendall(b"\1\0\0\0\x0e")
    theirs.sendall(packet(1, b"abc", 0) + packet(2, b"def", 0))
    with reader.makefile("rb") as file:
        assert file.read(4) == b"abcd"
        assert file.read(2) == b"ef"
    assert ours.fileno() != -1


HARM = {
    "a number twice": (packet(1, b"abc", 0) + packet(1, b"abc", 0), "number 1 is out of order"),
    "a packet left out": (packet(1, b"abc", 0) + packet(3, b"abc", 0), "number 3 is out of order"),
    "an empty packet": (packet(1, b"abc", 0) + packet(2, b"", 0), "a compressed packet is empty"),
    "an empty packet that claims more": (packet(1, b"abc", 0) + packet(2, b"", 9), "a compressed packet is empty"),
}


@pytest.mark.parametrize("name", HARM)
def test_packets_out_of_order_are_an_error_after_what_came_before(name: str) -> None:
    sent, sentence = HARM[name]
    reader = CompressedSocket(Pieces(sent, [1000]), inflate_zlib)
    reader.sendall(b"\1\0\0\0x")
    assert received(reader, 3, 100) == b"abc"
    for _ in range(2):  # it stays one
        with pytest.raises(CompressionError, match=sentence):
            reader.recv_into(memoryview(bytearray(10)))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize(
    "harm",
    [
        lambda content, size: (content, size - 1),
        lambda content, size: (content, size + 1),
        lambda content, size: (content, 0xFFFFFF),
        lambda content, size: (content[:-1], size),
        lambda content, size: (content[:-5], size),
        lambda content, size: (content + b"\0", size),
        lambda content, size: (content + content, size),
        lambda content, size: (content + content, 2 * size),
        lambda content, size: (b"\0" + content, size),
        lambda content, size: (b"x", size),
    ],
)
def test_what_does_not_inflate_to_what_it_says_is_an_error(algorithm: str, harm: object) -> None:
    assert callable(harm)
    content, size = harm(DEFLATE[algorithm](b"some text " * 100), 1000)
    reader = CompressedSocket(Pieces(packet(1, content, size), [1000]), INFLATE[algorithm])
    reader.sendall(b"\1\0\0\0x")
    with pytest.raises(CompressionError, match=r"a compressed packet (is broken|does not inflate)"):
        reader.recv_into(memoryview(bytearray(2000)))


@given(st.binary(min_size=1, max_size=100), st.integers(1, 0xFFFFFF), st.sampled_from(ALGORITHMS))
def test_any_bytes_inflate_to_what_they_say_or_are_an_error(content: bytes, size: int, algorithm: str) -> None:
    with suppress(CompressionError):
        assert len(INFLATE[algorithm](memoryview(content), size)) == size


WRONG_SIZE = "a compressed packet does not inflate to the {} bytes it says"


@pytest.mark.parametrize(
    ("algorithm", "content", "size", "error"),
    [
        ("zlib", DEFLATE["zlib"](b"some text"), 9, None),
        ("zlib", DEFLATE["zlib"](b"some text"), 8, WRONG_SIZE.format(8)),
        ("zlib", DEFLATE["zlib"](b"some text"), 10, WRONG_SIZE.format(10)),
        ("zlib", DEFLATE["zlib"](b"some text")[:-1], 9, WRONG_SIZE.format(9)),
        ("zlib", DEFLATE["zlib"](b"some text") + b"x", 9, WRONG_SIZE.format(9)),
        ("zlib", b"no", 9, "a compressed packet is broken: Error -3 while decompressing data: "),
        ("zstd", DEFLATE["zstd"](b"some text"), 9, None),
        ("zstd", DEFLATE["zstd"](b"some text"), 8, WRONG_SIZE.format(8)),
        ("zstd", DEFLATE["zstd"](b"some text"), 10, WRONG_SIZE.format(10)),
        ("zstd", zstandard.ZstdCompressor(write_content_size=False).compress(b"some text"), 9, None),
        ("zstd", zstandard.ZstdCompressor(write_content_size=False).compress(b"some text"), 10, WRONG_SIZE.format(10)),
        ("zstd", b"xxxxxxxxxxxxxxxxxxxx", 9, "a compressed packet is broken: "),
    ],
)
def test_a_packet_inflates_to_exactly_what_it_says(
    algorithm: str, content: bytes, size: int, error: str | None
) -> None:
    if error is None:
        assert INFLATE[algorithm](memoryview(content), size) == b"some text"
        return
    with pytest.raises(CompressionError) as raised:
        INFLATE[algorithm](memoryview(content), size)
    assert str(raised.value).startswith(error)


def test_pending_bytes_are_those_of_whole_packets(sides: tuple[socket.socket, socket.socket]) -> None:
    ours, theirs = sides
    reader = CompressedSocket(ours, inflate_zlib)
    reader.sendall(b"\1\0\0\0\x0e")
    assert (theirs.recv(100), reader.pending()) == (b"\5\0\0\0\0\0\0\1\0\0\0\x0e", 0)
    second, third = packet(2, DEFLATE["zlib"](b"defgh"), 5), packet(3, b"", 0)
    theirs.sendall(packet(1, b"abc", 0) + second + third[:6])
    assert received(reader, 1, 1) == b"a"
    assert reader.pending() == 2
    assert received(reader, 2, 2) == b"bc"
    assert reader.pending() == len(second) - 7
    assert received(reader, 5, 5) == b"defgh"
    assert reader.pending() == 0
    theirs.sendall(third[6:])
    ours.settimeout(5)
    with pytest.raises(CompressionError, match="a compressed packet is empty"):
        reader.recv_into(memoryview(bytearray(5)))
    assert reader.pending() == 1  # so that the error is read


def test_bytes_that_tls_has_are_pending() -> None:
    class Ends(Pieces):
        def pending(self) -> int:
            return 7

    assert CompressedSocket(Ends(b"", [1]), inflate_zlib).pending() == 7
    assert CompressedSocket(Pieces(b"", [1]), inflate_zlib).pending() == 0


def test_what_pymysql_uses_of_a_socket_is_there(sides: tuple[socket.socket, socket.socket]) -> None:
    ours, _ = sides
    reader = CompressedSocket(ours, inflate_zlib)
    reader.settimeout(0.25)
    assert (ours.gettimeout(), reader.fileno()) == (0.25, ours.fileno())
    assert reader.makefile("rb").readable()
    reader.close()
    assert ours.fileno() == -1


BOMBS = {
    "zlib": zlib.compress(bytes(BOMB)),
    "zstd that says its size": zstandard.ZstdCompressor().compress(bytes(BOMB)),
    "zstd that does not": zstandard.ZstdCompressor(write_content_size=False).compress(bytes(BOMB)),
    "zstd that says too much": b"\x28\xb5\x2f\xfd\xe0" + (1 << 60).to_bytes(8, "little") + b"\1\0\0",
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_takes_no_more_memory_than_it_says(name: str) -> None:
    inflate = INFLATE[name[:4]]
    tracemalloc.start()
    try:
        with pytest.raises(CompressionError):
            inflate(memoryview(BOMBS[name]), 1000)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


def test_a_length_is_believed_as_its_bytes_arrive() -> None:
    reader = CompressedSocket(Pieces(packet(1, b"x" * 0xFFFFFF, 0)[:1000], [1000]), inflate_zlib)
    reader.sendall(b"\1\0\0\0x")
    tracemalloc.start()
    try:
        assert reader.recv_into(memoryview(bytearray(10))) == 0  # the end
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


def test_the_first_algorithm_that_both_have_is_chosen() -> None:
    none, zlib_, zstd = Compression.UNCOMPRESSED, Compression.ZLIB, Compression.ZSTD
    both = 1 << 5 | 1 << 26
    assert chosen_algorithm((none,), both) is none
    assert chosen_algorithm((zstd, zlib_), both) is zstd
    assert chosen_algorithm((zlib_, zstd), both) is zlib_
    assert chosen_algorithm((zstd, zlib_), 1 << 5) is zlib_
    assert chosen_algorithm((none, zstd), both) is zstd
    assert chosen_algorithm((zstd, none), 1 << 5) is none
    with pytest.raises(LoginRefused) as raised:
        chosen_algorithm((zstd,), 1 << 5)
    assert raised.value.args == (
        "the server does not compress by zstd",
        "Give --compression-algorithms=zstd,zlib,uncompressed",
    )


def test_numbers_of_a_semi_synchronous_server_begin_anew_after_it_asks(
    sides: tuple[socket.socket, socket.socket],
) -> None:
    ours, theirs = sides
    reader = CompressedSocket(ours, inflate_zlib)
    reader.sendall(b"\1\0\0\0\x12")
    reader.answers = True
    theirs.sendall(packet(1, b"ab", 0) + packet(2, b"cd", 0) + packet(0, b"ef", 0) + packet(0, b"gh", 0))
    assert received(reader, 8, 20) == b"abcdefgh"
    reader.sendall(b"\1\0\0\0\xef")
    theirs.sendall(packet(1, b"ij", 0) + packet(3, b"kl", 0))
    assert received(reader, 2, 20) == b"ij"
    with pytest.raises(CompressionError, match="number 3 is out of order"):
        reader.recv_into(memoryview(bytearray(20)))

"""CutProxy: passes bytes between a mirror and its server until it is told to cut the connection."""

import contextlib
import socket
import struct
import threading

RESET = struct.pack("ii", 1, 0)
"""SO_LINGER with no time: the peer sees a reset, not an end."""
PIECE = 1 << 18


class CutProxy:
    """Listens on `port`. `cut` ends what is connected now; what connects later is passed on."""

    def __init__(self, to: int):
        self._to = to
        self._lock = threading.Lock()
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._left: int | None = None
        """Bytes from the server until the next cut; None if there is none."""
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def cut(self, after: int = 0, *, reset: bool = False) -> None:
        """Now, or when so many bytes more have come from the server: that may be inside an event."""
        with self._lock:
            if after:
                self._left = after
                return
            self._left = None
            pairs, self._pairs = self._pairs, []
        for pair in pairs:
            for one in pair:
                with contextlib.suppress(OSError):
                    if reset:
                        one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
                    one.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._listener.close()
        self.cut()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(("127.0.0.1", self._to), 10)
                server.settimeout(None)
            except OSError:
                client.close()
                continue
            with self._lock:
                self._pairs.append((client, server))
            threading.Thread(target=self._connect, args=(client, server), daemon=True).start()

    def _connect(self, client: socket.socket, server: socket.socket) -> None:
        up = threading.Thread(target=self._pass, args=(client, server, False), daemon=True)
        up.start()
        self._pass(server, client, True)
        up.join()
        with self._lock:
            self._pairs = [pair for pair in self._pairs if pair[0] is not client]
        client.close()
        server.close()

    def _pass(self, source: socket.socket, target: socket.socket, counted: bool) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(PIECE):
                cut = False
                if counted:
                    with self._lock:
                        if self._left is not None:
                            cut = len(data) >= self._left
                            data = data[: self._left]
                            self._left -= len(data)
                target.sendall(data)
                if cut:
                    self.cut()
        for one in (source, target):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

"""A store in memory that counts its requests: the files of `tallied://` URLs."""

from typing import Any, ClassVar

from fsspec import AbstractFileSystem, register_implementation
from fsspec.spec import AbstractBufferedFile


class CountedFile(AbstractBufferedFile):
    """A file whose ranges are requests."""

    def _fetch_range(self, start: int, end: int) -> bytes:
        CountedStore.requests.append((self.path, end - start))
        return CountedStore.files[self.path][start:end]


class CountedStore(AbstractFileSystem):
    """`files` by their paths; `requests` are those for bytes, each with a path and a size."""

    protocol = "tallied"
    cachable = False
    files: ClassVar[dict[str, bytes]] = {}
    requests: ClassVar[list[tuple[str, int]]] = []

    def info(self, path: str, **_: Any) -> dict[str, Any]:
        path = self._strip_protocol(path)
        if path in self.files:
            return {"name": path, "size": len(self.files[path]), "type": "file"}
        if any(name.startswith(f"{path}/") for name in self.files):
            return {"name": path, "size": 0, "type": "directory"}
        raise FileNotFoundError(path)

    def ls(self, path: str, detail: bool = True, **_: Any) -> list[Any]:
        path = self._strip_protocol(path)
        found = [self.info(name) for name in self.files if name.rpartition("/")[0] == path]
        return found if detail else [each["name"] for each in found]

    def _open(self, path: str, mode: str = "rb", block_size: int | None = None, **more: Any) -> CountedFile:
        return CountedFile(self, self._strip_protocol(path), mode, block_size, **more)


register_implementation("tallied", CountedStore)

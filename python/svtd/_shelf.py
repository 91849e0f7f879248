"""Rows of counts, kept in memory or in a temporary file.

Rows are added and read in parts of bounded size. A part in a file is read when needed and released
after use, so only one part is in memory at a time. The file has no name and disappears with the last
shelf that uses it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from typing import IO, Any, NamedTuple, Optional

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

Arrays = tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.uint32]]

PART = 1 << 20
"""Counts in a part, at most, but for a single row that has more."""


class _InFile(NamedTuple):
    start: int
    n_rows: int
    n_counts: int


class Shelf:
    """Rows of counts over the same columns. A shelf is immutable: adding rows gives another one."""

    def __init__(self, n_columns: int, folder: Optional[str] = None) -> None:
        self.n_columns = n_columns
        self.folder = folder
        self.n_rows = 0
        self._parts: list[Any] = []
        self._file: Optional[IO[bytes]] = None
        self._end = 0
        if folder is not None:
            self._file = tempfile.TemporaryFile(dir=folder)

    def with_rows(self, matrices: Iterable[sp.csr_matrix]) -> Shelf:
        """A shelf with these rows added. In a file they are appended to the existing ones."""
        more = Shelf.__new__(Shelf)
        vars(more).update(vars(self))
        more._parts = list(self._parts)
        for matrix in matrices:
            for arrays in _cut(matrix):
                more._parts.append(more._kept(arrays))
                more.n_rows += len(arrays[0]) - 1
        return more

    def parts(self) -> Iterator[Arrays]:
        """``indptr``, ``indices`` and ``data`` of the rows, part after part."""
        for part in self._parts:
            yield self._read(part) if isinstance(part, _InFile) else part

    def matrices(self) -> Iterator[sp.csr_matrix]:
        """The rows as matrices, part after part."""
        for indptr, indices, data in self.parts():
            shape = (len(indptr) - 1, self.n_columns)
            yield sp.csr_matrix((data, indices, indptr), shape=shape)

    def without(self, gone: sp.csr_matrix) -> tuple[Shelf, int]:
        """A shelf without one equal row for each of these, and how many of them it does not have."""
        wanted: dict[bytes, int] = {}
        for content in _contents(gone):
            wanted[content] = wanted.get(content, 0) + 1

        def left() -> Iterator[sp.csr_matrix]:
            for matrix in self.matrices():
                stays = np.ones(matrix.shape[0], dtype=bool)
                for d, content in enumerate(_contents(matrix)):
                    if wanted.get(content, 0):
                        wanted[content] -= 1
                        stays[d] = False
                yield matrix[stays]

        kept = Shelf(self.n_columns, self.folder).with_rows(left())
        return kept, sum(wanted.values())

    def _kept(self, arrays: Arrays) -> Any:
        if self._file is None:
            return arrays
        # Overwrites what an abandoned shelf has written here.
        self._file.seek(self._end)
        part = _InFile(self._end, len(arrays[0]) - 1, len(arrays[1]))
        for array in arrays:
            self._file.write(array.tobytes())
            self._end += array.nbytes
        return part

    def _read(self, part: _InFile) -> Arrays:
        assert self._file is not None
        self._file.seek(part.start)

        def array(dtype: Any, n: int) -> Any:
            n_bytes = n * np.dtype(dtype).itemsize
            found = self._file.read(n_bytes) if self._file is not None else b""
            if len(found) != n_bytes:
                raise OSError("the temporary file of a model is shorter than what was written to it")
            return np.frombuffer(found, dtype=dtype)

        indptr = array(np.int64, part.n_rows + 1)
        indices = array(np.int32, part.n_counts)
        return indptr, indices, array(np.uint32, part.n_counts)

    def __getstate__(self) -> dict[str, Any]:
        return {"n_columns": self.n_columns, "folder": self.folder, "parts": list(self.parts())}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["n_columns"], state["folder"])  # type: ignore[misc]
        for arrays in state["parts"]:
            self._parts.append(self._kept(arrays))
            self.n_rows += len(arrays[0]) - 1


def _cut(matrix: sp.csr_matrix) -> Iterator[Arrays]:
    """Splits a matrix into parts."""
    indptr = np.asarray(matrix.indptr, dtype=np.int64)
    start = 0
    while start < matrix.shape[0]:
        end = int(np.searchsorted(indptr, indptr[start] + PART, side="right")) - 1
        end = min(max(end, start + 1), matrix.shape[0])
        span = slice(int(indptr[start]), int(indptr[end]))
        indices = np.array(matrix.indices[span], dtype=np.int32)
        data = np.array(matrix.data[span], dtype=np.uint32)
        yield indptr[start : end + 1] - indptr[start], indices, data
        start = end


def _contents(matrix: sp.csr_matrix) -> Iterator[bytes]:
    """The content that identifies rows: their words, ascending as they were read, and their counts."""
    words = np.asarray(matrix.indices, dtype=np.int64)
    counts = np.asarray(matrix.data, dtype=np.int64)
    for start, end in zip(matrix.indptr[:-1], matrix.indptr[1:]):
        yield words[start:end].tobytes() + b"|" + counts[start:end].tobytes()

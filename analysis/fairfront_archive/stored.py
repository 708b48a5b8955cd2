"""The objects of an archive's file, each looked at before it is opened.

What `fairfront` writes is a small part of HDF5: groups and data sets, each with one hard link, in one
file; data sets in chunks with checksums; text of fixed length. Nothing else is followed: no soft or
external link, no second hard link (which could lead back), no data that another file holds.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import h5py
import numpy as np
from h5py import h5a, h5d, h5g, h5o, h5s, h5t, h5z

from fairfront_archive.errors import ArchiveError

DEEPEST = 8
MOST_DIMENSIONS = 4  # those of a measure
MOST_SHRINKING = 1032  # of deflate: a header may claim any length, the bytes that are there bound it
PLAIN = [h5z.FILTER_FLETCHER32]
DEFLATED = [h5z.FILTER_SHUFFLE, h5z.FILTER_DEFLATE, h5z.FILTER_FLETCHER32]
BLOCK_BYTES = 1 << 24  # of what is read at once
NUMBERS = {"u1": h5t.STD_U8LE, "u2": h5t.STD_U16LE, "i4": h5t.STD_I32LE, "i8": h5t.STD_I64LE,
           "f8": h5t.IEEE_F64LE}
TEXT = "text"


class Damaged(ArchiveError):
    """Names a place in the file, not yet the file."""


def kind_of(type_: h5t.TypeID) -> str:
    """"text", a key of NUMBERS, or "" for what the format does not have."""
    if isinstance(type_, h5t.TypeStringID):
        fits = (not type_.is_variable_str() and type_.get_cset() == h5t.CSET_UTF8
                and type_.get_strpad() == h5t.STR_NULLPAD)
        return TEXT if fits else ""
    return next((name for name, known in NUMBERS.items() if type_.equal(known)), "")


@dataclasses.dataclass
class Column:
    """A data set."""

    path: str
    shape: tuple[int, ...]  # (n,) or that of n rows, such as (n, m)
    kind: str
    attributes: dict[str, object]
    data: h5d.DatasetID

    def blocks(self) -> Iterator[np.ndarray]:
        """Its rows, in order; text as bytes without padding."""
        dataset = h5py.Dataset(self.data)
        rows = max(1, BLOCK_BYTES // max(1, dataset.dtype.itemsize * _product(self.shape[1:])))
        for begin in range(0, self.shape[0], rows):
            try:
                yield dataset[begin:begin + rows]
            except (OSError, ValueError) as error:  # a checksum that does not fit
                raise Damaged(f"{self.path}: cannot be read ({error})") from error

    def values(self) -> np.ndarray:
        """All rows."""
        parts = list(self.blocks())
        if parts:
            return np.concatenate(parts)
        return np.empty(self.shape, dtype="S1" if self.kind == TEXT else f"<{self.kind}")


@dataclasses.dataclass
class Group:
    path: str
    attributes: dict[str, object]
    members: dict[str, Group | Column]  # in the order of creation


def tree_of(file: h5py.File) -> Group:
    """Everything in the file.

    @throws Damaged  something that `fairfront` does not write.
    """
    return _Walk().group(h5g.open(file.id, b"/"), "/", 0)


class _Walk:
    def __init__(self) -> None:
        self.seen: set[int] = set()

    def group(self, group: h5g.GroupID, path: str, depth: int) -> Group:
        if depth > DEEPEST:
            raise Damaged(f"{path}: is nested too deep")
        found = Group(path, attributes_of(group, path), {})
        if depth == 0:
            self.seen.add(h5o.get_info(group).addr)
        for name in list(group):
            below = f"{path.rstrip('/')}/{text_of(name)}"
            if name in (b"", b".", b"..") or b"/" in name:
                raise Damaged(f"{path}: '{text_of(name)}' is not a usable name")
            if text_of(name) in found.members:
                raise Damaged(f"{below}: there are two of this name")
            found.members[text_of(name)] = self.member(group, name, below, depth + 1)
        return found

    def member(self, group: h5g.GroupID, name: bytes, path: str, depth: int) -> Group | Column:
        if group.links.get_info(name).type != h5py.h5l.TYPE_HARD:
            raise Damaged(f"{path}: is a link to another place or file, not an object of the archive")
        info = h5o.get_info(group, name)
        if info.rc != 1 or info.addr in self.seen:
            raise Damaged(f"{path}: is stored in the place of another object")
        self.seen.add(info.addr)
        if info.type == h5o.TYPE_GROUP:
            return self.group(h5g.open(group, name), path, depth)
        if info.type == h5o.TYPE_DATASET:
            return column_of(h5d.open(group, name), path)
        raise Damaged(f"{path}: is neither a group nor a data set")


def attributes_of(node: h5g.GroupID | h5d.DatasetID, path: str) -> dict[str, object]:
    """Texts as bytes, lists of texts as lists of bytes, and whole numbers."""
    found: dict[str, object] = {}
    for i in range(h5a.get_num_attrs(node)):
        attribute = h5a.open(node, index=i)
        place = f"{path}@{text_of(attribute.name)}"
        kind, space = kind_of(attribute.get_type()), attribute.get_space()
        rank = space.get_simple_extent_ndims()
        if kind not in (TEXT, "i8") or rank > (1 if kind == TEXT else 0) or \
                space.get_simple_extent_type() not in (h5s.SCALAR, h5s.SIMPLE):
            raise Damaged(f"{place}: is not fixed-length text, or has the wrong shape")
        values = np.empty(attribute.shape, dtype=attribute.dtype)
        if values.size:
            attribute.read(values)
        found[text_of(attribute.name)] = (values.tolist() if rank else
                                          int(values[()]) if kind == "i8" else bytes(values[()]))
    return found


def column_of(data: h5d.DatasetID, path: str) -> Column:
    kind, properties, shape = kind_of(data.get_type()), data.get_create_plist(), data.shape
    if not 1 <= len(shape) <= MOST_DIMENSIONS:
        raise Damaged(f"{path}: has the wrong shape")
    if not kind:
        raise Damaged(f"{path}: holds values of the wrong type")
    if properties.get_layout() != h5d.CHUNKED or properties.get_external_count():
        raise Damaged(f"{path}: is not chunked")
    filters = [properties.get_filter(i)[0] for i in range(properties.get_nfilters())]
    if filters not in (PLAIN, DEFLATED):
        raise Damaged(f"{path}: is not packed as fairfront packs it")
    chunk, size = properties.get_chunk(), data.dtype.itemsize
    most = data.get_storage_size() * (MOST_SHRINKING if filters == DEFLATED else 1)
    if chunk[1:] != shape[1:]:
        raise Damaged(f"{path}: is not stored in whole rows")
    if size * _product(shape) > most or (shape[0] and size * _product(chunk) > most):
        raise Damaged(f"{path}: is longer than what the file stores of it")
    return Column(path, shape, kind, attributes_of(data, path), data)


def _product(sizes: tuple[int, ...]) -> int:
    product = 1
    for size in sizes:
        product *= int(size)  # numpy's would overflow
    return product


def text_of(value: bytes) -> str:
    return value.decode(errors="replace")

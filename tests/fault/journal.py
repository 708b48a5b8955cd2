"""Reads a journal without any code of the program, by the format told in src/journal/journal.hpp."""

from __future__ import annotations

import collections
import dataclasses
import pathlib
import struct

HEADER_BYTES = 12  # of a frame: length, CRC32C of the payload, CRC32C of those eight bytes
DONE = 1  # status of a record


@dataclasses.dataclass(frozen=True)
class Record:
    key: str
    status: int
    rank: int
    attempt: int
    log: str


def _crc_table() -> list[int]:
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
        table.append(value)
    return table


_TABLE = _crc_table()


def crc32c(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc = _TABLE[(crc ^ byte) & 0xFF] ^ crc >> 8
    return crc ^ 0xFFFFFFFF


class _Cbor:
    """As much of RFC 8949 as a record's head needs."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.position = 0

    def take(self, count: int) -> bytes:
        part = self.data[self.position:self.position + count]
        if len(part) < count:
            raise ValueError("CBOR ends too early")
        self.position += count
        return part

    def value(self) -> object:
        first = self.take(1)[0]
        major, short = first >> 5, first & 31
        if major == 7:
            return self.simple(short)
        number = short if short < 24 else int.from_bytes(self.take(1 << short - 24), "big")
        match major:
            case 0: return number
            case 1: return -1 - number
            case 2: return self.take(number)
            case 3: return self.take(number).decode()
            case 4: return [self.value() for _ in range(number)]
            case 5: return {self.value(): self.value() for _ in range(number)}
        raise ValueError(f"CBOR of major type {major}")

    def simple(self, short: int) -> object:
        match short:
            case 20 | 21: return short == 21
            case 22: return None
            case 26: return struct.unpack(">f", self.take(4))[0]
            case 27: return struct.unpack(">d", self.take(8))[0]
        raise ValueError(f"CBOR of simple type {short}")


def payloads(data: bytes) -> list[bytes]:
    """Of the whole frames from the beginning on; what a kill has torn is left out."""
    found = []
    position = 0
    while len(data) - position >= HEADER_BYTES:
        length, crc, own_crc = struct.unpack_from("<III", data, position)
        payload = data[position + HEADER_BYTES:position + HEADER_BYTES + length]
        if (crc32c(data[position:position + 8]) != own_crc or len(payload) < length
                or crc32c(payload) != crc):
            break
        found.append(payload)
        position += HEADER_BYTES + length
    return found


def record_bytes(data: bytes) -> int:
    """Bytes of a log behind its kind and the copy of the header."""
    position = 0
    while position + HEADER_BYTES < len(data) and data[position + HEADER_BYTES] >> 5 == 5:  # a map
        position += HEADER_BYTES + struct.unpack_from("<I", data, position)[0]
    return max(0, len(data) - position)


def records(journal: pathlib.Path) -> list[Record]:
    """Of all logs, by launch, rank and place."""
    found = []
    for log in sorted(journal.glob("*.log")):
        for payload in payloads(log.read_bytes())[1:]:  # the first one names the file's kind
            if payload[0] >> 5 == 5:  # a copy of the header
                continue
            length = _Cbor(payload).value()
            head = _Cbor(payload[5:5 + length]).value()
            found.append(Record(head["key"], head["status"], head["rank"], head["attempt"],
                                log.name))
    return found


def done_keys(journal: pathlib.Path) -> collections.Counter[str]:
    """How often each task is recorded as done: never more than once."""
    return collections.Counter(record.key for record in records(journal) if record.status == DONE)

"""Archives that somebody changed with care: the seal is right again, and the digests as far as they can be.

None is taken by the library, by figures.py or by report.py: one line, and no file or folder is left.
"""

from __future__ import annotations

import contextlib
import io
import pathlib
import shutil
import tempfile
import unittest
import unittest.mock

import h5py
import numpy as np

import fairfront_archive
import figures
import plot_front
import publish_sample
import published
import report
from fairfront_archive import ArchiveError
from publish_sample import attribute, column
from sample_archive import Sweep


def replace(file: h5py.File, name: str, kind: str, values: object) -> None:
    """Other values, of any type and length, in the place of a column; its attributes stay."""
    kept = dict(file[name].attrs.items())
    parent, _, last = name.rpartition("/")
    del file[name]
    column(file[parent], last, kind, values)
    for key, value in kept.items():
        attribute(file[name], key, value if isinstance(value, bytes) else list(value))


def set_attribute(node: h5py.Group | h5py.Dataset, name: str, value: object) -> None:
    del node.attrs[name]
    attribute(node, name, value)


def change(name: str, row: object, value: object):
    def edit(file: h5py.File) -> None:
        file[name][row] = value
    return edit


def instead(name: str, kind: str, values: object):
    return lambda file: replace(file, name, kind, values)


def told(name: str, key: str, value: object):
    return lambda file: set_attribute(file[name], key, value)


def linked(name: str, link: object):
    def edit(file: h5py.File) -> None:
        del file[name]
        file[name] = link(file) if callable(link) else link
    return edit


def outside(file: h5py.File) -> None:
    """Values that another file holds."""
    del file["metrics/best_loss"]
    file.create_dataset("metrics/best_loss", (4,), "<f8", external=[("/etc/hostname", 0, 32)])


def variable_text(file: h5py.File) -> None:
    del file["tasks/message"]
    file.create_dataset("tasks/message", data=[""] * 4, dtype=h5py.string_dtype(), chunks=(4,))


def plain(file: h5py.File) -> None:
    """Without chunks and checksums."""
    values = file["metrics/best_loss"][:]
    del file["metrics/best_loss"]
    file["metrics/best_loss"] = values


def in_parts(file: h5py.File) -> None:
    """A measure whose chunks are not whole rows."""
    values, kept = file["measures/error"][:], dict(file["measures/error"].attrs.items())
    del file["measures/error"]
    node = file["measures"].create_dataset("error", data=values, dtype="<f8", chunks=(4, 1, 1, 3), shuffle=True,
                                           compression="gzip", fletcher32=True)
    for key, value in kept.items():
        attribute(node, key, value if isinstance(value, bytes) else list(value))


def huge(file: h5py.File) -> None:
    """More rows than the bytes can be."""
    del file["solutions/weights/values"]
    file.create_dataset("solutions/weights/values", (1 << 44,), "<f8", chunks=(1 << 20,), fletcher32=True)


OTHER = "other.h5"  # stands beside the forged one
# Every change, and what is said about it. All digests are made anew where the layout still can be read.
FORGERIES = {
    "an external link": (linked("metrics/best_loss", h5py.ExternalLink(OTHER, "/metrics/best_loss")),
                         "metrics/best_loss: is a link to another place"),
    "a soft link": (linked("metrics/best_loss", h5py.SoftLink("/timing/seconds")), "is a link to another"),
    "the whole group is a link": (linked("metrics", h5py.ExternalLink(OTHER, "/metrics")), "/metrics: is a"),
    "a link that leads nowhere": (linked("metrics", h5py.SoftLink("/nowhere")), "/metrics: is a link"),
    "a soft link to itself": (linked("metrics", h5py.SoftLink("/metrics")), "/metrics: is a link"),
    "a second hard link": (linked("metrics/best_loss", lambda file: file["timing/seconds"]),
                           "in the place of another object|part that|cannot be read"),
    "a circle of hard links": (lambda file: file["metrics"].__setitem__("again", file["/"]),
                               "in the place of another object"),
    "values of another file": (outside, "metrics/best_loss: (is not chunked|holds)"),
    "a status that there is not": (change("tasks/status", 1, 7), "tasks/status: a value is not missing"),
    "a status as text": (instead("tasks/status", "text", ["done"] * 4), "tasks/status: holds text"),
    "points as text": (instead("fronts/first/points", "text", ["1"] * 7), "first/points: holds text"),
    "points in one column": (instead("fronts/first/points", "f8", np.ones(14)), "points: has the wrong shape"),
    "points of three objectives": (instead("fronts/first/points", "f8", np.ones((7, 3))), "wrong shape"),
    "a point too few": (instead("fronts/first/points", "f8", np.ones((6, 2))), "must be"),
    "points that are no numbers": (change("fronts/first/points", 0, np.nan), "points: is not finite"),
    "the owner of a point": (change("fronts/first/task", 0, 3), "task: disagrees with the offsets"),
    "offsets that descend": (change("fronts/first/offsets", 1, 99), "offsets: descends"),
    "offsets below 0": (change("fronts/first/offsets", 0, -1), "offsets: does not begin with 0"),
    "a hypervolume below 0": (change("fronts/first/hypervolume", 0, -1.0), "hypervolume: is negative"),
    "a solution that there is not": (change("fronts/first/solution", 0, 1000), "must be in"),
    "solutions that there are not": (told("fronts/first", "solutions", "labels"), "does not exist"),
    "an objective too many": (told("fronts/first", "objectives", ["a", "b", "c"]), "different lengths"),
    "an objective without direction": (told("fronts/first", "directions", ["minimise", "none"]),
                                       "has no direction"),
    "an unknown direction": (told("metrics/best_loss", "direction", "sideways"), "unknown 'sideways'"),
    "a place beyond the axis": (change("tasks/axis/seed", 0, 9), "tasks/axis/seed: row 0 is 9"),
    "an axis that is not there": (lambda file: file["tasks/axis"].__delitem__("seed"), "seed is missing"),
    "a role that there is not": (told("axes/seed", "role", "boss"), "axes/seed@role: unknown 'boss'"),
    "offsets of a series": (change("series/loss/offsets", 2, 0), "loss/offsets: descends"),
    "a series too long": (instead("series/loss/steps", "i8", [0] * 99), "steps: has 99 rows, must be 8"),
    "the owner of a solution": (change("solutions/weights/task", 0, -3), "task: row 0 is -3"),
    "solutions of too many bytes": (huge, "values: is longer than what the file stores|cannot"),
    "a key that is none": (change("tasks/key", 0, b"\xff" * 64), "is not 64 lower-case hexadecimal"),
    "tasks of different number": (instead("tasks/method", "text", ["first"] * 3), "method: has 3 rows"),
    "text with a zero inside": (change("tasks/method", 0, b"f\0r"), "NUL character"),
    "a merged row that there is not": (change("merged/first/per_replicate/point", 0, 50), "row 0 is 50"),
    "a merged front of nobody": (lambda file: file.move("merged/first", "merged/other"), "no such group"),
    "a file of no data set": (lambda file: (
        replace(file, "provenance/datasets/files/dataset", "i8", [7]),
        replace(file, "provenance/datasets/files/name", "text", ["a.csv"]),
        replace(file, "provenance/datasets/files/sha256", "text", ["0" * 64])), "row 0 is 7"),
    "created twice": (lambda file: set_attribute(file, "created", "2031-01-31T12:00:00Z"), "@created: is not"),
    "a measure that is a link": (linked("measures/error", h5py.ExternalLink(OTHER, "/measures/error")),
                                 "measures/error: is a link to another place"),
    "a measure with no group": (told("measures/error", "groups", []), "error: has the wrong shape"),
    "a measure of another number of parts": (told("measures/error", "parts", ["test"]), "error: has the wrong shape"),
    "a measure with a part twice": (told("measures/error", "parts", ["test"] * 2), "error@parts: has a name twice"),
    "a measure with a part without name": (told("measures/error", "parts", ["", "test"]), "parts: has an empty name"),
    "a part that is text alone": (told("measures/error", "parts", "test"), "error@parts: is not list"),
    "ends that there are not": (told("measures/error", "ends", ["value", "high", "low"]), "error@ends: is not what"),
    "dimensions that there are not": (told("measures/error", "dimensions", ["task", "group", "part", "end"]),
                                      "error@dimensions: is not what"),
    "a measure with an attribute more": (lambda file: attribute(file["measures/error"], "note", "x"),
                                         "error@note: is not part of the format"),
    "a measure without its parts": (lambda file: file["measures/error"].attrs.__delitem__("parts"),
                                    "error@parts is missing"),
    "a measure of too few tasks": (instead("measures/error", "f8", np.ones((3, 2, 1, 3))), "must be 4"),
    "a measure without intervals": (instead("measures/error", "f8", np.ones((4, 2, 1))), "has the wrong shape"),
    "a measure of five dimensions": (instead("measures/error", "f8", np.ones((4, 2, 1, 3, 1))), "wrong shape"),
    "a measure in chunks of parts of rows": (in_parts, "error: is not stored in whole rows"),
    "a measure as a group": (lambda file: (file["measures"].__delitem__("error"),
                                           file["measures"].create_group("error")),
                           "error@parts is missing"),
    "no measures": (lambda file: file.__delitem__("measures"), "/measures is missing"),
    "no digest of measures": (lambda file: file.attrs.__delitem__("measures_digest"), "@measures_digest is missing"),
    "another status": (lambda file: set_attribute(file, "status", "partial"), "/@status: is not 'complete'"),
    "text of variable length": (variable_text, "message: holds|wrong type"),
    "a column without checksums": (plain, "is not chunked"),
    "something more": (lambda file: column(file, "hidden", "f8", [1.0]), "/hidden: is not part of the format"),
    "an attribute more": (lambda file: attribute(file["tasks"], "note", "hello"), "not part of the format"),
    "a newer format": (lambda file: set_attribute(file, "format_version", 2), "knows up to 1"),
    "an experiment as a number": (lambda file: set_attribute(file, "experiment", 3), "experiment: is not"),
}
# What only a digest tells: the forger did not make it anew.
UNDIGESTED = {
    "a metric": change("metrics/best_loss", 0, 0.001),
    "a front": change("fronts/first/points", 0, 0.0),
    "a solution": change("solutions/weights/values", 0, 9.0),
    "a trajectory": change("series/loss/values", 0, 0.0),
    "a role": told("axes/seed", "role", "tuning"),
    "an axis": change("axes/seed", 0, b"7"),
    "the config": change("config/value", 0, b"k"),
    "a data hash": change("provenance/datasets/digest", 0, b"a"),
    "the program's version": change("provenance/program_version", 0, b"9"),
    "a time": change("timing/seconds", 0, 0.5),
    "a message": change("tasks/message", 0, b"x"),
    "a definition of a measure": told("measures/error", "definition", "something else"),
    "a definition": told("metrics/best_loss", "definition", "something else"),
}


def sweep() -> Sweep:
    return Sweep(
        axes={"seed": ("replicate", ["1", "2"])}, methods=["first"] * 4, index={"seed": [0, 1, 0, 1]},
        points={0: [[1.0, 3.0], [2.0, 1.0]], 1: [[1.5, 2.0]], 2: [[1.0, 2.0], [3.0, 1.0]],
                3: [[2.0, 2.0], [3.0, 0.5]]},
        metrics={"best_loss": ("loss", "minimise", [0.1, 0.2, 0.3, 0.4])},
        measures={"error": ("share", "minimise", {"train": [0.5] * 4, "test": [(0.6, 0.5, 0.7)] * 4})},
        series={"loss": ("minimise", {task: ([0, 1], [2.0, 1.0]) for task in range(4)})},
        solutions={"weights": [[[0.5, 0.25]]] * 4})


class Forgeries(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.good = sweep().write(self.folder / "good.h5")
        shutil.copy(self.good, self.folder / OTHER)
        self.path = self.folder / "forged.h5"
        library = self.folder / "echarts.min.js"
        library.touch()
        patched = unittest.mock.patch.object(report, "find_library", return_value=library)
        patched.start()
        self.addCleanup(patched.stop)

    def forge(self, edit, digests: bool) -> None:
        shutil.copy(self.good, self.path)
        with h5py.File(self.path, "r+", libver=("v108", "v108")) as file:
            edit(file)
        publish_sample.seal_again(self.path)
        if digests:
            # The forger's own tool stops at what is not an archive any more.
            with contextlib.suppress(Exception):
                publish_sample.digest_again(self.path)

    def run_script(self, script, *arguments: str) -> tuple[int, str]:
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            code = script.main(list(arguments))
        return code, said.getvalue()

    def assert_nobody_takes_it(self, pattern: str) -> None:
        with self.assertRaisesRegex(ArchiveError, pattern) as caught:
            fairfront_archive.open(self.path).close()
        self.assertNotIn("\n", str(caught.exception))
        self.assertIn("forged.h5", str(caught.exception))
        out = self.folder / "out"
        for script, arguments in ((figures, ("-o", str(out))), (report, ("-o", str(out))),
                                  (plot_front, ("-o", str(out / "a.png"))), (published, ())):
            code, said = self.run_script(script, str(self.path), *arguments)
            self.assertNotEqual(code, 0)
            self.assertEqual(said.count("\n"), 1, said)
            self.assertFalse(out.exists())

    def test_what_nobody_changed_is_taken(self) -> None:
        self.forge(lambda file: None, digests=True)
        with fairfront_archive.open(self.path) as archive:
            self.assertEqual(archive.checked, "digests recomputed; not verified by the program")
            self.assertFalse(archive.verified)

    def test_nobody_takes_a_forgery(self) -> None:
        for name, (edit, pattern) in FORGERIES.items():
            with self.subTest(name):
                self.forge(edit, digests=True)
                self.assert_nobody_takes_it(pattern)

    def test_nobody_takes_results_under_the_digest_of_others(self) -> None:
        for name, edit in UNDIGESTED.items():
            with self.subTest(name):
                self.forge(edit, digests=False)
                self.assert_nobody_takes_it("/@(content_)?digest: is .* but what the archive holds gives")

    def test_nobody_takes_measures_under_the_digest_of_others(self) -> None:
        """The results are the same, so only the digest of the measures tells."""
        for name, edit in (("a value", change("measures/error", (0, 1, 0, 0), 0.001)),
                           ("an interval", change("measures/error", (2, 1, 0, 1), 0.55)),
                           ("what was not known", change("measures/error", (0, 0, 0, 2), 1.0)),
                           ("the parts", told("measures/error", "parts", ["test", "train"])),
                           ("a group", told("measures/error", "groups", ["women"])),
                           ("a unit", told("measures/error", "unit", "percent")),
                           ("the better side", told("measures/error", "direction", "maximise")),
                           ("one less", lambda file: file["measures"].__delitem__("error"))):
            with self.subTest(name):
                self.forge(edit, digests=False)
                self.assert_nobody_takes_it("/@measures_digest: is .* but what the archive holds gives")

    def test_a_name_with_a_slash_is_no_name(self) -> None:
        """HDF5 makes none: the byte is changed in the file, where the header has no checksum of its own."""
        shutil.copy(self.good, self.path)
        with h5py.File(self.path, "r+", libver=("v108", "v108")) as file:
            file["metrics"].move("best_loss", "bestXloss")
        data = self.path.read_bytes()
        self.path.write_bytes(with_header_checksums(data.replace(b"bestXloss", b"best/loss")))
        publish_sample.seal_again(self.path)
        self.assert_nobody_takes_it("best/loss' is not a usable name|cannot be read")

    def test_bytes_changed_anywhere_under_a_right_seal_raise_nothing_else(self) -> None:
        data = self.good.read_bytes()
        draw = np.random.default_rng(1)
        taken = 0
        for place in draw.integers(publish_sample.SEAL_BYTES, len(data), 200):
            changed = bytearray(data)
            changed[place] ^= 1 << int(draw.integers(8))
            self.path.write_bytes(bytes(changed))
            publish_sample.seal_again(self.path)
            try:
                with fairfront_archive.open(self.path) as archive:
                    archive.task_frame()
                    self.assertEqual(archive.metrics()["best_loss"].tolist(), [0.1, 0.2, 0.3, 0.4])
                    self.assertEqual(archive.measures()["error"].of("test").tolist(), [[0.6, 0.5, 0.7]] * 4)
                    taken += 1
            except ArchiveError as error:
                self.assertEqual(str(error).count("\n"), 0)
        self.assertTrue(0 < taken < 200, taken)  # many bytes are padding


def with_header_checksums(data: bytes) -> bytes:
    """Every object header has the right checksum again."""
    changed = bytearray(data)
    start = data.find(b"OHDR")
    while start >= 0:
        flags = data[start + 5]
        prefix = 6 + (16 if flags & 0x20 else 0) + (4 if flags & 0x10 else 0) + (1 << (flags & 3))
        width = 1 << (flags & 3)
        size = int.from_bytes(data[start + prefix - width:start + prefix], "little")
        end = start + prefix + size
        changed[end:end + 4] = lookup3(data[start:end]).to_bytes(4, "little")
        start = data.find(b"OHDR", start + 4)
    return bytes(changed)


def lookup3(data: bytes) -> int:
    """Jenkins' hash, by which HDF5 checks its headers (HDF5 File Format Specification)."""
    mask = 0xffffffff

    def rotated(value: int, bits: int) -> int:
        return (value << bits | value >> 32 - bits) & mask

    a = b = c = (0xdeadbeef + len(data)) & mask
    while len(data) > 12:
        a, b, c = ((value + int.from_bytes(data[i:i + 4], "little")) & mask
                   for value, i in ((a, 0), (b, 4), (c, 8)))
        for bits in (4, 6, 8, 16, 19, 4):
            a = ((a - c) & mask) ^ rotated(c, bits)
            c = (c + b) & mask
            a, b, c = b, c, a
        data = data[12:]
    if not data:
        return c
    data = data.ljust(12, b"\0")
    a, b, c = ((value + int.from_bytes(data[i:i + 4], "little")) & mask
               for value, i in ((a, 0), (b, 4), (c, 8)))
    for bits in (14, 11, 25, 16, 4, 14, 24):
        c = ((c ^ b) - rotated(b, bits)) & mask
        a, b, c = b, c, a
    return b  # the last one to change


if __name__ == "__main__":
    unittest.main()

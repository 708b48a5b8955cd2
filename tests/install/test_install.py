"""cmake --install: program, man pages, completion, libraries; and what contributors are told."""

from __future__ import annotations

import itertools
import math
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import tempfile
import unittest

import h5py

from program import PROGRAM, ProgramTest, environment

ROOT = pathlib.Path(__file__).resolve().parents[2]
CMAKE = os.environ.get("CMAKE", "cmake")


def call(*command: str | pathlib.Path, cwd: pathlib.Path | None = None, text: str = "") -> str:
    result = subprocess.run([str(word) for word in command], cwd=cwd, env=environment(), text=True,
                            capture_output=True, input=text, check=False)
    if result.returncode != 0:
        raise AssertionError(f"{command}: {result.returncode}\n{result.stdout}\n{result.stderr}")
    return result.stdout


def clusterings(x: list[float], group: list[int]) -> list[tuple[float, float]]:
    """The front of cost against balance of two clusters of points on a line, by all labellings."""
    found = []
    for labels in itertools.product((0, 1), repeat=len(x)):
        cost, balance = 0.0, 1.0
        for cluster in (0, 1):
            members = [p for p, label in enumerate(labels) if label == cluster]
            if not members:
                break
            mean = statistics.fmean(x[p] for p in members)
            cost += sum((x[p] - mean) ** 2 for p in members) / len(x)
            counts = [sum(group[p] == j for p in members) for j in (0, 1)]
            balance = min(balance, min(counts) / max(counts))
        else:
            found.append((round(cost, 3), round(balance, 3)))
    return sorted(a for a in set(found) if not any(b != a and b[0] <= a[0] and b[1] >= a[1]
                                                   for b in found))


class Installed(ProgramTest):
    """One installation for all tests: into a folder whose name has a blank."""

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.prefix = pathlib.Path(folder.name) / "a prefix"
        call(CMAKE, "--install", os.environ["FAIRFRONT_BUILD"], "--prefix", cls.prefix)

    def one(self, pattern: str) -> pathlib.Path:
        found = list(self.prefix.glob(pattern))
        self.assertEqual(len(found), 1, f"{pattern}: {found}")
        return found[0]


class Libraries(Installed):
    def test_an_example_links_them_and_reads_an_archive(self) -> None:
        path = self.make_archive()
        build = self.folder / "build"
        call(CMAKE, "-S", ROOT / "tests/install/example", "-B", build,
             f"-DCMAKE_PREFIX_PATH={self.prefix}", "-DCMAKE_BUILD_TYPE=Debug")
        configured = (build / "CMakeCache.txt").read_text(encoding="utf-8")
        self.assertIn(f"fairfront_DIR:PATH={self.prefix}", configured)
        call(CMAKE, "--build", build, "--target", "hypervolume_of_points")
        name, task, points, volume = call(build / "hypervolume_of_points", path).split()
        with h5py.File(path) as file:
            front = file["fronts/safairkm_front"]
            self.assertEqual((name, int(task)), ("safairkm_front", 0))
            self.assertEqual(int(points), len(front["points"]))
            self.assertEqual(float(volume), front["hypervolume"][0])

    def test_examples_of_a_few_lines_print_the_whole_front(self) -> None:
        build = self.folder / "build"
        call(CMAKE, "-S", ROOT / "tests/install/example", "-B", build,
             f"-DCMAKE_PREFIX_PATH={self.prefix}", "-DCMAKE_BUILD_TYPE=Debug")
        call(CMAKE, "--build", build, "--target", "front_of_functions", "front_of_clusterings")
        rows = [tuple(map(float, line.split()))
                for line in call(build / "front_of_functions").splitlines()]
        self.assertGreater(len(rows), 30)
        for first, second in rows:  # x in [-1, 1]: the distances from 1 and from -1 sum up to 2
            self.assertAlmostEqual(math.sqrt(first) + math.sqrt(second), 2, places=3)
        self.assertEqual([tuple(round(float(word), 3) for word in line.split())
                          for line in call(build / "front_of_clusterings").splitlines()],
                         clusterings([0, 1, 3, 10, 11, 13], [0, 0, 0, 1, 1, 0]))

    def test_public_headers_include_only_each_other_and_are_few(self) -> None:
        folder = self.prefix / "include/fairfront"
        headers = {path.relative_to(folder).as_posix() for path in folder.rglob("*.hpp")}
        self.assertLessEqual(len(headers), 40)
        for name in headers:
            text = (folder / name).read_text(encoding="utf-8")
            included = set(re.findall(r'^#include "(.+)"', text, re.MULTILINE))
            self.assertLessEqual(included, headers, name)
            self.assertNotIn("Internal:", text, name)
            if name == "fairfront.hpp":
                self.assertEqual(included, headers - {name})

    def test_no_warning_flag_reaches_those_who_link_them(self) -> None:
        targets = self.one("lib*/**/cmake/fairfront/fairfront-targets.cmake").read_text()
        self.assertNotIn("-Wall", targets)
        self.assertNotIn(str(ROOT), targets)
        self.assertIn("-ffp-contract=off", targets)


class Manual(Installed):
    def test_there_is_a_page_of_every_command_in_the_words_of_its_help(self) -> None:
        commands = re.findall(r"^  (\w+) ", self.succeed("--help"), re.MULTILINE)
        pages = {page.name for page in (self.prefix / "share/man/man1").iterdir()}
        self.assertEqual(pages, {"fairfront.1", *(f"fairfront-{c}.1" for c in commands)})
        for command in commands:
            page = self.read(self.prefix / f"share/man/man1/fairfront-{command}.1")
            told = self.words(self.succeed(command, "--help").partition("\n")[2])
            missing = [word for word in told if word not in self.words(page)]
            self.assertEqual(missing, [], command)

    def test_pages_have_no_mistake_of_roff(self) -> None:
        if shutil.which("man") is None:
            self.skipTest("there is no man here")
        for page in (self.prefix / "share/man/man1").iterdir():
            result = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", str(page)], text=True,
                                    env=environment({"MANROFFSEQ": ""}), capture_output=True,
                                    check=False)
            self.assertEqual((result.returncode, result.stderr), (0, ""), page.name)
            self.assertIn("NAME", result.stdout)

    def read(self, page: pathlib.Path) -> str:
        text = page.read_text(encoding="utf-8")
        return re.sub(r"\\f[BR]|\\&", "", text).replace("\\-", "-").replace("\\(rs", "\\")

    def words(self, text: str) -> set[str]:
        return set(re.findall(r"[\w./=-]*\w", text))


class Bash(Installed):
    def complete(self, line: str) -> list[str]:
        """What bash offers at the end of the line, by its own machinery without a terminal."""
        script = self.prefix / "share/bash-completion/completions/fairfront"
        words = re.split(r"\s+|(?<==)|(?==)", line)
        words = [word for i, word in enumerate(words) if word or i + 1 == len(words)]
        before = words[-2] if len(words) > 1 else ""
        # compopt works within a completion alone; which options it sets is no matter here.
        code = (f'compopt() {{ :; }}\nsource "{script}"\ncomplete -p fairfront >&2\n'
                f"COMP_WORDS=({' '.join(repr(word) for word in words)})\n"
                f"COMP_CWORD={len(words) - 1}\nCOMP_LINE={line!r}\nCOMP_POINT={len(line)}\n"
                f"_fairfront fairfront {words[-1]!r} {before!r}\n"
                "printf '%s\\n' \"${COMPREPLY[@]}\"\n")
        return call("bash", "--norc", "-c", code, cwd=self.folder).split()

    def test_commands(self) -> None:
        self.assertEqual(self.complete("fairfront ve"), ["verify"])
        self.assertLess({"run", "status", "help"}, set(self.complete("fairfront ")))

    def test_options_of_the_command(self) -> None:
        self.assertEqual(self.complete("fairfront verify --comp"), ["--complete"])
        self.assertEqual(self.complete("fairfront run config.ini --res"), ["--resume"])
        self.assertEqual(self.complete("fairfront show --res"), [])

    def test_config_keys(self) -> None:
        self.assertEqual(self.complete("fairfront run config.ini --set clustering.clus"),
                         ["clustering.clusters="])
        self.assertEqual(self.complete("fairfront run config.ini --set seed"), ["seed="])

    def test_files_that_the_command_takes(self) -> None:
        (self.folder / "a.h5").touch()
        (self.folder / "folder").mkdir()
        self.assertEqual(sorted(self.complete("fairfront run ")), ["config.ini", "folder"])
        self.assertEqual(sorted(self.complete("fairfront show ")), ["a.h5", "folder"])

    def test_topics_and_experiments(self) -> None:
        self.assertEqual(self.complete("fairfront list data"), ["datasets"])
        self.assertIn("clustering", self.complete("fairfront list options "))


@unittest.skipIf(shutil.which("zsh") is None, "there is no zsh here")
class Zsh(Installed):
    def complete(self, *words: str) -> str:
        """What the function asks of zsh's own, which need a terminal."""
        script = self.prefix / "share/zsh/site-functions/_fairfront"
        code = ('_describe() { print -r -- "describe $1:"; print -rl -- ${(P)2} }\n'
                '_arguments() { print -r -- "arguments at $CURRENT of $words"; print -rl -- "$@" }\n'
                "compadd() { print -rl -- \"$@\" }\n"
                f"words=({' '.join(repr(word) for word in words)})\nCURRENT={len(words)}\n"
                f'source "{script}"\n')
        return call("zsh", "-f", "-c", code, cwd=self.folder)

    def test_commands_and_options(self) -> None:
        self.assertIn("\nverify:Check an archive:", self.complete("fairfront", ""))
        text = self.complete("fairfront", "run", "config.ini", "")
        self.assertIn("arguments at 3 of run config.ini", text)
        self.assertRegex(text, r"(?m)^--resume\[The run goes on")
        self.assertRegex(text, r"(?m)^\*--set=\[.*:_fairfront_keys$")
        self.assertIn('1:CONFIG:_files -g "*.ini"', text)


class Documents(unittest.TestCase):
    def test_examples_for_contributors_are_the_code_that_they_name(self) -> None:
        text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
        examples = re.findall(r"<!-- (\S+) -->\n```(?:cpp|ini)\n(.*?)```", text, re.DOTALL)
        self.assertEqual(len(examples), text.count("```cpp") + text.count("```ini"))
        self.assertGreaterEqual(len(examples), 3)
        for path, lines in examples:
            self.assertIn(lines, (ROOT / path).read_text(encoding="utf-8"), path)
        for path in re.findall(r"`((?:src|tests|configs|jobs|doc|drivers|analysis)/[\w./-]+)`", text):
            self.assertTrue((ROOT / path).exists(), path)

    def test_the_example_for_programs_is_the_one_that_is_built(self) -> None:
        text = (ROOT / "doc/install.md").read_text(encoding="utf-8")
        examples = re.findall(r"```cpp\n(.*?)```", text, re.DOTALL)
        self.assertEqual(len(examples), 1)
        self.assertIn(examples[0], (ROOT / "tests/install/example/front_of_functions.cpp").read_text(encoding="utf-8"))

    def test_the_citation_has_the_version_of_the_program(self) -> None:
        version = re.search(r"project\(fairfront VERSION (\S+)",
                            (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]
        citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
        self.assertIn(f"\nversion: {version}\n", citation)
        self.assertIn(version, call(PROGRAM, "--version"))
        self.assertTrue(re.search(r"^license: Apache-2.0$", citation, re.MULTILINE))

    def test_both_containers_install_the_same_packages(self) -> None:
        packages = [set(re.findall(r"\b(?:lib|open|python|zlib)[\w.+-]*\b", re.search(
            r"--no-install-recommends(.*?)rm -rf", (ROOT / "jobs/container" / name).read_text(
                encoding="utf-8"), re.DOTALL)[1])) for name in ("Dockerfile", "fairfront.def")]
        self.assertEqual(packages[0], packages[1])
        self.assertGreater(len(packages[0]), 8)


if __name__ == "__main__":
    unittest.main()

"""The pages of doc/ do what they say: links lead somewhere, commands run, words have one meaning each."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys
import unittest

import test_decision
from program import PROGRAM, ProgramTest, environment

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [*sorted((ROOT / "doc").glob("*.md")), ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md"]
LARGEST_PICTURE = 100_000  # bytes of a picture that is text
# Pictures of archives that take minutes, or of many points, are PNG files.
LARGEST_BITMAP = 210_000


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def without_code(text: str) -> str:
    return re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)


def anchors(page: pathlib.Path) -> set[str]:
    """Of the headings, as pages of repositories make them."""
    headings = re.findall(r"^#+ (.*)$", without_code(page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


class Pages(unittest.TestCase):
    def test_every_link_leads_to_a_file_and_a_heading_that_are_there(self) -> None:
        for page in PAGES:
            text = page.read_text(encoding="utf-8")
            for link in re.findall(r'\]\(([^)\s]+)\)|src="([^"]+)"', text):
                target = "".join(link)
                if target.startswith("http"):
                    continue
                name, _, anchor = target.partition("#")
                with self.subTest(page=page.name, link=target):
                    file = page.parent / name if name else page
                    self.assertTrue(file.exists())
                    if anchor:
                        self.assertIn(anchor, anchors(file))

    def test_every_config_that_a_page_names_is_there(self) -> None:
        for page in PAGES:
            for name in re.findall(r"configs/([\w/-]+\.ini)", page.read_text(encoding="utf-8")):
                with self.subTest(page=page.name, config=name):
                    self.assertTrue((ROOT / "configs" / name).exists())

    def test_the_readme_names_every_scheduler_that_the_page_of_clusters_has(self) -> None:
        row = re.search(r"^\| (.*) \| \[doc/clusters.md\]", text_of("README.md"), re.MULTILINE)[1]
        for name in ("SLURM", "PBS", "LSF", "Flux"):
            with self.subTest(name):
                self.assertRegex(text_of("doc/clusters.md"), rf"(?m)^## .*\b{name}\b")
                self.assertIn(name, row)

    def test_every_word_of_the_glossary_has_one_row_in_the_order_of_the_alphabet(self) -> None:
        table = text_of("doc/words.md").split("## Words\n")[1].split("## ")[0]
        words = re.findall(r"^\| ([\w -]+) \| \S", table, re.MULTILINE)[1:]
        self.assertEqual(words, sorted(set(words), key=str.lower))
        for word in ("part that decides", "reported part", "place", "curve", "configuration", "coupled",
                     "trade-off", "replicate"):
            self.assertIn(word, words)


class Gallery(unittest.TestCase):
    def test_every_picture_is_small_and_on_a_page(self) -> None:
        pages = "".join(page.read_text(encoding="utf-8") for page in PAGES)
        for picture in sorted((ROOT / "doc/pictures").iterdir()):
            with self.subTest(picture.name):
                self.assertIn(f"pictures/{picture.name}", pages)
                most = LARGEST_PICTURE if picture.suffix == ".svg" else LARGEST_BITMAP
                self.assertLessEqual(picture.stat().st_size, most)

    def test_every_figure_that_is_drawn_is_one_that_there_is(self) -> None:
        done = subprocess.run([sys.executable, ROOT / "analysis/figures.py", "--list"], text=True, timeout=300,
                              capture_output=True, check=True)
        known = set(re.findall(r"^\s*(\S+)", done.stdout, re.MULTILINE))
        drawn = re.findall(r"--figure (\S+)", text_of("doc/gallery.md"))
        self.assertGreater(len(drawn), 8)
        self.assertLessEqual(set(drawn), known)


class Questions(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        test_decision.write_tables(self.folder)
        for name, config in re.findall(r"`(\w+\.ini)`:\n\n```ini\n(.*?)```", test_decision.PAGE, re.DOTALL):
            (self.folder / name).write_text(config, encoding="utf-8")

    def test_the_commands_of_the_answers_run_one_after_the_other(self) -> None:
        blocks = re.findall(r"^```sh\n(.*?)^```$", text_of("doc/faq.md"), re.DOTALL | re.MULTILINE)
        self.assertGreater(len(blocks), 8)
        path = os.pathsep.join((str(pathlib.Path(PROGRAM).resolve().parent), os.environ["PATH"]))
        for commands in blocks:
            with self.subTest(commands):
                done = subprocess.run(["sh", "-ec", commands], cwd=self.folder, text=True, timeout=300,
                                      env=environment({"PATH": path}), capture_output=True)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()

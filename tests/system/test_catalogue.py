"""Data sets of the user's own, known by name from a catalogue."""

from __future__ import annotations

import hashlib
import pathlib
import re
import subprocess
import unittest

from program import ProgramTest, environment

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "jobs" / "get_data.sh"


class OwnCatalogue(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        self.write_config({"data.data": "town", "data.file": None, "data.features": None,
                           "data.sensitive": None})
        self.write_catalogue()

    def write_catalogue(self, features: str = "age, hours", extra: str = "") -> None:
        digest = hashlib.sha256((self.folder / "people.csv").read_bytes()).hexdigest()
        (self.folder / "my.ini").write_text(
            f"[file people.csv]\nsha256 = {digest}\n{extra}[set town]\ntitle = A town\n"
            f"[task town plain]\nfile = people.csv\nfeatures = {features}\nsensitive = sex\n",
            encoding="utf-8")

    def test_a_set_runs_replays_and_is_listed_where_its_catalogue_is_given(self) -> None:
        self.assertIn("town: A town", self.succeed("list", "datasets", "--catalogue", "my.ini"))
        self.assertNotIn("town", self.succeed("list", "datasets"))
        self.succeed("run", "config.ini", "-o", "r.h5", "--catalogue", "my.ini", ranks=2)
        self.succeed("replay", "r.h5", "--catalogue", "my.ini")
        outcome = self.run_program("replay", "r.h5", ranks=2)
        self.assertEqual(outcome.codes, [2, 2])
        self.assertRegex(outcome.error, r"'town' is no known data set.*--catalogue")

    def test_a_resume_refuses_another_catalogue_and_names_what_is_different(self) -> None:
        self.succeed("run", "config.ini", "-o", "r.h5", "--catalogue", "my.ini")
        self.write_catalogue("age")
        outcome = self.run_program("run", "config.ini", "-o", "r.h5", "--resume", "--catalogue",
                                   "my.ini", ranks=2)
        self.assertEqual(outcome.codes, [2, 2])
        self.assertRegex(outcome.error, r"data set town: recipe: .*age, hours.* there, .* here")

    def test_a_bad_catalogue_is_one_message_with_its_place_on_every_rank(self) -> None:
        self.write_catalogue("age", "[dataset x]\n")
        for arguments in (["run", "config.ini", "-o", "r.h5"], ["plan", "config.ini"],
                          ["list", "datasets"]):
            with self.subTest(arguments[0]):
                ranks = 2 if arguments[0] == "run" else None
                outcome = self.run_program(*arguments, "--catalogue", "my.ini", ranks=ranks)
                self.assertEqual(set(outcome.codes), {2})
                self.assertEqual(outcome.error.count("my.ini:3: [dataset x] must be"), 1,
                                 outcome.error)
        self.assertNotIn("r.h5", self.files())


class Downloads(ProgramTest):
    """The script that fetches what catalogues name; without a net."""

    def get_data(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        offline = environment({"FAIRFRONT_DATA_URL": f"file://{self.folder}/none"})
        return subprocess.run([str(SCRIPT), *arguments], cwd=self.folder, env=offline, text=True,
                              capture_output=True, check=False)

    def test_it_knows_every_file_of_the_programs_catalogue(self) -> None:
        listed = self.succeed("list", "datasets")
        files = set(re.findall(r"file: (\S+), \d+ rows\n +SHA-256 of its content: ([0-9a-f]{64})\n",
                               listed))
        self.assertGreaterEqual(len(files), 15)
        done = self.get_data("empty")
        self.assertEqual(done.returncode, 1, "some have an address, which does not answer")
        for path, digest in files:
            by_hand = re.search(rf"empty/{re.escape(path)}: no address .*{digest}", done.stdout)
            self.assertTrue(by_hand or f"empty/{path} is absent" in done.stderr, path)

    def test_it_fetches_and_checks_the_files_of_ones_own_catalogue(self) -> None:
        content = (self.folder / "people.csv").read_bytes()
        digest = hashlib.sha256(content).hexdigest()
        (self.folder / "my.ini").write_text(
            f"\ufeff[file town/people.csv]\nsha256 = {digest}  # as published\n"
            f"address = file://{self.folder}/none.csv\n"
            f"other_address = file://{self.folder}/people.csv\n"
            f"[file town/other.csv]\nsha256 = {'0' * 64}\n"
            f"address = file://{self.folder}/people.csv\n", encoding="utf-8")
        done = self.get_data("--catalogue", "my.ini", "data")
        self.assertEqual((self.folder / "data" / "town" / "people.csv").read_bytes(), content)
        self.assertIn("data/town/people.csv: done", done.stdout)
        self.assertIn(f"people.csv: expected SHA-256 {'0' * 64}, found {digest}", done.stderr)
        self.assertFalse((self.folder / "data" / "town" / "other.csv").exists())
        self.assertIn("there is no catalogue 'data'", self.get_data("--catalogue", "data").stderr)


if __name__ == "__main__":
    unittest.main()

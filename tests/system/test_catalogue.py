"""Data sets of the user's own, known by name from a catalogue."""

from __future__ import annotations

import configparser
import csv
import gzip
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import unittest
import zipfile

from program import ProgramTest, environment

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "jobs" / "get_data.sh"
DERIVE = ROOT / "jobs" / "derive_acs_income.py"
PUBLIC_DATA = pathlib.Path(os.environ.get("FAIRFRONT_DATA", ROOT.parent / "shared" / "data"))
CENSUS = "programs-surveys/acs/data/pums/2018/1-Year"

# Columns of the person records of 2018 in their order, as the Census Bureau names them; the others do not matter.
RECORD = ("RT", "SERIALNO", "DIVISION", "SPORDER", "PUMA", "REGION", "ST", "ADJINC", "PWGTP", "AGEP", "COW", "MAR",
          "RELP", "SCHL", "SEX", "WKHP", "OCCP", "PINCP", "POBP", "RAC1P")


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
        listed = self.succeed("list", "datasets", "--catalogue", "my.ini")
        self.assertIn("town: A town", listed)
        self.assertRegex(listed, r"file: people.csv, how many rows is not known\n")
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


def person(**cells: int | str) -> dict[str, str]:
    """A record that ACSIncome keeps, with a label of 0; codes have leading zeros, as there."""
    record = {"RT": "P", "SERIALNO": "2018GQ0000049", "DIVISION": "7", "SPORDER": "01", "PUMA": "01601", "REGION": "3",
              "ST": "40", "ADJINC": "1013097", "PWGTP": "00075", "AGEP": "19", "COW": "1", "MAR": "5", "RELP": "17",
              "SCHL": "18", "SEX": "2", "WKHP": "20", "OCCP": "4110", "PINCP": "0000101", "POBP": "040", "RAC1P": "1"}
    return record | {name: str(cell) for name, cell in cells.items()}


def records(people: list[dict[str, str]]) -> str:
    return "".join(",".join(row) + "\n" for row in [RECORD, *([each[name] for name in RECORD] for each in people)])


class AcsIncome(ProgramTest):
    """The script that makes ACSIncome of a state of the Census Bureau's person records."""

    def derive(self, people: str, *options: str) -> subprocess.CompletedProcess[str]:
        (self.folder / "psam.csv").write_text(people, encoding="ascii")
        return subprocess.run([sys.executable, str(DERIVE), *options, "psam.csv", "income.csv"], cwd=self.folder,
                              text=True, capture_output=True, check=False)

    def test_it_keeps_who_works_and_earns_in_the_order_of_the_records(self) -> None:
        kept = [person(), person(AGEP=17, RAC1P=6), person(PINCP=50000, MAR=1, RAC1P=3),
                person(PINCP="0050001", RAC1P=9, OCCP="0010", RELP="00"), person(PWGTP=1, RAC1P=4)]
        left_out = [person(AGEP=16), person(PINCP=100), person(WKHP=""), person(WKHP="  "), person(PWGTP=0),
                    person(PINCP=""), person(PINCP=-5000), person(WKHP="", OCCP="", COW="")]
        mixed = [left_out[0], kept[0], *left_out[1:4], *kept[1:4], *left_out[4:], kept[4]]
        self.assertEqual(self.derive(records(mixed)).returncode, 0)
        self.assertEqual((self.folder / "income.csv").read_bytes().decode(),
                         "AGEP,COW,SCHL,MAR,OCCP,POBP,RELP,WKHP,SEX,RAC1P,INC50K\n"
                         "19,1,18,5,4110,40,17,20,2,1,0\n17,1,18,5,4110,40,17,20,2,6,0\n"
                         "19,1,18,1,4110,40,17,20,2,3,0\n19,1,18,5,10,40,0,20,2,9,1\n"
                         "19,1,18,5,4110,40,17,20,2,4,0\n")
        self.assertEqual(self.derive(records(mixed), "--merge-levels").returncode, 0)
        self.assertEqual((self.folder / "income.csv").read_bytes().decode(),
                         "AGEP,COW,SCHL,MAR2,OCCP,POBP,RELP,WKHP,SEX,RACE5,INC50K\n"
                         "19,1,18,2,4110,40,17,20,2,1,0\n17,1,18,2,4110,40,17,20,2,3,0\n"
                         "19,1,18,1,4110,40,17,20,2,4,0\n19,1,18,2,10,40,0,20,2,5,1\n"
                         "19,1,18,2,4110,40,17,20,2,4,0\n")

    def test_what_are_no_such_records_is_told_with_its_line_and_an_older_result_stays(self) -> None:
        (self.folder / "income.csv").write_text("before", encoding="ascii")
        wrong = {"line 3: .*COW is ''": records([person(), person(COW="")]),
                 "line 2: .*SEX is 'f'": records([person(SEX="f")]),
                 "line 2: .*no known level": records([person(RAC1P=0)]),
                 "line 3: a cell is missing": records([person()]) + "P,1,2\n",
                 "there is no column RELP$": records([person()]).replace("RELP", "RELSHIPP"),
                 "there is no column AGEP, ": ""}
        for message, text in wrong.items():
            with self.subTest(message):
                done = self.derive(text, "--merge-levels")
                self.assertEqual(done.returncode, 1)
                self.assertRegex(done.stderr, rf"^derive_acs_income: psam.csv: .*{message}")
                self.assertEqual((self.folder / "income.csv").read_text(encoding="ascii"), "before")

    @unittest.skipUnless((PUBLIC_DATA / "acs-income").is_dir(), "the public data files are missing")
    def test_merged_levels_of_one_repositorys_colorado_are_the_rows_of_anothers_49_states(self) -> None:
        """Two people derived these files; neither order nor rules of the script are ours to choose."""
        colorado = PUBLIC_DATA / "acs-income" / "acsincome_2018_1y_CO.csv"
        with colorado.open(encoding="ascii", newline="") as rows:
            people = [person(**{name: cell for name, cell in row.items() if name != "INC50K"},
                             PINCP=(50000, 50001)[int(row["INC50K"])]) for row in csv.DictReader(rows)]
        self.assertEqual(self.derive(records(people), "--merge-levels").returncode, 0)
        with gzip.open(PUBLIC_DATA / "acs-income" / "acsincome_2018_1y_49states_PR.csv.gz", "rt", encoding="ascii") as rows:
            theirs = [row.partition(",")[2] for row in rows if row.startswith(("ST,", "8,"))]
        self.assertEqual(len(theirs), 31307)
        self.assertTrue((self.folder / "income.csv").read_text(encoding="ascii") == "".join(theirs))


class Downloads(ProgramTest):
    """The script that fetches what catalogues name; without a net."""

    def get_data(self, *arguments: str, mirror: str = "none") -> subprocess.CompletedProcess[str]:
        offline = environment({"FAIRFRONT_DATA_URL": f"file://{self.folder}/{mirror}"})
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

    def publish(self, state: str, code: str, people: list[dict[str, str]]) -> None:
        """Puts records where a mirror of the Census Bureau has them."""
        (self.folder / "mirror" / CENSUS).mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(self.folder / "mirror" / CENSUS / f"csv_p{state}.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("ACS2018_PUMS_README.pdf", "a text")
            archive.writestr(f"psam_p{code}.csv", records(people))

    def test_it_makes_files_that_are_derived_and_checks_what_it_made(self) -> None:
        self.publish("zz", "99", [person(AGEP=12), person()])
        made = b"AGEP,COW,SCHL,MAR,OCCP,POBP,RELP,WKHP,SEX,RAC1P,INC50K\n19,1,18,5,4110,40,17,20,2,1,0\n"
        place = f"address = https://www2.census.gov/{CENSUS}/csv_pzz.zip\nmember = psam_p99.csv\n"
        sections = {"made": "derive_acs_income.py", "changed": "derive_acs_income.py --merge-levels",
                    "outside": "../people.py", "unknown": "derive_nothing.py"}
        (self.folder / "my.ini").write_text("".join(
            f"[file town/{name}.csv]\nsha256 = {hashlib.sha256(made).hexdigest()}\n{place}derived_by = {script}\n"
            for name, script in sections.items()), encoding="utf-8")
        (self.folder / "people.py").write_text("raise SystemExit(0)\n", encoding="utf-8")
        done = self.get_data("--catalogue", "my.ini", "data", mirror="mirror")
        self.assertEqual((self.folder / "data" / "town" / "made.csv").read_bytes(), made)
        self.assertIn("csv_pzz.zip: expected SHA-256 ", done.stderr)
        for script in ("../people.py", "derive_nothing.py"):
            self.assertIn(f"derived_by = {script}: there is no script of that name in ", done.stderr)
        self.assertEqual([path.name for path in (self.folder / "data" / "town").iterdir()], ["made.csv"])

    @unittest.skipUnless((PUBLIC_DATA / "acs-income").is_dir(), "the public data files are missing")
    def test_records_that_say_what_the_states_files_say_give_their_sums(self) -> None:
        """The census's own records are not at hand: these are made of what is, with levels that the
        merging takes together and people between them that it leaves out."""
        finer = {"MAR2": ("MAR", {1: (1,), 2: (2, 3, 4, 5)}),
                 "RACE5": ("RAC1P", {1: (1,), 2: (2,), 3: (6,), 4: (3, 4, 5), 5: (7, 8, 9)})}
        states = {"ok": "40", "co": "08", "ne": "31"}
        for state, code in states.items():
            people = []
            with (PUBLIC_DATA / "acs-income" / f"acsincome_2018_1y_{state.upper()}.csv").open(newline="") as rows:
                for number, row in enumerate(csv.DictReader(rows)):
                    cells = {"PINCP": (101, 50000, 50001, 400000)[2 * int(row.pop("INC50K")) + number % 2]}
                    for name, cell in row.items():
                        raw, levels = finer.get(name, (name, {int(cell): (int(cell),)}))
                        cells[raw] = levels[int(cell)][number % len(levels[int(cell)])]
                    people.append(person(**cells))
                    people += [person(WKHP="", PINCP=7000)] if number % 3 == 0 else []
            self.publish(state, code, people)
        done = self.get_data("data", mirror="mirror")
        for state in states:
            self.assertIn(f"acsincome_2018_1y_{state.upper()}.csv: done", done.stdout)


class PapersConfigs(unittest.TestCase):
    """All data of the configs that `jobs/reproduce.sh` runs come by commands."""

    def setUp(self) -> None:
        self.catalogue = configparser.RawConfigParser(delimiters=("=",), comment_prefixes=("#", ";"))
        self.catalogue.read(ROOT / "src" / "data" / "catalogue" / "catalogue.ini", encoding="utf-8")

    def files_of(self, name: str, task: str) -> set[str]:
        section = self.catalogue[f"task {name} {task}"]
        like = section.get("like", "").split()
        inherited = self.files_of(*(like if len(like) > 1 else [name, *like])) if like else set()
        return {section[key] for key in ("file", "test_file") if key in section} or inherited

    def task_of(self, family: str, name: str) -> str:
        if family in ("clustering", "alternating"):
            return "numeric"
        return next(section.split()[2] for section in self.catalogue.sections() if section.startswith(f"task {name} "))

    def test_every_file_of_theirs_has_an_address_or_a_script_that_makes_it(self) -> None:
        script = (ROOT / "jobs" / "reproduce.sh").read_text(encoding="utf-8")
        function = re.search(r"^configs_of\(\) \{.*?^\}", script, re.MULTILINE | re.DOTALL)[0]
        configs = 0
        for family in ("clustering", "alternating", "regression", "ranking", "training"):
            listed = subprocess.run(["bash", "-c", f"here=$1; {function}; configs_of {family}", "bash", ROOT],
                                    capture_output=True, text=True, check=True)
            for path in listed.stdout.split():
                config = configparser.RawConfigParser(strict=False, inline_comment_prefixes=("#",))
                config.read_string("[top]\n" + pathlib.Path(path).read_text(encoding="utf-8"))
                configs += 1
                for name in config.get("data", "data", fallback="").split(", "):
                    if not name or name.startswith("syn_"):
                        continue  # functions, or generated rows
                    with self.subTest(path, data=name):
                        files = self.files_of(name, config["data"].get("task") or self.task_of(family, name))
                        self.assertTrue(files)
                        for file in files:
                            told = self.catalogue[f"file {file}"]
                            self.assertTrue(told.get("address") or told.get("derived_by"), file)
        text = (ROOT / "doc" / "data.md").read_text(encoding="utf-8")
        self.assertIn(f"all {configs} configs of the papers have their data by commands", text)


if __name__ == "__main__":
    unittest.main()

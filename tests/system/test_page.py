"""The report page beside the program: its answers are those of `fairfront choose`, and it follows a run that goes on."""

from __future__ import annotations

import contextlib
import http.client
import io
import json
import os
import pathlib
import random
import shlex
import signal
import subprocess
import sys
import threading
import time
import unittest.mock
import urllib.parse

from program import PROGRAM, ProgramTest, environment

ANALYSIS = pathlib.Path(__file__).resolve().parents[2] / "analysis"
sys.path.insert(0, str(ANALYSIS))

import browser  # noqa: E402
import report  # noqa: E402
from fairfront_report import live  # noqa: E402
from page_tests import needs_browser, write_page  # noqa: E402

REGRESSION = """experiment = regression
seed = 1
[data]
data = syn_four_groups
[split]
validation = 0.4
test = 0.2
stratify = group
split_seed = 1, 2
[base_model]
[dp_postprocessing]
epsilon = 0.3, 0.1, 0.03, 0.01, 0.003
"""
SET = ("const [id, value, kind] = arguments; const one = document.getElementById(id); one.value = value; "
       "one.dispatchEvent(new Event(kind));")
STATE = ("return [document.getElementById('bound-answer').innerText, "
         "[...document.querySelectorAll('#bound-commands code')].map((one) => one.innerText), "
         "state.chosen < 0 ? null : [current().fronts.task[state.chosen], placeOnFront(current().fronts, state.chosen).point]]")


def without_charts(contents: list[dict], told: dict) -> str:
    """A page without the charting library, for those who do not look at it."""
    return report.page_of(contents, "", told)


class Bounds(ProgramTest):
    def check(self, window: browser.Browser) -> bool:
        """The program, asked by the command on the page, says what the page says. @return whether a point is chosen."""
        said, (command, *more), chosen = window.run(STATE)
        words = shlex.split(command)
        self.assertEqual(words[:2], ["fairfront", "choose"])
        if "--model" in words:
            self.assertTrue(more[0].startswith(f"fairfront predict {words[2]} --task {chosen[0]}"), more)
            del words[words.index("--model"):words.index("--model") + 2]
        outcome = self.run_program(*words[1:], "--json")
        (found,) = json.loads(outcome.out)
        if found["chosen"] is None:
            nearest = found["next"][0]
            self.assertIn(f"No point keeps the bound. The one that misses it least is task {nearest['task']}, "
                          f"point {nearest['point']} of", said)
            self.assertIsNone(chosen)
            return False
        self.assertEqual(chosen, [found["chosen"]["task"], found["chosen"]["point"]], command)
        self.assertIn(f"Best within the bound: task {chosen[0]}, point {chosen[1]} of", said)
        return True

    @needs_browser
    def test_the_slider_names_what_choose_names(self) -> None:
        (self.folder / "regression.ini").write_text(REGRESSION, encoding="utf-8")
        self.write_config({".seed": "1..3"})
        self.make_archive("clustering.h5")
        self.succeed("run", "regression.ini", "-o", "regression.h5")
        write_page(self.folder / "page.html", [self.folder / f"{name}.h5" for name in ("regression", "clustering")])
        draw, kinds = random.Random(2), set()
        with browser.Browser() as window:
            window.open(self.folder / "page.html")
            for archive, best in ((0, 0), (0, 1), (1, 0), (1, 1)):
                window.run(SET, "archive", archive, "change")
                window.run(SET, "bound-best", best, "change")
                choices, stops = window.run(
                    "return [[...document.getElementById('bound-choice').options].map((one) => one.value), "
                    "Number(document.querySelector('#sliders input[type=range]').max)]")
                self.assertGreater(stops, 0)
                for choice in choices:
                    window.run(SET, "bound-choice", choice, "change")
                    for stop in {0, stops, draw.randrange(stops)}:
                        window.run(SET, f"slider-{1 - best}", stop, "input")
                        kinds.add(self.check(window))
                    lowest = float(window.run("return document.getElementById(arguments[0]).value", f"limit-{1 - best}"))
                    for factor in (0.5, 0.93, 1.07, -1e9, 1e9):
                        window.run(SET, f"limit-{1 - best}", repr(lowest * factor), "change")
                        kinds.add(self.check(window))
            self.assertEqual(window.log(), [])
        self.assertEqual(kinds, {True, False})

    @needs_browser
    def test_the_page_opens_with_the_point_of_a_model_file(self) -> None:
        (self.folder / "regression.ini").write_text(REGRESSION, encoding="utf-8")
        self.write_config({})
        self.make_archive("clustering.h5")
        self.succeed("run", "regression.ini", "-o", "regression.h5")
        (found, *_) = json.loads(self.succeed("choose", "regression.h5", "--problem", "split.split_seed=2", "--bound", "kolmogorov_smirnov_to_all<=0.3",
                                              "--best", "risk", "--model", "model.json", "--json"))
        pages = [str(self.folder / "clustering.h5"), str(self.folder / "regression.h5"), "-o", str(self.folder / "page.html")]
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(report.main([*pages, "--chosen", str(self.folder / "model.json")]), 0)
        with browser.Browser() as window:
            window.open(self.folder / "page.html")
            self.assertEqual(window.run("return [current().label, current().fronts.task[state.chosen], "
                                        "placeOnFront(current().fronts, state.chosen).point]"),
                             ["regression.h5", found["chosen"]["task"], found["chosen"]["point"]])
            self.assertIn("Model card", window.run("return document.getElementById('detail').innerText"))
            self.assertEqual(window.log(), [])
        error = io.StringIO()
        with contextlib.redirect_stderr(error):
            self.assertEqual(report.main([str(self.folder / "clustering.h5"), "-o", str(self.folder / "other.html"), "--chosen",
                                          str(self.folder / "model.json")]), 2)
        self.assertIn("was chosen from another archive", error.getvalue())
        self.assertFalse((self.folder / "other.html").exists())


class Live(ProgramTest):
    def start(self) -> subprocess.Popen:
        """A run that takes long."""
        self.write_config({".seed": "1..4000", "safairkm_front.iterations": "6000"})
        run = subprocess.Popen([PROGRAM, "run", "config.ini", "-o", "part.h5", "--quiet"], cwd=self.folder,
                               env=environment(), stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        return run

    def wait(self, holds, complaint: str) -> None:
        """As long as a busy machine may take; each wait anew."""
        deadline = time.monotonic() + 300
        while not holds():
            self.assertLess(time.monotonic(), deadline, complaint)
            time.sleep(0.1)

    def serve(self, render=without_charts) -> live.Server:
        """Looks every half second, until the test ends."""
        patched = unittest.mock.patch.dict(os.environ, FAIRFRONT=PROGRAM)
        patched.start()
        self.addCleanup(patched.stop)
        watch = live.Watch([str(self.folder / "part.h5")], render, 0.5)
        self.wait(lambda: live.stamp_of(watch.paths[0]), "no journal")
        watch.look()
        server = live.Server(watch)
        self.addCleanup(server.server_close)
        ended = threading.Event()
        threads = [threading.Thread(target=server.serve_forever), threading.Thread(target=watch.follow, args=(lambda _: None, ended))]
        for thread in threads:
            thread.start()
            self.addCleanup(thread.join)
        self.addCleanup(server.shutdown)
        self.addCleanup(ended.set)
        return server

    @needs_browser
    def test_the_page_follows_the_run_and_keeps_what_is_selected(self) -> None:
        library = report.find_library().read_text(encoding="utf-8")
        run = self.start()
        server = self.serve(lambda contents, told: report.page_of(contents, library, told))
        with browser.Browser() as window:
            window.visit(server.url)
            done = "return current().tasks.status.filter((one) => one === 1).length"
            self.wait(lambda: window.run(done) >= 2, "nothing is done")
            window.run("choose(1); mark({tasks: new Set([0])}); document.querySelector('#detail details:last-of-type').open = true; "
                       "document.getElementById('slider-1').focus(); scrollTo(0, 300)")
            place = window.run("return scrollY")
            before, chosen = window.run(done), window.run("return state.chosen")
            self.wait(lambda: window.run(done) > before, "the page does not follow")
            self.assertEqual(window.run("return state.chosen"), chosen)
            self.assertEqual(window.run("return [[...state.marked.tasks], document.querySelector('#detail details:last-of-type').open, "
                                        "document.activeElement.id, scrollY]"), [[0], True, "slider-1", place])
            self.assertIn("of 4000 tasks done", window.run("return document.getElementById('live-told').innerText"))
            self.assertIn("fairfront choose part.h5 --partial", window.run("return document.getElementById('detail').innerText"))
            window.run("document.getElementById('following').click()")
            run.send_signal(signal.SIGINT)
            self.assertEqual(run.wait(60), 3)
            self.assertEqual(window.log(), [])

    def test_nobody_else_gets_an_answer_and_nothing_can_be_written(self) -> None:
        self.write_config({})
        self.make_archive("part.h5")
        before = self.files()
        server = self.serve()
        address = urllib.parse.urlsplit(server.url)

        def ask(path: str = address.path, method: str = "GET", **headers: str) -> http.client.HTTPResponse:
            connection = http.client.HTTPConnection(address.hostname, address.port, timeout=20)
            self.addCleanup(connection.close)
            connection.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
            return connection.getresponse()

        page = ask()
        self.assertEqual(page.status, 200)
        self.assertIn(b"connect-src 'self'", page.read())
        for name, value in (("Cache-Control", "no-store"), ("Referrer-Policy", "no-referrer"), ("X-Frame-Options", "DENY"),
                            ("X-Content-Type-Options", "nosniff"), ("Cross-Origin-Resource-Policy", "same-origin")):
            self.assertEqual(page.headers[name], value)
        news = json.load(ask(address.path + "contents?have=old"))
        self.assertEqual(news["told"], "part.h5: 1 of 1 tasks done")
        self.assertEqual(ask(f"{address.path}contents?have={news['version']}").status, 204)
        self.assertEqual((ask(method="HEAD").status, ask(method="HEAD").read()), (200, b""))
        for path in ("/", "/" + "x" * 32 + "/", address.path[:-1], address.path + "../part.h5", address.path + "part.h5"):
            self.assertEqual(ask(path).status, 404, path)
        for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS"):
            self.assertEqual(ask(method=method).status, 405)
        for headers in ({"Host": "evil.example"}, {"Host": f"evil.example:{address.port}"}, {"Origin": "http://evil.example"},
                        {"Origin": "null"}, {"Sec_Fetch_Site": "cross-site"}, {"Sec_Fetch_Site": "same-site"}):
            self.assertEqual(ask(**headers).status, 403, headers)
        self.assertEqual(server.server_address[0], "127.0.0.1")
        self.assertEqual(self.files(), before)

    def test_the_command_serves_until_it_is_interrupted(self) -> None:
        self.write_config({})
        self.make_archive("part.h5")
        library = self.folder / "echarts.min.js"
        library.touch()
        served = subprocess.Popen([sys.executable, str(ANALYSIS / "report.py"), "--watch", "part.h5"], cwd=self.folder, text=True,
                                  stdout=subprocess.PIPE, env=environment({"FAIRFRONT": PROGRAM, "FAIRFRONT_ECHARTS": str(library)}))
        self.addCleanup(served.stdout.close)
        self.addCleanup(served.kill)
        self.assertEqual(served.stdout.readline(), "reads part.h5; the page's address follows\n")
        address = urllib.parse.urlsplit(served.stdout.readline().strip())
        connection = http.client.HTTPConnection(address.hostname, address.port, timeout=20)
        connection.request("GET", address.path)
        self.assertIn(b"live-data", connection.getresponse().read())
        connection.close()
        served.send_signal(signal.SIGINT)
        self.assertEqual(served.wait(30), 0)
        self.assertFalse((self.folder / "report.html").exists())

    def test_a_run_that_is_damaged_or_not_there_is_one_line(self) -> None:
        (self.folder / "part.h5").write_bytes(b"no archive")
        said = io.StringIO()
        library = self.folder / "echarts.min.js"
        library.touch()
        with (unittest.mock.patch.object(report, "find_library", return_value=library), contextlib.redirect_stderr(said)):
            code = report.main([str(self.folder / "part.h5"), "--watch"])
        self.assertEqual((code, said.getvalue().count("\n")), (2, 1), said.getvalue())


if __name__ == "__main__":
    unittest.main()

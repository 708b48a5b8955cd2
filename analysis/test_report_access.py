"""The page is for everybody: no violation that axe-core finds, in daylight and in the dark, on a desk and on a phone."""

from __future__ import annotations

import pathlib
import unittest

import sample_archive
import test_report_audit
import test_report_selection
from page_tests import PageTest, needs_axe, violations
from test_report import sweep

DARK = [{"name": "prefers-color-scheme", "value": "dark"}]
PHONE = {"width": 375, "height": 800, "deviceScaleFactor": 2, "mobile": True}
OPEN = ("for (const one of document.querySelectorAll('details')) one.open = true; "
        "if (current().fronts) { choose(0); mark({ranges: [[0, 9], [0, 9]]}); } "
        "const slider = document.querySelector('#sliders input'); if (slider) slider.dispatchEvent(new Event('input')); "
        "for (const one of document.querySelectorAll('th .sort')) one.click();")


@needs_axe
class Access(PageTest):
    @classmethod
    def write_archives(cls, folder: pathlib.Path) -> list[pathlib.Path]:
        return [sweep().write(folder / "first.h5"), sample_archive.write(folder / "second.h5"),
                test_report_selection.three().write(folder / "three.h5"), test_report_audit.audit(folder / "audit.h5")]

    def check(self) -> None:
        for archive in range(len(self.archives)):
            self.window.run("const one = document.getElementById('archive'); one.value = arguments[0]; "
                            "one.dispatchEvent(new Event('change'))", archive)
            self.window.run(OPEN)
            self.assertEqual(violations(self.window), [], self.archives[archive].name)
            self.assertLessEqual(*self.window.run("return [document.documentElement.scrollWidth, window.innerWidth]"))

    def test_it_has_no_violation_on_a_desk(self) -> None:
        self.check()

    def test_it_has_no_violation_on_a_phone_in_the_dark(self) -> None:
        self.window.emulate("Emulation.setDeviceMetricsOverride", **PHONE)
        self.window.emulate("Emulation.setEmulatedMedia", features=DARK)
        self.addCleanup(self.window.emulate, "Emulation.clearDeviceMetricsOverride")
        self.addCleanup(self.window.emulate, "Emulation.setEmulatedMedia", features=[])
        self.window.open(self.page)
        self.assertEqual(self.window.run("return getComputedStyle(document.body).backgroundColor"), "rgb(22, 24, 28)")
        self.check()

    def test_axe_would_find_something(self) -> None:
        self.window.run("document.querySelector('main').insertAdjacentHTML('beforeend', '<input><button></button>')")
        self.assertEqual([one.split(" ")[0] for one in violations(self.window)], ["button-name", "label"])


if __name__ == "__main__":
    unittest.main()

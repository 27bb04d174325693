"""End-to-end tests of plugins, which the program loads at run time.

Usage: KICKDRIFT=path/to/kickdrift PLUGINS=their/folder python3 plugin_test.py [unittest arguments]
"""

import os
import pathlib
import re
import shutil
import unittest

from program_test import SMALL, ProgramTest, column, summary

PLUGINS = pathlib.Path(os.environ["PLUGINS"])
NAME = "Additional shared libraries"


class Plugins(ProgramTest):
    def foam(self, **settings):
        return {
            NAME: str(PLUGINS / "soft_foam.so"),
            "Bodies/left/Material/Model": "soft foam",
            "Bodies/left/Material/Foam modulus": "0.5",
            **settings,
        }

    def test_a_material(self):
        done, output = self.run_case(SMALL, self.foam())
        self.assertEqual(done.stderr, "")
        self.assertGreater(summary(output)["kicks"]["collisions"], 0)
        # stress and energy fit together, and momentum is kept
        self.assertLess(max(map(abs, column(output / "statistics.csv", "energy_error"))), 0.01)
        momentum = column(output / "statistics.csv", "momentum_x")
        self.assertLess(max(abs(p - momentum[0]) for p in momentum), 1e-12)
        # what was used can be run from anywhere
        text = (output / "parameters.prm").read_text()
        self.assertIn(str(PLUGINS / "soft_foam.so"), text)
        self.run_program(output / "parameters.prm", "--output", self.folder / "again")
        hashes = [summary(o)["state_hash"] for o in (output, self.folder / "again")]
        self.assertEqual(*hashes)

    def test_names_are_relative_to_the_parameter_file(self):
        folder = self.folder / "case"
        folder.mkdir()
        shutil.copy(PLUGINS / "soft_foam.so", folder / "foam.so")
        text = SMALL.read_text() + f"set {NAME} = foam.so\n"
        text = text.replace("Model = linear elastic", "Model = soft foam", 1)
        (folder / "case.prm").write_text(text)
        done, _ = self.run_case(folder / "case.prm", {"Stepping/End time": "0.1"})
        self.assertEqual(done.stderr, "")
        self.run_program(folder / "case.prm", "--validate")

    def test_parameters_are_printed(self):
        sets = ("--set", f"{NAME}={PLUGINS / 'soft_foam.so'}", "--set", "Dimension=2")
        text = self.run_program("--print-parameters", *sets).stdout
        self.assertIn("set Foam modulus", text)
        self.assertIn("'soft foam': without Poisson's effect.", re.sub(r"\n +# ", " ", text))
        self.assertNotIn("Foam modulus", self.run_program("--print-parameters").stdout)

    def test_what_is_thrown_need_not_be_an_exception(self):
        settings = self.foam(**{"Bodies/left/Material/Foam bursts": "at once"})
        self.assert_refused(settings, "is no exception of the standard library", "Burst'")
        settings["Bodies/left/Material/Foam bursts"] = "later"
        done, output = self.run_case(SMALL, settings, status=1)
        self.assertRegex(done.stderr, "^kickdrift: stopped: .*Burst'")
        self.assertEqual(summary(output)["status"], "stopped")

    def test_refusals(self):
        cases = {
            "none.so": ("cannot be opened",),
            ".": ("is a folder or a device",),
            "text.so": ("is no plugin of KickDrift", "KICKDRIFT_PLUGIN"),
            "old.so": ("was built for KickDrift 0.0.9 (Release)", "but this is KickDrift "),
            "taken.so": ("cannot register", "'Johnson-Cook' is registered twice"),
            "torn.so": ("cannot be loaded",),
        }
        (self.folder / "text.so").write_text("What is this?\n")
        for name in ("old", "taken"):
            shutil.copy(PLUGINS / f"{name}.so", self.folder)
        whole = (PLUGINS / "soft_foam.so").read_bytes()
        (self.folder / "torn.so").write_bytes(b"\0" * 64 + whole[64:])
        for name, expected in cases.items():
            file = (self.folder / name).resolve()
            self.assert_refused({NAME: str(self.folder / name)}, f"'{NAME}': '{file}", *expected)

    def test_a_device_is_not_read(self):
        self.assert_refused({NAME: "/dev/zero"}, f"'{NAME}': '/dev/zero' is a folder or a device")

    def test_two_names_of_one_library(self):
        (self.folder / "link.so").symlink_to(PLUGINS / "soft_foam.so")
        names = f"{PLUGINS / 'soft_foam.so'}, {self.folder / 'link.so'}"
        self.run_case(SMALL, {**self.foam(), NAME: names, "Stepping/End time": "0.1"})

    def test_without_the_library_the_name_is_unknown(self):
        settings = self.foam()
        del settings[NAME]
        self.assert_refused(settings, "Bodies/left/Material")


if __name__ == "__main__":
    unittest.main()

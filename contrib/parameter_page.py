#!/usr/bin/env python3
"""Writes the reference of all parameters, as the program prints it, as a page of Markdown.

Usage: parameter_page.py PROGRAM PAGE.md
"""

import subprocess
import sys


def main(program, target):
    printed = subprocess.run([program, "--print-parameters"], stdout=subprocess.PIPE, text=True,
                             check=True).stdout
    with open(target, "w", encoding="utf-8") as file:
        file.write("# All parameters\n\nAs `kickdrift --print-parameters` prints them, for one body, "
                   "obstacle, restraint, load and\nprobe with the names `body`, `obstacle`, ...\n\n"
                   f"```text\n{printed.strip()}\n```\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])

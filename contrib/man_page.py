#!/usr/bin/env python3
"""Writes the manual page of kickdrift from what the program says about itself.

Usage: man_page.py PROGRAM MANUAL.1
"""

import re
import subprocess
import sys

COLUMN = 25  # at which explanations of options begin

AFTER = r""".SH FILES
A parameter file is an ordinary deal.II ParameterHandler file. \fBkickdrift \-\-print\-parameters\fR
prints all parameters with documentation, units and defaults;
\fBkickdrift CASE.prm \-\-print\-parameters\fR those of a case with its values.
.PP
The output folder holds statistics.csv, bodies.csv, probes.csv, reactions.csv, sections.csv and contact.csv
(histories), solution.pvd and surface.pvd (for ParaView), summary.json (what the run has cost) and
parameters.prm (all parameters that were used).
.SH ENVIRONMENT
.TP
.B KICKDRIFT_ISA
Instruction set of the kernels: sse2, avx2 or avx512. Unset: the widest that the processor has.
.SH EXAMPLES
.nf
kickdrift two_elastic_bars.prm \-\-output bars
kickdrift two_elastic_bars.prm \-\-set "Contact/Restitution=0.5" \-\-validate
kickdrift two_elastic_bars.prm \-\-compare \-\-sweep n=2,4,8
.fi
"""


def roff(text):
    """Text with what roff would take for a command or a hyphen escaped."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in text.split("\n"))


def main(program, target):
    def ask(option):
        return subprocess.run([program, option], stdout=subprocess.PIPE, text=True, check=True).stdout

    version = ask("--version").split()[1]
    usage, description, options, *rest = re.split(r"\n\n", ask("--help").strip())
    lines = [f'.TH KICKDRIFT 1 "" "kickdrift {version}"', ".SH NAME",
             r"kickdrift \- asynchronous explicit dynamics of elastic bodies in contact",
             ".SH SYNOPSIS", ".B " + roff(usage.replace("usage: ", "")), ".SH DESCRIPTION",
             roff(description), ".SH OPTIONS"]
    for option in re.split(r"\n(?=  --)", "\n" + options)[1:]:
        first, *more = option.split("\n")
        # a long option has its text in the lines below
        width = COLUMN if first[COLUMN - 1 : COLUMN] == " " else len(first)
        head, text = first[:width].strip(), " ".join([first[width:], *more])
        lines += [".TP", ".B " + roff(head).replace('"', "\\(dq"), roff(" ".join(text.split()))]
    lines += [".SH EXIT STATUS", roff("\n".join(rest).replace("Exit status: ", "")), AFTER]
    with open(target, "w", encoding="utf-8") as file:
        file.write("\n".join(lines))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])

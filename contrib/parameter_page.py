#!/usr/bin/env python3
"""Writes the reference of all parameters, doc/parameters.md, from what the program says about them.

Usage: parameter_page.py [--check] PROGRAM PAGE.md
       --check: write nothing, fail if the page is not what would be written
"""

import re
import subprocess
import sys

HEADER = """# All parameters

Every parameter that the program reads, with its default, as `kickdrift --print-parameters` prints
them. Section by section, subsections are separated by slashes: the entry `Density` of
`Bodies/NAME/Material` stands in a parameter file as

```text
subsection Bodies
  set Names = ring            # every NAME gets a subsection
  subsection ring
    subsection Material
      set Density = 7.8e-9
    end
  end
end
```

and on the command line as `--set "Bodies/ring/Material/Density=7.8e-9"`. Units are any consistent set
(`mm, t, s` as much as `m, kg, s`). Wherever a number is asked for, an expression of the constants in
`Constants` will do. Defaults are for three dimensions; in two, lists have two components.
"""

# For one of each the program prints all parameters: body, obstacle, ...
NAMED = ("Bodies", "Ties", "Obstacles", "Restraints", "Loads", "Kicks", "Probes", "Sections",
         "Springs", "Point masses")
UNITS = re.compile(r"\s*Units: (.*?)\.?$")


def sections_of(printed):
    """Sections in the order of printing: [path, [(name, default, documentation)]]."""
    path, documentation, sections = [], [], {}
    for line in map(str.strip, printed.splitlines()[2:]):  # after the title
        if line.startswith("#"):
            documentation.append(line[1:].strip())
            continue
        if line.startswith("subsection "):
            name = line.split(" ", 1)[1]
            path.append("NAME" if len(path) == 1 and path[0] in NAMED else name)
        elif line == "end":
            path.pop()
        elif line.startswith("set "):
            name, value = (part.strip() for part in line[4:].split("=", 1))
            entries = sections.setdefault("/".join(path), [])
            # what differs from its default is printed with it: the name of the one body, ...
            used, _, default = (part.strip() for part in value.partition("# default:"))
            is_default = "# default:" not in value
            entries.append((name, used if is_default else default, " ".join(documentation)))
        documentation = []
    return sections


def anchor(heading):
    """The name under which a heading of Markdown is linked to."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def cell(text):
    return text.replace("|", "\\|").replace("*", "\\*").replace("<", "&lt;")


def table(entries):
    lines = ["| Parameter | Default | Meaning | Units |", "|---|---|---|---|"]
    for name, default, documentation in entries:
        units = UNITS.search(documentation)
        default = default and f"`{cell(default)}`"
        lines.append(f"| `{cell(name)}` | {default} | {cell(UNITS.sub('', documentation))} "
                     f"| {cell(units.group(1)) if units else ''} |")
    return "\n".join(lines)


def page(program):
    printed = subprocess.run([program, "--print-parameters"], stdout=subprocess.PIPE, text=True,
                             check=True).stdout
    sections = {path or "Top level": entries for path, entries in sections_of(printed).items()}
    contents = "\n".join(f"* [{path}](#{anchor(path)}): {', '.join(name for name, *_ in entries)}"
                         for path, entries in sections.items())
    tables = "\n\n".join(f"## {path}\n\n{table(entries)}" for path, entries in sections.items())
    return f"{HEADER}\n{contents}\n\n{tables}\n"


def main(program, target, check):
    text = page(program)
    if not check:
        with open(target, "w", encoding="utf-8") as file:
            file.write(text)
        return
    with open(target, encoding="utf-8") as file:
        if file.read() != text:
            sys.exit(f"{target} is out of date; run: contrib/parameter_page.py {program} {target}")


if __name__ == "__main__":
    arguments = [argument for argument in sys.argv[1:] if argument != "--check"]
    if len(arguments) != 2:
        sys.exit(__doc__)
    main(*arguments, check="--check" in sys.argv)

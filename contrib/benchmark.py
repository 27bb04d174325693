#!/usr/bin/env python3
"""Runs the benchmarks that contrib/benchmark.sh has built, and prints goals beside measurements.

Every ratio compares runs that alternate at random in one process (Google Benchmark's random
interleaving) or runs of the program that take turns; the medians are what is compared.
"""

import argparse
import datetime
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BEGIN, END = "<!-- benchmark table: begin -->", "<!-- benchmark table: end -->"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--build", default=os.path.join(SOURCE, "build"), help="build folder")
    parser.add_argument("--output", default="output/benchmark", help="folder for the results")
    parser.add_argument("--quick", action="store_true", help="leave out what takes minutes")
    parser.add_argument("--page", help="file whose table is replaced")
    return parser.parse_args()


class Kernels:
    """Medians of Google Benchmark programs, by the name of the benchmark."""

    def __init__(self, build):
        self.folder = os.path.join(build, "tests", "benchmarks")
        self.medians = {}
        self.context = {}

    def run(self, program, pattern, repetitions=7, min_time=0.2):
        with tempfile.NamedTemporaryFile(suffix=".json") as result:
            subprocess.run(
                [
                    os.path.join(self.folder, "benchmark_" + program),
                    f"--benchmark_filter={pattern}",
                    f"--benchmark_repetitions={repetitions}",
                    f"--benchmark_min_time={min_time}",
                    "--benchmark_enable_random_interleaving=true",
                    "--benchmark_report_aggregates_only=true",
                    f"--benchmark_out={result.name}",
                    "--benchmark_out_format=json",
                ],
                check=True,
                stdout=subprocess.DEVNULL,
            )
            report = json.load(open(result.name, encoding="utf-8"))
        self.context = self.context or report["context"]
        for entry in report["benchmarks"]:
            if entry.get("aggregate_name") == "median":
                name = entry["run_name"].removesuffix("/real_time")
                self.medians[name] = entry

    def __contains__(self, name):
        return name in self.medians

    def ns(self, name):
        """CPU time (with several threads wall time) per item [ns]."""
        entry = self.medians[name]
        if "items_per_second" in entry:
            return 1e9 / entry["items_per_second"]
        return entry["cpu_time"] * {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}[entry["time_unit"]]

    def counter(self, name, counter):
        return self.medians[name][counter]


class Program:
    """Runs of the program; results by summary.json."""

    def __init__(self, build):
        self.executable = os.path.join(build, "kickdrift")

    def run(self, case, *settings):
        """CPU seconds of the process, and its summary."""
        with tempfile.TemporaryDirectory() as folder:
            command = [self.executable, os.path.join(SOURCE, "prm", case), "--quiet", "--overwrite"]
            for setting in ("Output/VTU every=0", "Output/Surface every=0", *settings):
                command += ["--set", setting]
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            begin = time.monotonic()
            subprocess.run(command + ["--output", folder], check=True, stdout=subprocess.DEVNULL)
            wall = time.monotonic() - begin
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            summary = json.load(open(os.path.join(folder, "summary.json"), encoding="utf-8"))
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return {"cpu": cpu, "wall": wall, "summary": summary}


def number(value):
    return "" if value is None else f"{value:.3g}"


class Table:
    """Rows: what, must, aim, measured; smaller is better unless the goal says 'at least'."""

    def __init__(self):
        self.rows = []

    def add(self, what, measured, must=None, aim=None, unit="", at_least=False):
        verdict = "report"
        if must is not None:
            better = (lambda goal: measured >= goal) if at_least else (lambda g: measured <= g)
            verdict = "aim met" if aim and better(aim) else "met" if better(must) else "missed"
        self.rows.append(
            {
                "what": what,
                "measured": measured,
                "must": must,
                "aim": aim,
                "unit": unit,
                "at_least": at_least,
                "verdict": verdict,
            }
        )
        print(f"{what}: {number(measured)} {unit} [{verdict}]", file=sys.stderr)

    def markdown(self):
        lines = ["| | measured | must | aim | measured / must | |", "|---|---|---|---|---|---|"]
        for row in self.rows:
            sign = "≥ " if row["at_least"] else "≤ "
            ratio = row["measured"] / row["must"] if row["must"] else None
            goals = [sign + number(row[g]) if row[g] is not None else "" for g in ("must", "aim")]
            measured = f"{number(row['measured'])} {row['unit']}".strip()
            lines.append(
                f"| {row['what']} | {measured} | {goals[0]} | {goals[1]} | {number(ratio)} "
                f"| {row['verdict']} |"
            )
        return "\n".join(lines) + "\n"


def add_kernel_rows(table, kernels, quick):
    pairs = (
        "^(by_hand|one|nested|nested_start)/"
        "(bar/(10|20|27)|general/20|graded/10|one_point/20)$"
    )
    kernels.run("stepping", pairs)
    kernels.run("stepping", "^(queue|nested/tetrahedra|per_cell)")
    for name, cells in (("bar/10", "5 000"), ("bar/20", "40 000"), ("bar/27", "98 415")):
        ratio = kernels.ns("nested/" + name) / kernels.ns("by_hand/" + name)
        table.add(f"nested kick ÷ loop by hand, bar, {cells} cells", ratio, 1.2, 1.05)
    for name, cells in (
        ("bar/10", "5 000"),
        ("bar/20", "40 000"),
        ("bar/27", "98 415"),
        ("general/20", "general"),
    ):
        ratio = kernels.ns("one/" + name) / kernels.ns("by_hand/" + name)
        table.add(f"one clock ÷ loop by hand, {cells}", ratio, 1.1)
    ratio = kernels.ns("nested/bar/20") / kernels.ns("nested_start/bar/20")
    table.add("first kick at half an interval ÷ at its start", ratio)
    table.add("ns per kick: box", kernels.ns("nested/bar/20"), 65, 52, "ns")
    table.add("ns per kick: general hexahedron", kernels.ns("nested/general/20"), 115, 90, "ns")
    if "nested/one_point/20" in kernels:
        table.add("ns per kick: one point, box", kernels.ns("nested/one_point/20"), 55, 42, "ns")
    table.add("ns per kick: tetrahedron", kernels.ns("nested/tetrahedra/14"), 40, None, "ns")
    for n, cells in ((10, "5 000"), (20, "40 000")):
        kick = kernels.ns(f"per_cell/bar/{n}")
        table.add(f"ns per kick, a clock per cell, {cells} boxes", kick, 110, 80, "ns")
    for n in (1000, 10000, 100000):
        table.add(f"queue of {n} clocks, per kick", kernels.ns(f"queue/{n}"), 25, 12, "ns")
    for name, what in (("bar/10", "bar n = 10"), ("bar/20", "bar n = 20"), ("graded/10", "1:30")):
        share = kernels.ns("by_hand/" + name) / kernels.ns("nested/" + name)
        work = kernels.counter("nested/" + name, "work_ratio")
        what = f"share of the work ratio ({work:.2f}) realised, {what}"
        table.add(what, share, 0.85, 0.95, at_least=True)
    table.add("bytes per cell: box", kernels.counter("nested/bar/20", "bytes_per_cell"), 260, 200)
    general = kernels.counter("nested/general/20", "bytes_per_cell")
    table.add("bytes per cell: general", general, 850, 500)
    if not quick:
        kernels.run("stepping", "^nested/bar/(13|58)$", repetitions=5)
        ratio = kernels.ns("nested/bar/58") / kernels.ns("nested/bar/13")
        table.add("ns per kick, 975 560 ÷ 10 985 cells", ratio, 1.4, 1.15)
    kernels.run("stepping", "threads")
    if "nested_threads_2/bar/20" in kernels:
        for clocks in ("nested", "one"):
            one, two = (kernels.ns(f"{clocks}_threads_{n}/bar/20") for n in (1, 2))
            what = f"two threads, 40 000 cells, {clocks}: times faster"
            table.add(what, one / two, 1.6, 1.8, at_least=True)
    add_shell_rows(table, kernels)
    kernels.run("fe_values", ".", repetitions=3)
    for loop in ("by_extractors", "by_component"):
        for mesh, reference in (("bar", "bar/10"), ("general", "general/20")):
            ratio = kernels.ns(f"{loop}/{mesh}") / kernels.ns("nested/" + reference)
            what = f"loop with FEValues, {loop.replace('_', ' ')} ÷ nested kick, {mesh}"
            table.add(what, ratio, 25, 35, at_least=True)


def add_shell_rows(table, kernels):
    """Kicks of a sphere of 5120 triangles."""
    kernels.run("shells", "/4$")
    for name, goal in (("membrane", 25), ("hinge", None), ("three_hinges", 60), ("loop", 250)):
        what = name.replace("_", " ")
        kick = kernels.ns(f"kernels/{name}/4")
        table.add(f"ns per kick of a shell: {what}", kick, goal, None, "ns")
        ratio = kernels.ns(f"formulas/{name}/4") / kick
        table.add(f"scalar formulas ÷ kernel, {what}", ratio)


# Of the benchmarks of detection: what they measure, and times that Aragon & Molinari (2014) print.
DETECTION = {
    "test_volumes/sphere": ("overlap of spheres", "37 to 42 ns"),
    "test_volumes/box": ("overlap of boxes", "37 to 42 ns"),
    "test_volumes/polytope_14": ("overlap of polytopes with 14 directions", "37 to 42 ns"),
    "test_volumes/polytope_26": ("overlap of polytopes with 26 directions", ""),
    "test_volumes/oriented_box": ("overlap of oriented boxes", ""),
    "closest_on_face/corners:3": ("closest points, point and triangle", "20 457 ns"),
    "closest_on_face/corners:4": ("closest points, point and bilinear quadrilateral", ""),
    "closest_on_edges": ("closest points, edge and edge", ""),
    "impact_of_spheres/accelerated:0": ("time of impact, spheres", ""),
    "impact_of_spheres/accelerated:1": ("time of impact, accelerated spheres", ""),
    "impact_on_face/corners:3": ("time of impact, point and triangle", ""),
    "impact_on_face/corners:4": ("time of impact, point and bilinear quadrilateral", ""),
    "impact_of_edges": ("time of impact, edge and edge", ""),
}
# Queries as they come from boxes that overlap: 99 % miss; beside them the method of inclusions.
for corners, what in ((3, "point and triangle"), (4, "point and quadrilateral"), (2, "edge and edge")):
    for percent in (10, 200):
        arguments = f"corners:{corners}/percent:{percent}"
        text = f"{what}, 99 % misses, steps of {percent} % of their size"
        DETECTION[f"impact_queries/{arguments}"] = ("time of impact, " + text, "")
        if corners < 4:
            name = f"impact_queries_by_inclusions/{arguments}"
            DETECTION[name] = ("the same by bisecting inclusions", "")


def detection_table(kernels, quick):
    """CPU times of everything in the benchmark of detection, as Markdown."""
    kernels.run("detection", "-1000000" if quick else ".", repetitions=3, min_time=0.05)

    def time_text(name):
        ns = kernels.ns(name)
        return f"{ns:.3g} ns" if ns < 1e4 else f"{ns / 1e6:.3g} ms"

    lines = ["| detection | CPU time | AM, an i7 with 2.6 GHz |", "|---|---|---|"]
    for name, (text, paper) in DETECTION.items():
        lines.append(f"| {text} | {time_text(name)} | {paper} |")

    structures = ("Hierarchy<3>", "PositionCodeGrid<3>", "BoostTree")
    compared, qualities = {}, []
    for name in sorted(kernels.medians):
        parts = re.fullmatch(r"(\w+)<(.+)>/faces:(\d+)(?:/coherent:(\d))?", name)
        if parts:
            operation, structure, faces, coherent = parts.groups()
            order = {"0": ", at random", "1": ", in order", None: ""}[coherent]
            compared.setdefault((operation + order, int(faces)), {})[structure] = time_text(name)
        parts = re.fullmatch(r"quality/faces:(\d+)/.*", name)
        if parts:
            costs = (kernels.counter(name, way) for way in ("top_down", "bottom_up"))
            qualities.append((int(parts.group(1)), *costs, time_text(name)))
    lines += ["", "| | faces | hierarchy | grid | Boost's rtree |", "|---|---|---|---|---|"]
    for (operation, faces), texts in sorted(compared.items()):
        row = " | ".join(texts.get(structure, "") for structure in structures)
        lines.append(f"| {operation} | {faces} | {row} |")
    lines += [
        "",
        "| surface-area cost of a tree | hierarchy, cut in halves | grown from the leaves (Omohundro) "
        "| its building |",
        "|---|---|---|---|",
    ]
    for faces, top_down, bottom_up, text in sorted(qualities):
        lines.append(f"| {faces} faces | {top_down:.3g} | {bottom_up:.3g} | {text} |")
    return "\n".join(lines) + "\n"


def add_program_rows(table, program, quick):
    goals = {4: 0.12, 8: 1.2} if quick else {4: 0.12, 8: 1.2, 16: 15}
    for n, goal in goals.items():
        constants = f"Constants=n = {n}, L = 10, V = 0.1"
        with_contact, without = [], []
        for _ in range(5 if n == 4 else 3 if n == 8 else 1):
            with_contact.append(program.run("two_elastic_bars.prm", constants))
            without.append(
                program.run("two_elastic_bars.prm", constants, "Contact/Enabled=false")
            )
        stepping, alone = (
            statistics.median(run["summary"]["wall_time"]["stepping"] for run in runs)
            for runs in (with_contact, without)
        )
        table.add(f"two bars, n = {n}: stepping", stepping, goal, None, "s")
        share = 100 * (1 - alone / stepping)
        must = 15 if n == 8 else None
        table.add(f"two bars, n = {n}: share of contact", share, must, 8 if must else None, "%")
    starts = [program.run("two_elastic_bars.prm", "Stepping/End time=1e-6")["cpu"] for _ in range(9)]
    table.add("program start, CPU time", statistics.median(starts), 0.6, 0.35, "s")
    if not quick:
        run = program.run("block_assembly.prm")["summary"]["wall_time"]
        table.add("block assembly: stepping", run["stepping"], 60, None, "s")
        share = 100 * run["contact"] / run["stepping"]
        table.add("block assembly: share of contact", share, 15, None, "%")


def machine_text(context):
    model = ""
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        for line in info:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    load = ", ".join(f"{value:.1f}" for value in context.get("load_avg", []))
    return (
        f"{datetime.date.today()}, {model}, {context.get('num_cpus')} cores, "
        f"load at the start {load}"
    )


def write_page(path, text):
    with open(path, encoding="utf-8") as page:
        before, rest = page.read().split(BEGIN)
    after = rest.split(END)[1]
    with open(path, "w", encoding="utf-8") as page:
        page.write(f"{before}{BEGIN}\n{text}{END}{after}")


def main():
    arguments = parse_arguments()
    os.makedirs(arguments.output, exist_ok=True)
    table, kernels, program = Table(), Kernels(arguments.build), Program(arguments.build)
    add_kernel_rows(table, kernels, arguments.quick)
    add_program_rows(table, program, arguments.quick)
    machine = machine_text(kernels.context)
    detection = detection_table(kernels, arguments.quick)
    text = f"Measured {machine}.\n\n{table.markdown()}\n{detection}"
    print(text)
    with open(os.path.join(arguments.output, "benchmark.md"), "w", encoding="utf-8") as file:
        file.write(text)
    with open(os.path.join(arguments.output, "benchmark.json"), "w", encoding="utf-8") as file:
        json.dump(
            {"machine": machine, "rows": table.rows, "benchmarks": kernels.medians}, file, indent=2
        )
    if arguments.page:
        write_page(arguments.page, text)


if __name__ == "__main__":
    main()

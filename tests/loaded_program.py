"""Runs the program as subprocess.run() does, but by a process that has loaded it, see loaded_program.cc."""

import atexit
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import threading

PROGRAM = os.environ["KICKDRIFT"]


class LoadedProgram:
    """One process that has loaded the program and runs it on demand, one run after the other."""

    def __init__(self, loader):
        self.loader = subprocess.Popen([loader], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        atexit.register(self.loader.communicate)

    def run(self, arguments, folder, environment, timeout):
        with tempfile.TemporaryDirectory() as files:
            out, error = pathlib.Path(files) / "stdout", pathlib.Path(files) / "stderr"
            request = {"arguments": [str(argument) for argument in arguments], "folder": str(folder),
                       "environment": environment, "stdout": str(out), "stderr": str(error)}
            self.loader.stdin.write(json.dumps(request) + "\n")
            self.loader.stdin.flush()
            process = int(self.loader.stdout.readline())
            expired = threading.Event()

            def stop():
                expired.set()
                os.kill(process, signal.SIGKILL)

            timer = threading.Timer(timeout, stop) if timeout else None
            if timer:
                timer.start()
            status = int(self.loader.stdout.readline())
            if timer:
                timer.cancel()
            if expired.is_set():
                raise subprocess.TimeoutExpired([PROGRAM, *arguments], timeout)
            return subprocess.CompletedProcess([PROGRAM, *arguments], status, out.read_text(), error.read_text())


def run(arguments, folder=None, environment=None, timeout=None):
    """Run the program with these arguments; returns subprocess.CompletedProcess with texts."""
    loader = os.environ.get("KICKDRIFT_LOADER")
    # comparisons start the executable file that they are; what is loaded first must be
    if not loader or "--compare" in map(str, arguments) or "LD_PRELOAD" in (environment or {}):
        return subprocess.run([PROGRAM, *map(str, arguments)], cwd=folder, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=timeout, check=False,
                              env={**os.environ, **(environment or {})})
    if not hasattr(run, "loaded"):
        run.loaded = LoadedProgram(loader)
    return run.loaded.run(arguments, folder or os.getcwd(), environment or {}, timeout)

"""Finds a Python that has matplotlib, for plot.py and render.py.

Debian's matplotlib belongs to Debian's Python, which need not be the first one in PATH.
"""

import importlib.util
import os
import subprocess
import sys

PLACES = ("/usr/bin", "/usr/local/bin")  # beside those in PATH
RESTARTED = "KICKDRIFT_PYTHON_FOUND"  # set in the environment, so that no restart follows another


def has_matplotlib(python):
    done = subprocess.run([python, "-c", "import matplotlib"], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, check=False)
    return done.returncode == 0


def use_matplotlib():
    """Return if this Python has matplotlib; otherwise start the script again with one that has.

    Ends the program if there is none.
    """
    if importlib.util.find_spec("matplotlib"):
        return
    folders = [*os.environ.get("PATH", "").split(os.pathsep), *PLACES]
    for python in dict.fromkeys(os.path.join(folder, "python3") for folder in folders if folder):
        if RESTARTED not in os.environ and os.access(python, os.X_OK) and has_matplotlib(python):
            os.environ[RESTARTED] = python
            os.execv(python, [python, *sys.argv])
    sys.exit(f"{os.path.basename(sys.argv[0])}: no Python here has matplotlib "
             "(Debian: apt-get install python3-matplotlib).")

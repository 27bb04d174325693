#!/usr/bin/env python3
"""Make an animation of the volume output of a run of kickdrift, without ParaView.

    animate.py RUN_DIR [--field NAME] [--output FILE.webp|FILE.gif] [options of render.py]

Draws what render.py draws, for every .vtu of RUN_DIR/solution in turn, from the same place and with
the same colours. Any Python will do if one in PATH has matplotlib (Debian: python3-matplotlib).
"""

import argparse
import glob
import io
import os
import sys

from find_matplotlib import use_matplotlib

if __name__ == "__main__":
    use_matplotlib()  # Pillow comes with it

import numpy as np
import render


def fail(message):
    sys.exit(f"animate.py: {message}")


def same_for_all(arguments, frames):
    """Set limits of colours and of what is seen, if they are not given."""
    if arguments.window and arguments.limits:
        return
    windows, values = [], []
    for frame in frames:
        arguments.files = [frame]
        rings, of_frame, _ = render.collect(arguments)
        windows.append(render.extents(rings))
        values.append(of_frame[np.isfinite(of_frame)])
    ends = (np.min, np.max, np.min, np.max)
    arguments.window = arguments.window or [end(w) for end, w in zip(ends, np.transpose(windows))]
    values = np.concatenate(values)
    if arguments.limits is None and len(values):
        arguments.limits = (values.min(), values.max())


def main():
    from PIL import Image

    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("run", metavar="RUN_DIR", help="output folder of a run")
    parser.add_argument("--output", metavar="FILE", help="default: RUN_DIR/animation.webp")
    parser.add_argument("--every", type=int, default=1, help="take every n-th picture (1)")
    parser.add_argument("--last", type=int, help="take only so many of the first pictures")
    parser.add_argument("--rate", type=float, default=12, help="pictures in a second (12)")
    parser.add_argument("--quality", type=int, default=70, help="of WebP, 0 to 100 (70)")
    render.add_options(parser)
    parser.set_defaults(size=(6, 4), dpi=80)
    arguments = parser.parse_args()
    if arguments.every < 1:
        parser.error(f"argument --every: {arguments.every} is below 1")
    frames = sorted(glob.glob(os.path.join(glob.escape(arguments.run), "solution", "*.vtu")))
    frames = frames[: arguments.last][:: arguments.every]
    if not frames:
        fail(f"'{arguments.run}' has no solution/*.vtu: 'Output/VTU every' says how many there are.")
    file = arguments.output or os.path.join(arguments.run, "animation.webp")
    try:
        same_for_all(arguments, frames)
        images = []
        for frame in frames:
            arguments.files, arguments.output = [frame], io.BytesIO()
            render.draw(arguments)
            images.append(Image.open(arguments.output).convert("RGB"))
        options = {} if file.endswith(".gif") else {"quality": arguments.quality, "method": 6}
        images[0].save(file, save_all=True, append_images=images[1:], loop=0,
                       duration=round(1000 / arguments.rate), **options)
    except (OSError, ValueError) as error:
        fail(f"Cannot draw '{file}': {error}.")
    print(file)


if __name__ == "__main__":
    main()

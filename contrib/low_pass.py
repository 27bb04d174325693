"""The low-pass filter of crash tests: Butterworth with four poles and no phase (SAE J211, ISO 6487)."""

import math

# Each of two passes has half of the damping at the frequency that is asked for.
TWO_PASSES = (math.sqrt(2) - 1) ** -0.25


def one_pass(values, w):
    """Two poles, beginning as if the first value had been there for ever. w: tan of half the angle."""
    divisor = 1 + math.sqrt(2) * w + w * w
    a, b, c = w * w / divisor, 2 * (1 - w * w) / divisor, (math.sqrt(2) * w - 1 - w * w) / divisor
    x1 = x2 = y1 = y2 = values[0]
    result = []
    for x in values:
        y = a * (x + 2 * x1 + x2) + b * y1 + c * y2
        x2, x1, y2, y1 = x1, x, y1, y
        result.append(y)
    return result


def interpolated(times, values, wanted):
    """Linear between the times, which rise as those that are wanted do."""
    result, i = [], 0
    for time in wanted:
        while i + 2 < len(times) and times[i + 1] < time:
            i += 1
        share = (time - times[i]) / (times[i + 1] - times[i])
        result.append(values[i] + share * (values[i + 1] - values[i]))
    return result


def low_pass(times, values, frequency):
    """
    The values without what is faster than the frequency [1/time], where an oscillation keeps
    1/sqrt(2) of its amplitude. Channel frequency class n of SAE J211 is 5/3 n in Hz.

    Times may be spaced unevenly: the filter works on values in between. The ends are continued by
    their mirror images. Raises ValueError if the times are too far apart for the frequency.
    """
    if len(times) < 3:
        return list(values)
    interval = sorted(b - a for a, b in zip(times, times[1:]))[len(times) // 2]
    if not 0 < frequency < 0.25 / interval:
        raise ValueError(
            f"a frequency of {frequency:g} cannot be filtered from values {interval:g} apart; "
            f"allowed are numbers above 0 and below {0.25 / interval:.4g}. 'Output/Save intervals' "
            "sets how far apart they are")
    n = max(2, round((times[-1] - times[0]) / interval))
    even = [times[0] + i * (times[-1] - times[0]) / n for i in range(n + 1)]
    samples = interpolated(times, values, even)
    # as long as the filter remembers, or as there is something to mirror
    n_more = min(n, round(6 / (frequency * interval)))
    before = [2 * samples[0] - samples[i] for i in range(n_more, 0, -1)]
    after = [2 * samples[-1] - samples[-1 - i] for i in range(1, n_more + 1)]
    w = math.tan(math.pi * TWO_PASSES * frequency * (times[-1] - times[0]) / n)
    forth = one_pass(before + samples + after, w)
    back = one_pass(forth[::-1], w)[::-1]
    return interpolated(even, back[n_more:n_more + n + 1], times)

"""Measured values as scientists write them."""

import math


def measured_text(value: float | None, error: float | None = None) -> str:
    """`452(17)` for 452 ± 17: the error with two digits, and the value ends where they do.

    Very large and small values have a power of ten. Without an error, 0 or one that is not finite,
    the value has six digits; without a value, it is a dash.
    """
    if value is None or not math.isfinite(value):
        return "–"
    if error is None or not math.isfinite(error) or error == 0.0:
        return f"{value:.6g}"
    error = abs(error)
    largest = math.floor(math.log10(max(abs(value), error)))
    scale = largest if largest < -4 or largest > 6 else 0
    shown, shown_error = value / 10.0**scale, error / 10.0**scale
    decimals = 1 - math.floor(math.log10(shown_error))
    if round(shown_error * 10.0**decimals) >= 100:
        decimals -= 1
    digits = round(shown_error * 10.0**decimals)
    if decimals < 0:
        unit = 10**-decimals
        text = f"{round(shown / unit) * unit}({digits * unit})"
    else:
        text = f"{shown:.{decimals}f}({digits})"
    return text + (f"e{scale:+03d}" if scale else "")

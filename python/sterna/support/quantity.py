"""Numbers with units, as inputs have them."""


def number_and_unit(value: object) -> tuple[float | None, str]:
    """Splits "85 K" into 85 and K; None if the text begins with no number."""
    if isinstance(value, bool):
        return None, ""
    if isinstance(value, (int, float)):
        return value, ""
    number, _, unit = str(value).partition(" ")
    try:
        return float(number), unit.strip()
    except ValueError:
        return None, ""

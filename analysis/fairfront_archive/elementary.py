"""Elementary functions with the bits of the program's own (src/base/elementary.cpp), which follow neither
the C library nor the processor: +, -, *, / and integers alone, in the same order.

Of arrays of float64, of any shape, and of what acts as one (`onnx_values.Tensor`). NaN gives NaN; infinities and overflow
are as in the C standard.
"""

from __future__ import annotations

import numpy as np

ROUNDER = float.fromhex("0x1.8p52")  # added to |v| < 2^51 it rounds v to an integer, in the lowest bits
LN2_HIGH = float.fromhex("0x1.62e42fefa3000p-1")
LN2_LOW = float.fromhex("0x1.3de6af278ece6p-42")
PER_LN2 = float.fromhex("0x1.71547652b82fep+0")
# (e^r - 1 - r - r^2 / 2) / r^3
EXPONENTIAL = tuple(map(float.fromhex, (
    "0x1.5555555555559p-3", "0x1.555555555555ap-5", "0x1.111111110f7bbp-7", "0x1.6c16c16c1460ep-10",
    "0x1.a01a01af8474dp-13", "0x1.a01a01b0421b0p-16", "0x1.71ddf9355b5d4p-19", "0x1.27e4c67cced5dp-22",
    "0x1.af5d4da6d26bbp-26", "0x1.1f9431ce1d4c1p-29")))
# (log(1 + f) - 2 s) / s^3 with s = f / (2 + f)
LOGARITHM = tuple(map(float.fromhex, (
    "0x1.5555555555592p-1", "0x1.999999997fddbp-2", "0x1.24924941ef7c5p-2", "0x1.c71c520a8bd58p-3",
    "0x1.74663eb0ab04fp-3", "0x1.39a1bfd700da5p-3", "0x1.2f0533effc8b0p-3")))
ROOT_HALF = np.uint64(0x3FE6A09E667F3BCD)
EXPONENT_FIELD = np.uint64(0xFFF << 52)
SHIFT = np.uint64(52)
TINY = 2.0 ** -54

Pair = tuple[np.ndarray, np.ndarray]  # high + low, where low is a rounding error of high, or little more


def exp(x: np.ndarray) -> np.ndarray:
    """e^x."""
    with np.errstate(all="ignore"):
        k, r, tail = _split_exponent(_exponent_range(_doubles(x)))
        return _scale(_mantissa(r, tail)[0], k)


def expm1(x: np.ndarray) -> np.ndarray:
    """e^x - 1."""
    with np.errstate(all="ignore"):
        x = _doubles(x)
        result = 2 * _expm1_pair(_exponent_range(x), 0.5)[0]
        return np.where(np.abs(x) < TINY, x, result)


def log(x: np.ndarray) -> np.ndarray:
    """Natural logarithm: -infinity at 0, NaN below."""
    with np.errstate(all="ignore"):
        x = _doubles(x)
        return _log_ends(x, _log_pair(*_split_binary(x), 0.0)[0])


def log1p(x: np.ndarray) -> np.ndarray:
    """log(1 + x)."""
    with np.errstate(all="ignore"):
        x = _doubles(x)
        high, low = _sum(1.0, x)
        result = _log_ends(high, _log_pair(*_split_binary(high), low / high)[0])
        return np.where(np.abs(x) < TINY, x, result)


def tanh(x: np.ndarray) -> np.ndarray:
    """Hyperbolic tangent."""
    with np.errstate(all="ignore"):
        x = _doubles(x)
        size = np.abs(x)
        high, low = _expm1_pair(-2 * np.where(size > 30, 30.0, size), 1.0)
        below = _fast_sum(2.0, high)
        return np.copysign(_quotient((-high, -low), (below[0], below[1] + low))[0], x)


def sigmoid(x: np.ndarray) -> np.ndarray:
    """1 / (1 + e^-x)."""
    with np.errstate(all="ignore"):
        x = _doubles(x)
        k, r, tail = _split_exponent(_exponent_range(-np.abs(x)))
        high, low = _mantissa(r, tail)
        power = _power_of_two(np.where(k < -1000, -1000.0, k))
        below = _fast_sum(1.0, power * high)
        negative = x < 0
        above = np.where(negative, high, 1.0), np.where(negative, low, 0.0)
        share = _quotient(above, (below[0], below[1] + power * low))[0]
        return _scale(share, np.where(negative, k, 0.0))


def _doubles(x: np.ndarray) -> np.ndarray:
    return x if getattr(x, "dtype", None) == np.float64 else np.asarray(x, dtype=np.float64)


def _bits(v: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(v).view(np.uint64).reshape(np.shape(v))


def _from_bits(b: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(b).view(np.float64).reshape(np.shape(b))


def _power_of_two(k: np.ndarray) -> np.ndarray:
    return _from_bits(_bits(k + (ROUNDER + 1023)) << SHIFT) if isinstance(k, (np.ndarray, np.generic)) else k.power_of_two


def _fast_sum(a: np.ndarray | float, b: np.ndarray | float) -> Pair:
    total = a + b
    return total, b - (total - a)


def _sum(a: np.ndarray | float, b: np.ndarray | float) -> Pair:
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def _product(a: np.ndarray, b: np.ndarray) -> Pair:
    splitter = 2.0 ** 27 + 1
    a_high = a * splitter - (a * splitter - a)
    b_high = b * splitter - (b * splitter - b)
    a_low, b_low, high = a - a_high, b - b_high, a * b
    return high, ((a_high * b_high - high) + a_high * b_low + a_low * b_high) + a_low * b_low


def _quotient(n: Pair, d: Pair) -> Pair:
    inverse = 1 / d[0]
    first = n[0] * inverse
    back = _product(first, d[0])
    rest = ((n[0] - back[0]) - back[1]) + (n[1] - first * d[1])
    return _fast_sum(first, rest * inverse)


def _split_exponent(x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """k, r, tail with x = k ln 2 + r + a small c, and tail = e^(r + c) - 1 - r."""
    k = (x * PER_LN2 + ROUNDER) - ROUNDER
    exact = x - k * LN2_HIGH
    rest = k * LN2_LOW - 0.0
    r = exact - rest
    c = (exact - r) - rest
    r2 = r * r
    r4 = r2 * r2
    p12, p34, p56, p78, p910 = (EXPONENTIAL[i] + r * EXPONENTIAL[i + 1] for i in range(0, 10, 2))
    p = (p12 + r2 * p34) + r4 * ((p56 + r2 * p78) + r4 * p910)
    return k, r, 0.5 * r2 + (r * r2 * p + (c + c * r))


def _mantissa(r: np.ndarray, tail: np.ndarray) -> Pair:
    high, low = _fast_sum(1.0, r)
    return _fast_sum(high, low + tail)


def _scale(v: np.ndarray, k: np.ndarray) -> np.ndarray:
    half = (0.5 * k + ROUNDER) - ROUNDER
    return v * _power_of_two(half) * _power_of_two(k - half)


def _exponent_range(x: np.ndarray) -> np.ndarray:
    below = np.where(x > 710.0, 710.0, x)
    return np.where(below < -746.0, -746.0, below)


def _expm1_pair(x: np.ndarray, unit: float) -> Pair:
    """unit (e^x - 1) of a power of 2 `unit`."""
    k, r, tail = _split_exponent(x)
    power = _power_of_two(np.where(k < -100, -100.0, k) - 1) * (2 * unit)
    whole = _sum(power, -unit)
    most = _fast_sum(whole[0], power * r)
    return _fast_sum(most[0], most[1] + (whole[1] + power * tail))


def _split_binary(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """k, f with x = 2^k (1 + f)."""
    if not isinstance(x, (np.ndarray, np.generic)):
        k = x.exponent
        return k, x * (-k).power_of_two - 1
    subnormal = x < np.finfo(np.float64).tiny
    b = _bits(np.where(subnormal, x * 2.0 ** 54, x))
    above = b - ROOT_HALF
    biased = ((above + np.uint64(1024 << 52)) >> SHIFT) | np.uint64(0x4330000000000000)
    k = _from_bits(biased) - (2.0 ** 52 + 1024)
    return np.where(subnormal, k - 54, k), _from_bits(b - (above & EXPONENT_FIELD)) - 1


def _log_pair(k: np.ndarray, f: np.ndarray, low: np.ndarray | float) -> Pair:
    half = 0.5 * f * f
    s = f / (2 + f)
    z = s * s
    z2 = z * z
    q12, q34, q56 = (LOGARITHM[i] + z * LOGARITHM[i + 1] for i in range(1, 7, 2))
    q = z * (LOGARITHM[0] + z * (q12 + z2 * (q34 + z2 * q56)))
    most = _fast_sum(k * LN2_HIGH, f)
    rest = (s * (half + q) - half) + (k * LN2_LOW + low)
    return _fast_sum(most[0], most[1] + rest)


def _log_ends(x: np.ndarray, value: np.ndarray) -> np.ndarray:
    above = np.where(x < np.inf, value, x)
    at_zero = np.where(x == 0, -np.inf, above)
    return np.where(x < 0, np.nan, at_zero)

"""Symmetric positive definite matrices as lists of rows, without numpy."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from operator import mul
from typing import Final, TypeAlias

Vector: TypeAlias = list[float]
Matrix: TypeAlias = list[list[float]]

SMALLEST: Final = 1e-12
"""The smallest square of a diagonal number, where rounding would make it zero or negative."""


def dot(one: Sequence[float], other: Sequence[float]) -> float:
    return float(sum(map(mul, one, other)))


def zeros(size: int) -> Matrix:
    return [[0.0] * size for _ in range(size)]


def cholesky(matrix: Matrix) -> Matrix:
    """Return the rows of the lower triangle L with L Lᵀ = matrix; row i has i + 1 numbers."""
    rows: Matrix = []
    for at, line in enumerate(matrix):
        row: Vector = []
        for before, other in enumerate(rows):
            row.append((line[before] - dot(row, other)) / other[before])
        row.append(sqrt(max(line[at] - dot(row, row), SMALLEST)))
        rows.append(row)
    return rows


def solution(lower: Matrix, right: Sequence[float]) -> Vector:
    """Return x with L Lᵀ x = right."""
    forward: Vector = []
    for row, value in zip(lower, right, strict=True):
        forward.append((value - dot(row, forward)) / row[-1])
    result = forward
    for at in range(len(lower) - 1, -1, -1):
        row = lower[at]
        result[at] = value = result[at] / row[at]
        for before in range(at):
            result[before] -= row[before] * value
    return result


def inverse(lower: Matrix) -> Matrix:
    """Return the inverse of L Lᵀ."""
    # the columns of the inverse of L, each from its diagonal on
    columns: Matrix = []
    for at in range(len(lower)):
        column = [1 / lower[at][at]]
        for row in lower[at + 1 :]:
            column.append(-dot(row[at:], column) / row[-1])
        columns.append(column)
    size = len(lower)
    result = zeros(size)
    for one in range(size):
        for other in range(one, size):
            # both columns, from the diagonal of the later one on
            result[one][other] = result[other][one] = dot(columns[one][other - one :], columns[other])
    return result

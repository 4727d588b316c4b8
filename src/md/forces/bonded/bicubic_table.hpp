#pragma once

#include <span>
#include <vector>

namespace sterna::md {

/// Coefficients of the smooth periodic surface through a square table of values, as CHARMM and
/// OpenMM make it: slopes at the points are those of periodic cubic splines along rows and columns,
/// and between four points lies a bicubic polynomial (MacKerell, Feig and Brooks, J. Comput. Chem.
/// 25, 1400 (2004)).
///
/// `values`: row by row, as many rows as columns, at least three. The first number of the result is
/// the number of rows. 16 numbers for each cell follow, row by row. Of these, number 4 m + n is the
/// coefficient of t^m u^n. In a cell t goes from 0 to 1 toward the next row, u toward the next
/// column.
std::vector<double> bicubic_table(std::span<const double> values);

}  // namespace sterna::md

/// @file
/// Labels: from the cells of a column to 0 and 1, classes or real numbers.
#pragma once

#include <string>
#include <vector>

#include "data/catalogue/catalogue.hpp"
#include "data/comparison.hpp"
#include "data/raw_table.hpp"

namespace fairfront::data {

/// Labels that are numbers. Two distinct values are binary, the lesser one 0, unless `choice` says
/// otherwise.
/// @param place  file and column, for messages.
/// @throws base::InputError  a single value, or too many for `choice`.
void set_label(RawTable& raw, std::vector<double> values, TargetChoice choice,
               const std::string& place);

/// Labels that are names or numbers in a column, through the label_map or the positive values of
/// the task if there are any.
void set_label(RawTable& raw, Category cells, const SupervisedTask& task, const std::string& place);

/// 1 where the column passes the test.
void set_label(RawTable& raw, std::vector<double> values, const ColumnTest& test);

/// Divides real labels. @throws base::InputError  the labels are not real.
void divide_label(RawTable& raw, double divisor);

}  // namespace fairfront::data

/// @file
/// The fields of data sets, for base::PageWriter and base::PageReader: what ranks of a node share.
/// A field that is added and not named here does not compile.
#pragma once

#include "base/shared_pages.hpp"
#include "data/dataset.hpp"
#include "data/raw_table.hpp"
#include "data/supervised.hpp"

namespace fairfront::data {

template <class Pages, base::IsOf<Provenance> S>
void walk_fields(Pages& pages, S& provenance) {
  auto& [name, source, files, sha256, file_rows, recipe, digest, fitted] = provenance;
  pages(name, source, files, sha256, file_rows, recipe, digest, fitted);
}

template <class Pages, base::IsOf<Attribute> S>
void walk_fields(Pages& pages, S& attribute) {
  auto& [name, code, levels] = attribute;
  pages(name, code, levels);
}

template <class Pages, base::IsOf<Dataset> S>
void walk_fields(Pages& pages, S& set) {
  auto& [rows, columns, features, feature_names, group, group_names, attributes, label, split,
         split_names, provenance] = set;
  pages(rows, columns, features, feature_names, group, group_names, attributes, label, split,
        split_names, provenance);
}

template <class Pages, base::IsOf<Split> S>
void walk_fields(Pages& pages, S& split) {
  auto& [train, validation, test, choice, digest, lacking, of_training] = split;
  pages(train, validation, test, choice, digest, lacking, of_training);
}

template <class Pages, base::IsOf<Affine> S>
void walk_fields(Pages& pages, S& affine) {
  auto& [shift, divisor] = affine;
  pages(shift, divisor);
}

template <class Pages, base::IsOf<FittedColumn> S>
void walk_fields(Pages& pages, S& column) {
  auto& [name, categorical, log1p, filler, scale, place, levels, places, set, filler_level] =
      column;
  pages(name, categorical, log1p, filler, scale, place, levels, places, set, filler_level);
}

template <class Pages, base::IsOf<FittedPreparation> S>
void walk_fields(Pages& pages, S& fitted) {
  auto& [columns, unset, uses_group, group, unit_rows, missing, missing_cells] = fitted;
  pages(columns, unset, uses_group, group, unit_rows, missing, missing_cells);
}

template <class Pages, base::IsOf<LabelTransform> S>
void walk_fields(Pages& pages, S& transform) {
  auto& [log1p, scale, divisor] = transform;
  pages(log1p, scale, divisor);
}

template <class Pages, base::IsOf<GroupRule> S>
void walk_fields(Pages& pages, S& rule) {
  auto& [text, levels, names, others] = rule;
  pages(text, levels, names, others);
}

template <class Pages, base::IsOf<PreparationCounts> S>
void walk_fields(Pages& pages, S& counts) {
  auto& [filled, unseen_levels] = counts;
  pages(filled, unseen_levels);
}

template <class Pages, base::IsOf<SupervisedSet> S>
void walk_fields(Pages& pages, S& all) {
  auto& [set, split, target, class_names, scaling, fitted, label_transform, group_rules, counts,
         warnings] = all;
  pages(set, split, target, class_names, scaling, fitted, label_transform, group_rules, counts,
        warnings);
}

template <class Pages, base::IsOf<Category> S>
void walk_fields(Pages& pages, S& category) {
  auto& [codes, levels, first_line] = category;
  pages(codes, levels, first_line);
}

template <class Pages, base::IsOf<RawColumn> S>
void walk_fields(Pages& pages, S& column) {
  auto& [name, categorical, numbers, names] = column;
  pages(name, categorical, numbers, names);
}

template <class Pages, base::IsOf<SparseRows> S>
void walk_fields(Pages& pages, S& sparse) {
  auto& [columns, offsets, index, value] = sparse;
  pages(columns, offsets, index, value);
}

template <class Pages, base::IsOf<PreparationOptions> S>
void walk_fields(Pages& pages, S& options) {
  auto& [scaling, scale_indicators, row_scaling, one_hot, log1p, label_scaling, group_feature] =
      options;
  pages(scaling, scale_indicators, row_scaling, one_hot, log1p, label_scaling, group_feature);
}

template <class Pages, base::IsOf<RawTable> S>
void walk_fields(Pages& pages, S& table) {
  auto& [rows, columns, sparse, group, group_names, attributes, group_rules, target, label_name,
         label, label_divisor, class_names, file, part_column, missing, missing_cells, paper,
         warnings, provenance] = table;
  pages(rows, columns, sparse, group, group_names, attributes, group_rules, target, label_name,
        label, label_divisor, class_names, file, part_column, missing, missing_cells, paper,
        warnings, provenance);
}

}  // namespace fairfront::data

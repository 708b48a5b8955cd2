/// @file
/// The fields of a part, for base::PageWriter and base::PageReader: what ranks of a node share. A
/// field that is added and not named here does not compile.
#pragma once

#include "base/shared_pages.hpp"
#include "solvers/training/problem.hpp"

namespace fairfront::training {

template <class Pages, base::IsOf<Part> S>
void walk_fields(Pages& pages, S& part) {
  auto& [rows, cell, of_cell] = part;
  pages(rows, cell, of_cell);
}

}  // namespace fairfront::training

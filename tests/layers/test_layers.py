"""Runs the layer rules on this tree, and each rule on a small tree that breaks it."""

from __future__ import annotations

import os
import pathlib
import tempfile
import unittest

import layers

ROOT = pathlib.Path(__file__).resolve().parents[2]
# CMake knows where MPI's and HDF5's headers are; see CMakeLists.txt here.
COMPILER = os.environ.get("FAIRFRONT_CXX", "c++")
INCLUDE_DIRS = [folder for folder in os.environ.get("FAIRFRONT_INCLUDE_DIRS", "").split(":")
                if folder]


class ThisTree(unittest.TestCase):
    def assert_clean(self, problems: list[str]) -> None:
        self.assertFalse(problems, "\n" + "\n".join(problems))

    def test_there_is_something_to_check(self) -> None:
        self.assertGreater(len(layers.sources(ROOT / "src")), 20)

    def test_includes_point_only_to_the_same_or_an_earlier_layer(self) -> None:
        self.assert_clean(layers.check_includes(ROOT))

    def test_only_the_parallel_layer_and_main_call_mpi(self) -> None:
        self.assert_clean(layers.check_mpi(ROOT))

    def test_only_the_archive_layer_calls_hdf5(self) -> None:
        self.assert_clean(layers.check_hdf5(ROOT))

    def test_only_one_header_includes_eigen(self) -> None:
        self.assert_clean(layers.check_eigen(ROOT))

    def test_only_drivers_print_or_end_the_process(self) -> None:
        self.assert_clean(layers.check_printing(ROOT))

    def test_nothing_is_shared_by_volatile(self) -> None:
        self.assert_clean(layers.check_volatile(ROOT))

    def test_only_our_own_elementary_functions_are_called(self) -> None:
        self.assert_clean(layers.check_elementary_functions(ROOT))

    def test_every_header_compiles_alone(self) -> None:
        self.assert_clean(layers.check_headers_alone(ROOT, COMPILER, INCLUDE_DIRS))

    def test_cmake_declares_the_layers_in_the_same_order(self) -> None:
        folders = [name.split("/")[0] for name in layers.cmake_layers(ROOT)]
        self.assertEqual(folders, sorted(folders, key=layers.LAYERS.index))


class BadTrees(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for layer in layers.LAYERS:
            (self.root / "src" / layer).mkdir(parents=True)

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def test_an_include_of_a_later_layer_is_found(self) -> None:
        self.write("src/sweep/run.hpp", "")
        self.write("src/base/text.hpp", '#pragma once\n#include "sweep/run.hpp"\n')
        self.assertEqual(layers.check_includes(self.root),
                         ["src/base/text.hpp:2: base may not include sweep/run.hpp"])

    def test_an_include_of_an_earlier_or_the_same_layer_is_fine(self) -> None:
        self.write("src/base/text.hpp", "")
        self.write("src/sweep/run.hpp", '#include "base/text.hpp"\n#include <vector>\n')
        self.write("src/sweep/run.cpp", '#include "sweep/run.hpp"\n')
        self.assertEqual(layers.check_includes(self.root), [])

    def test_a_layer_may_have_folders_and_these_have_none(self) -> None:
        self.write("src/data/readers/csv.hpp", "")
        self.write("src/data/table.cpp", '#include "data/readers/csv.hpp"\n')
        self.write("src/solvers/ranking/exact/step.hpp", "")
        self.assertEqual(layers.check_includes(self.root), [])
        self.write("src/data/readers/csv/scanner.hpp", "")
        self.assertEqual(layers.check_includes(self.root),
                         ["src/data/readers/csv/scanner.hpp: not in the folder of a layer"])

    def test_calls_of_the_c_librarys_elementary_functions_are_found(self) -> None:
        offenders = ("double y = std::exp(x);", "return log(x);", "y = 2 * ::tanh(x);",
                     "sum += pow(x, 2.0) + 1;", "std::transform(a, b, c, std :: cosf);",
                     "y = __builtin_sin(x);", "y = x.array().exp();", "y = x.array().pow(3);",
                     "std::normal_distribution<double> d;", "y = -std::lgamma(x);",
                     "double f(double x) { return x > 0 ? log1p(x) : erfc(x); }")
        for code in offenders:
            with self.subTest(code=code):
                self.write("src/models/loss.hpp", f"\n{code}\n")
                found = layers.check_elementary_functions(self.root)
                self.assertEqual(len(found), 1 + code.count("erfc"), found)
                self.assertTrue(found[0].startswith("src/models/loss.hpp:2: "), found)

    def test_our_own_elementary_functions_are_fine(self) -> None:
        self.write("src/base/elementary.cpp", "double exp(double x) { return std::exp(x); }\n")
        self.write("src/models/loss.hpp", "// std::exp(x)\ny = base::exp(x) + std::sqrt(x);\n"
                   "JournalWriter log(file); log.append(1); double log() const; level::log;\n"
                   "y = explain(x) + fairfront::base::log(x) + std::log_like;\n")
        self.assertEqual(layers.check_elementary_functions(self.root), [])

    def test_families_of_solvers_share_only_solvers_common(self) -> None:
        self.write("src/solvers/common/step.hpp", "")
        self.write("src/solvers/ranking/rank.hpp", '#include "solvers/common/step.hpp"\n')
        self.write("src/solvers/clustering/a.hpp", '#include "solvers/ranking/rank.hpp"\n')
        self.write("src/solvers/common/b.hpp", '#include "solvers/ranking/rank.hpp"\n')
        self.assertEqual(layers.check_includes(self.root), [
            "src/solvers/clustering/a.hpp:1: solvers/clustering may not include "
            "solvers/ranking/rank.hpp",
            "src/solvers/common/b.hpp:1: solvers/common may not include "
            "solvers/ranking/rank.hpp"])

    def test_ways_around_the_include_rule_are_found(self) -> None:
        self.write("src/parallel/comm.hpp", "")
        self.write("src/base/a.hpp", "#include <parallel/comm.hpp>\n")
        self.write("src/base/b.hpp", '#include "../parallel/comm.hpp"\n')
        self.write("src/parallel/c.hpp", '#include "comm.hpp"\n')
        self.write("src/util/d.hpp", "")
        self.write("src/e.hpp", "")
        self.assertEqual(len(layers.check_includes(self.root)), 5)

    def test_a_commented_include_does_not_count(self) -> None:
        self.write("src/sweep/run.hpp", "")
        self.write("src/base/text.hpp", '// #include "sweep/run.hpp"\n')
        self.assertEqual(layers.check_includes(self.root), [])

    def test_mpi_outside_the_parallel_layer_is_found(self) -> None:
        self.write("src/parallel/comm.cpp", "#include <mpi.h>\nvoid f() { MPI_Barrier(c); }\n")
        self.write("drivers/main.cpp", "int main() { MPI_Comm c; }\n")
        self.write("src/sweep/run.hpp", "\n\nvoid run(MPI_Comm comm);\n")
        self.write("drivers/run.cpp", "#include <mpi.h>\n")
        rule = "only src/parallel and drivers/main.cpp call MPI"
        self.assertEqual(layers.check_mpi(self.root),
                         [f"src/sweep/run.hpp:3: MPI_Comm; {rule}",
                          f"drivers/run.cpp:1: mpi.h; {rule}"])

    def test_hdf5_outside_the_archive_layer_is_found(self) -> None:
        self.write("src/archive/file.cpp", "#include <hdf5.h>\nhid_t f() { return H5Fopen(); }\n")
        self.write("src/sweep/run.cpp", "void f() { H5Fopen(name); }\n")
        self.write("drivers/show.cpp", "#include <hdf5.h>\n")
        self.assertEqual(len(layers.check_hdf5(self.root)), 2)

    def test_eigen_past_the_header_that_fixes_its_cache_sizes_is_found(self) -> None:
        self.write("src/optimise/eigen.hpp", "#include <Eigen/Dense>\n")
        self.write("src/models/fit.cpp", "#include <Eigen/QR>\n")
        self.write("src/solvers/ranking/exact.cpp", '#include "optimise/eigen.hpp"\n')
        problems = layers.check_eigen(self.root)
        self.assertEqual([problem.split(":")[0] for problem in problems], ["src/models/fit.cpp"])

    def test_printing_and_ending_the_process_is_found(self) -> None:
        for call in ('std::cout << 1;', 'std::cerr << 1;', 'std::printf("x");', 'printf("x");',
                     'fmt::print("x");', 'std::fputs("x", stdout);', 'fmt::print(stderr, "x");',
                     'std::exit(1);', 'exit(1);', 'std::abort();', 'abort();', 'puts("x");',
                     'std::terminate();', '::_exit(1);'):
            with self.subTest(call):
                self.write("src/sweep/run.cpp", f"void f() {{ {call} }}\n")
                self.assertTrue(layers.check_printing(self.root))

    def test_words_in_comments_texts_and_longer_names_are_not_printing(self) -> None:
        self.write("src/sweep/run.cpp", '''
            // std::cout << 1; exit(1)
            /* printf("x")
               abort() */
            auto text = "std::cerr \\" abort() " + std::string(1, '"') + "exit(1)";
            auto raw = R"x(std::cout " )x" ; auto big = 1'000'000; char c = '\\'';
            int n = std::snprintf(buffer, 3, "%d", error.exit_code()); job.abort();
        ''')
        self.assertEqual(layers.check_printing(self.root), [])

    def test_a_header_that_needs_another_include_first_is_found(self) -> None:
        self.write("src/base/good.hpp", "#pragma once\n#include <string>\nstd::string name();\n")
        self.write("src/base/lame.hpp", "#pragma once\nstd::string name();\n")
        self.write("src/base/unguarded.hpp", "struct Unguarded {};\n")
        problems = layers.check_headers_alone(self.root, COMPILER, [])
        self.assertEqual([problem.split(":")[0] for problem in problems],
                         ["src/base/unguarded.hpp", "src/base/lame.hpp"])

    def test_a_header_that_needs_what_another_brings_is_found_wherever_it_stands(self) -> None:
        """Also where one that includes it, or that it includes, is compiled with it."""
        self.write("src/base/first.hpp", "#pragma once\n#include <string>\nstd::string first();\n")
        self.write("src/base/lame.hpp", '#pragma once\n#include "base/first.hpp"\nstd::vector<int> all();\n')
        self.write("src/base/last.hpp", '#pragma once\n#include <vector>\n#include "base/lame.hpp"\n')
        self.assertEqual(layers.chains(self.root, {"base/last.hpp", "base/lame.hpp", "base/first.hpp"}),
                         [["base/first.hpp", "base/lame.hpp", "base/last.hpp"]])
        problems = layers.check_headers_alone(self.root, COMPILER, [])
        self.assertEqual([problem.split(":")[0] for problem in problems], ["src/base/lame.hpp"])

    def test_what_a_unit_includes_first_is_compiled_by_the_build(self) -> None:
        """Before its own includes: behind others a header may find what it lacks."""
        lame = "#pragma once\nstd::string name();\n"
        for name in ("first", "second"):
            self.write(f"src/base/{name}.hpp", lame)
        self.write("src/base/first.cpp", '// "base/second.hpp"\n#include "base/first.hpp"\n'
                                         '#include "base/second.hpp"\n')
        self.write("tests/base/second_test.cpp", '#include <string>\n#include "base/second.hpp"\n')
        problems = layers.check_headers_alone(self.root, COMPILER, [])
        self.assertEqual([problem.split(":")[0] for problem in problems], ["src/base/second.hpp"])


if __name__ == "__main__":
    unittest.main()

"""Checks that the source tree keeps to its layers (see the order of the layers in CMakeLists.txt).

Each rule is a function that returns the places that break it, as "file:line: reason".
"""

from __future__ import annotations

import concurrent.futures
import os
import pathlib
import re
import subprocess
from collections.abc import Iterator

# A layer may include itself and those before it. The families of solvers may not include each
# other, except what they share in solvers/common.
LAYERS = ("base", "pareto", "parallel", "data", "optimise", "models", "metrics", "solvers",
          "results", "journal", "archive", "config", "sweep", "experiments")

MPI = re.compile(r"\bMPI_\w+")
HDF5 = re.compile(r"\bH5[A-Z]{1,2}\w+|\bhid_t\b|\bherr_t\b")
PRINTS_OR_ENDS = re.compile(
    r"\bstd::(?:cout|cerr|clog|wcout|wcerr)\b|\bstd(?:out|err)\b|\bSTD(?:OUT|ERR)_FILENO\b"
    r"|\b(?:v?printf|puts|putchar|perror|fmt::print(?:ln)?)\s*\("
    r"|(?<![\w.>])(?:_?exit|_Exit|quick_exit|abort|terminate)\s*\(")
VOLATILE = re.compile(r"\bvolatile\b")
# Functions of the C library that it may choose by the processor, in every way to name them: of the
# standard library, as a builtin, plain or behind ::, and as Eigen's members without argument, which
# call them for what does not fill a vector. The distributions of <random> call them too.
TRANSCENDENTAL = (r"(?:exp|exp2|exp10|expm1|log|log2|log10|log1p|pow|a?sinh?|a?cosh?|a?tanh?|atan2"
                  r"|sincos|hypot|cbrt|erfc?|[lt]gamma)[fl]?")
LIBRARY_FUNCTION = re.compile(
    rf"\bstd\s*::\s*(?:{TRANSCENDENTAL}|\w+_distribution)\b|\b__builtin_{TRANSCENDENTAL}\b"
    rf"|(?<![\w>])::\s*{TRANSCENDENTAL}\b|(?:\.|->)\s*(?:{TRANSCENDENTAL}\s*\(\s*\)|pow\s*\()"
    rf"|(?<![\w.:])(?<!->)(?P<plain>{TRANSCENDENTAL})\s*\(")
# Before the plain name of a call; any other word there makes it the declaration of something else.
BEFORE_A_CALL = ("return", "else", "do", "case", "throw", "co_return", "co_yield", "not", "and", "or")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
# Comments and literals; the raw string comes first, since it may hold any of the others.
NOT_CODE = re.compile(r'R"(?P<mark>[^()\s]*)\(.*?\)(?P=mark)"|//[^\n]*|/\*.*?\*/'
                      r'|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)


def sources(folder: pathlib.Path) -> list[pathlib.Path]:
    return sorted(path for path in folder.rglob("*") if path.suffix in (".hpp", ".cpp"))


def without(pattern: re.Pattern[str], text: str) -> str:
    """Blanks what matches but keeps the lines, so that positions stay true."""
    return pattern.sub(lambda match: "\n" * match[0].count("\n"), text)


def code_of(path: pathlib.Path) -> str:
    return without(NOT_CODE, path.read_text(encoding="utf-8"))


def place(root: pathlib.Path, path: pathlib.Path, text: str, position: int) -> str:
    return f"{path.relative_to(root)}:{text.count(chr(10), 0, position) + 1}"


def includes(root: pathlib.Path, path: pathlib.Path) -> Iterator[tuple[str, str, str]]:
    """Where, kind ('<' or '"') and name of every include that is not commented out."""
    comments = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
    text = without(comments, path.read_text(encoding="utf-8"))
    for match in INCLUDE.finditer(text):
        yield place(root, path, text, match.start(2) - 1), match[1], match[2]


def may_include(user: pathlib.PurePath, used: pathlib.PurePath) -> bool:
    """Both relative to src, both in a known layer."""
    mine, other = LAYERS.index(user.parts[0]), LAYERS.index(used.parts[0])
    if mine == other and user.parts[0] == "solvers":
        return used.parts[1] in (user.parts[1], "common")
    return other <= mine


def check_includes(root: pathlib.Path) -> list[str]:
    source_dir = root / "src"
    problems = []
    for path in sources(source_dir):
        user = path.relative_to(source_dir)
        depth = 2 + (user.parts[0] == "solvers")  # a layer may have folders, but these have none
        if user.parts[0] not in LAYERS or not depth <= len(user.parts) <= depth + 1:
            problems.append(f"src/{user}: not in the folder of a layer")
            continue
        for where, kind, name in includes(root, path):
            used = pathlib.PurePosixPath(name)
            if not (source_dir / used).is_file():
                if kind == '"':
                    problems.append(f'{where}: "{name}" is no file below src')
            elif kind == "<":
                problems.append(f"{where}: <{name}> is ours and takes quotes")
            elif used.parts[0] not in LAYERS or not may_include(user, used):
                problems.append(f"{where}: {user.parent} may not include {name}")
    return problems


def find_code(root: pathlib.Path, pattern: re.Pattern[str], folders: tuple[str, ...],
              allowed: tuple[str, ...], rule: str) -> list[str]:
    """Matches in code below `folders`, except in files whose path starts with one of `allowed`."""
    problems = []
    for folder in folders:
        for path in sources(root / folder):
            if path.relative_to(root).as_posix().startswith(allowed):
                continue
            text = code_of(path)
            problems += [f"{place(root, path, text, match.start())}: {match[0].strip()}; {rule}"
                         for match in pattern.finditer(text)]
    return problems


def find_include(root: pathlib.Path, pattern: str, folders: tuple[str, ...],
                 allowed: tuple[str, ...], rule: str) -> list[str]:
    return [f"{where}: {name}; {rule}"
            for folder in folders for path in sources(root / folder)
            if not path.relative_to(root).as_posix().startswith(allowed)
            for where, _, name in includes(root, path) if re.fullmatch(pattern, name)]


def check_mpi(root: pathlib.Path) -> list[str]:
    rule = "only src/parallel and drivers/main.cpp call MPI"
    # build_info.cpp calls nothing: it reads the version numbers in mpi.h.
    allowed = ("src/parallel/", "drivers/main.cpp", "drivers/build_info.cpp")
    where = (("src", "drivers"), allowed, rule)
    return find_code(root, MPI, *where) + find_include(root, r"mpi\.h", *where)


def check_hdf5(root: pathlib.Path) -> list[str]:
    where = (("src", "drivers"), ("src/archive/",), "only src/archive calls HDF5")
    return find_code(root, HDF5, *where) + find_include(root, r"hdf5.*\.h|H5\w*\.h", *where)


def check_eigen(root: pathlib.Path) -> list[str]:
    return find_include(root, r"(?:unsupported/)?Eigen/.*", ("src", "drivers"),
                        ("src/optimise/eigen.hpp",),
                        "only src/optimise/eigen.hpp includes Eigen: it fixes what depends on caches")


def check_printing(root: pathlib.Path) -> list[str]:
    return find_code(root, PRINTS_OR_ENDS, ("src",), (),
                     "only drivers print or end the process")


def check_volatile(root: pathlib.Path) -> list[str]:
    return find_code(root, VOLATILE, ("src", "drivers"), (),
                     "threads and signal handlers share std::atomic")


def check_elementary_functions(root: pathlib.Path) -> list[str]:
    """Bits must not depend on the processor; see src/base/elementary.hpp."""
    problems = []
    for path in sources(root / "src"):
        if path.relative_to(root).as_posix().startswith("src/base/elementary."):
            continue
        text = code_of(path)
        for match in LIBRARY_FUNCTION.finditer(text):
            word = re.search(r"([A-Za-z_]\w*)\s*$", text[:match.start()])
            if match["plain"] and word and word[1] not in BEFORE_A_CALL:
                continue
            problems.append(f"{place(root, path, text, match.start())}: {match[0].strip()}; "
                            "only base/elementary.hpp has the same bits on every processor")
    return problems


def included_first(root: pathlib.Path) -> set[str]:
    """Headers that a unit includes before anything else: the build compiles them alone."""
    found = set()
    for folder in ("src", "drivers", "tests"):
        for path in sources(root / folder) if (root / folder).is_dir() else []:
            first = next(includes(root, path), None) if path.suffix == ".cpp" else None
            if first is not None and first[1] == '"':
                found.add(first[2])
    return found


def own_includes(root: pathlib.Path, header: str, found: set[str]) -> set[str]:
    """Adds all headers below src that this one includes, and they include, to `found`."""
    for _, kind, name in includes(root, root / "src" / header):
        if kind == '"' and name not in found and (root / "src" / name).is_file():
            found.add(name)
            own_includes(root, name, found)
    return found


def chains(root: pathlib.Path, headers: set[str]) -> list[list[str]]:
    """Lists of headers, each of which includes the one before it, if by others.

    Behind that one it sees what its own includes bring anyway: both are compiled alone at once.
    """
    brought = {name: own_includes(root, name, set()) for name in headers}
    made: list[list[str]] = []
    for name in sorted(headers, key=lambda name: (len(brought[name]), name)):
        fitting = [chain for chain in made if chain[-1] in brought[name]]
        if fitting:
            max(fitting, key=lambda chain: len(brought[chain[-1]])).append(name)
        else:
            made.append([name])
    return made


def check_headers_alone(root: pathlib.Path, compiler: str, include_dirs: list[str]) -> list[str]:
    """Every header is the first thing in some unit of the build, or is compiled here as the only one."""
    command = [compiler, "-std=c++20", "-fsyntax-only", "-DOMPI_SKIP_MPICXX", f"-I{root / 'src'}",
               *(f"-isystem{folder}" for folder in include_dirs), "-x", "c++", "-"]

    def compile_alone(chain: list[str]) -> list[str]:
        result = subprocess.run(command, input="".join(f'#include "{name}"\n' for name in chain), text=True,
                                capture_output=True, check=False)
        if result.returncode == 0:
            return []
        if len(chain) > 1:  # which one?
            return [problem for name in chain for problem in compile_alone([name])]
        first = next((line for line in result.stderr.splitlines() if "error" in line), "")
        return [f"src/{chain[0]}: does not compile alone: {first}"]

    headers = {path.relative_to(root / "src").as_posix(): path for path in sources(root / "src")
               if path.suffix == ".hpp"}
    problems = [f"src/{name}: has no #pragma once" for name, path in headers.items()
                if not re.search(r"^#pragma once$", code_of(path), re.MULTILINE)]
    rest = chains(root, headers.keys() - included_first(root))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return problems + [problem for found in pool.map(compile_alone, rest) for problem in found]


def cmake_layers(root: pathlib.Path) -> list[str]:
    """The layers in the order in which CMakeLists.txt declares them."""
    text = (root / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.findall(r"^fairfront_layer\((\S+)", text, re.MULTILINE)

# cmake --install: the program with its pages for man and its completion for shells, the libraries
# with their headers for find_package(fairfront), and what the archives are read with.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS fairfront RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

# One target per layer, fairfront::base to fairfront::experiments, and fairfront::fairfront for all.
get_property(layers GLOBAL PROPERTY FAIRFRONT_LAYERS)
add_library(fairfront_all INTERFACE)
set_target_properties(fairfront_all PROPERTIES EXPORT_NAME fairfront)
target_link_libraries(fairfront_all INTERFACE fairfront_experiments)
set_target_properties(fairfront_flags PROPERTIES EXPORT_NAME flags)
install(TARGETS fairfront_all fairfront_flags ${layers} EXPORT fairfront
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}/fairfront)

# What programs of others include, as <fairfront/pareto/front.hpp>; all other headers may change in
# any version. The list has what its headers include, too, and fairfront/fairfront.hpp has them all.
set(public_headers
    archive/archive.hpp
    base/double_double.hpp
    base/error.hpp
    base/options.hpp
    base/quantity.hpp
    base/random.hpp
    base/stop.hpp
    base/wide_integer.hpp
    data/dataset.hpp
    models/rows.hpp
    models/soft_prediction.hpp
    optimise/box.hpp
    optimise/eigen.hpp
    optimise/quadratic_bounds.hpp
    pareto/front.hpp
    pareto/hypervolume.hpp
    pareto/indicators.hpp
    results/choice.hpp
    results/content.hpp
    results/digest.hpp
    results/merged_fronts.hpp
    results/point_measures.hpp
    results/task_record.hpp
    solvers/alternating/epsilon_constraint.hpp
    solvers/alternating/problem.hpp
    solvers/clustering/attributes.hpp
    solvers/clustering/balance_ladder.hpp
    solvers/clustering/centres.hpp
    solvers/clustering/clustering.hpp
    solvers/clustering/partition.hpp
    solvers/clustering/problem.hpp
    solvers/common/control.hpp
    solvers/ranking/exact_auc.hpp
    solvers/ranking/linear_scores.hpp
    solvers/ranking/pair_loss.hpp
    solvers/regression/certificate.hpp
    solvers/regression/dual.hpp
    solvers/regression/optimum.hpp
    solvers/regression/parity_dual.hpp)
set(includes ${public_headers})
list(TRANSFORM includes REPLACE "(.+)" "#include \"\\1\"\n")
list(JOIN includes "" includes)
file(CONFIGURE OUTPUT fairfront.hpp @ONLY CONTENT
"/// @file
/// All public headers of fairfront.
#pragma once

@includes@")
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/fairfront.hpp DESTINATION include/fairfront)
foreach(header IN LISTS public_headers)
  cmake_path(GET header PARENT_PATH folder)
  install(FILES ${PROJECT_SOURCE_DIR}/src/${header} DESTINATION include/fairfront/${folder})
endforeach()

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/fairfront)
install(EXPORT fairfront NAMESPACE fairfront:: FILE fairfront-targets.cmake DESTINATION ${package})
configure_package_config_file(cmake/fairfront-config.cmake.in fairfront-config.cmake
                              INSTALL_DESTINATION ${package} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(fairfront-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/fairfront-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/fairfront-config-version.cmake DESTINATION ${package})

# The program describes itself, so pages and completion never lag behind its help.
install(CODE "set(program \"$<TARGET_FILE:fairfront>\")
set(man \"${CMAKE_INSTALL_FULL_MANDIR}/man1\")
set(data \"${CMAKE_INSTALL_FULL_DATADIR}\")
set(default_prefix \"${CMAKE_INSTALL_PREFIX}\")")
install(SCRIPT cmake/describe_program.cmake)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/configs ${PROJECT_SOURCE_DIR}/jobs
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fairfront USE_SOURCE_PERMISSIONS)
install(FILES ${PROJECT_SOURCE_DIR}/src/data/catalogue/catalogue.ini
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fairfront/jobs)
# The Python library and the programs that draw: pip install PREFIX/share/fairfront/analysis.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/analysis DESTINATION ${CMAKE_INSTALL_DATADIR}/fairfront
        USE_SOURCE_PERMISSIONS PATTERN "test_*" EXCLUDE PATTERN __pycache__ EXCLUDE
        PATTERN *.egg-info EXCLUDE PATTERN axe-core EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/doc/ DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES README.md LICENSE CHANGELOG.md CITATION.cff CONTRIBUTING.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR})

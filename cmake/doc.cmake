# `ninja doc`: pages of every public header by Doxygen, in doc/api of the build folder. A warning is
# an error: a parameter without its name, a reference that leads nowhere.
find_package(Doxygen)
if(DOXYGEN_FOUND)
  set(DOXYGEN_SOURCE ${PROJECT_SOURCE_DIR})
  set(DOXYGEN_OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/doc/api)
  file(MAKE_DIRECTORY ${DOXYGEN_OUTPUT})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/Doxyfile.in ${CMAKE_CURRENT_BINARY_DIR}/Doxyfile @ONLY)
  add_custom_target(
    doc
    COMMAND Doxygen::doxygen ${CMAKE_CURRENT_BINARY_DIR}/Doxyfile
    COMMENT "Writing ${DOXYGEN_OUTPUT}/html/index.html"
    VERBATIM)
endif()

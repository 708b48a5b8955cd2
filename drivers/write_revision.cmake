# Writes OUTPUT from TEMPLATE with the git revision of SOURCE_DIR; leaves it alone when unchanged.
set(revision "unknown")
set(dirty "false")
find_program(git git)
if(git)
  execute_process(COMMAND ${git} -C ${SOURCE_DIR} rev-parse --show-toplevel HEAD
                  RESULT_VARIABLE failure OUTPUT_VARIABLE answer
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT failure)
    string(REPLACE "\n" ";" answer "${answer}")
    list(GET answer 0 top)
    list(GET answer 1 head)
    file(REAL_PATH "${top}" top)
    file(REAL_PATH "${SOURCE_DIR}" source)
    # A source package unpacked inside some other repository has no revision of its own.
    if(top STREQUAL source)
      set(revision "${head}")
      execute_process(COMMAND ${git} -C ${SOURCE_DIR} status --porcelain --untracked-files=no
                      OUTPUT_VARIABLE changes ERROR_QUIET)
      if(changes)
        set(dirty "true")
      endif()
    endif()
  endif()
endif()
configure_file(${TEMPLATE} ${OUTPUT} @ONLY)

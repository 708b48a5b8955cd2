# Run by cmake --install: pages for man and completion for shells, in the program's own words.
# In: program; man, data, default_prefix: where they go, as the build was configured. An install
# prefix given to cmake --install takes the place of the configured one.
foreach(folder man data)
  string(REGEX REPLACE "^${default_prefix}" "${CMAKE_INSTALL_PREFIX}" ${folder} "${${folder}}")
  set(${folder} "$ENV{DESTDIR}${${folder}}")
endforeach()

# As one process, also inside a job of a batch system.
function(describe file)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env --unset=SLURM_NTASKS --unset=SLURM_JOB_ID
            OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 ${program} ${ARGN}
    OUTPUT_FILE ${file}
    COMMAND_ERROR_IS_FATAL ANY)
  message(STATUS "Installing: ${file}")
endfunction()

set(bash ${data}/bash-completion/completions)
set(zsh ${data}/zsh/site-functions)
file(MAKE_DIRECTORY ${man} ${bash} ${zsh})
describe(${bash}/fairfront help --completion bash)
describe(${zsh}/_fairfront help --completion zsh)
describe(${man}/fairfront.1 help --man)
file(STRINGS ${man}/fairfront.1 references REGEX "^See ")
foreach(reference ${references})
  string(REGEX REPLACE "^See .fBfairfront..([a-z]+).*$" "\\1" command "${reference}")
  describe(${man}/fairfront-${command}.1 help --man ${command})
endforeach()

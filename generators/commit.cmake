# Writes FOLDER/assay_commit.h: the commit of SOURCE, "" where it is not known.
set(commit "")
set(modified 0)
find_program(git git)
if(git)
    # Not the commit of a repository that contains the source in a subfolder.
    execute_process(COMMAND ${git} rev-parse --show-prefix HEAD WORKING_DIRECTORY ${SOURCE}
                    RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_QUIET
                    OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT failed AND said MATCHES "^\n?([0-9a-f]+)$")
        set(commit ${CMAKE_MATCH_1})
        execute_process(COMMAND ${git} diff-index --quiet HEAD -- reference generators validator
                        WORKING_DIRECTORY ${SOURCE} RESULT_VARIABLE modified ERROR_QUIET)
    endif()
endif()
if(modified)
    set(modified 1)
endif()
file(CONFIGURE OUTPUT ${FOLDER}/assay_commit.h CONTENT [[
/* The commit of this build, "" where it is not known, and whether sources differ from it. */
#define ASSAY_COMMIT "@commit@"
#define ASSAY_COMMIT_MODIFIED @modified@
]] @ONLY)

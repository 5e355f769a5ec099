# assay_embed(FILE NAME SOURCE): writes the bytes of FILE as the C array NAME_text, of NAME_size bytes,
# to SOURCE, whenever the build is configured; a change of the file configures it again.
function(assay_embed file name source)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} bytes HEX)
    string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
    string(REGEX REPLACE "(0x0a,)" "\\1\n" bytes "${bytes}")
    file(CONFIGURE OUTPUT ${source} CONTENT "#include <stddef.h>

extern const char ${name}_text[];
extern const size_t ${name}_size;
const char ${name}_text[] = {
${bytes}0};
const size_t ${name}_size = sizeof ${name}_text - 1;
" @ONLY)
endfunction()

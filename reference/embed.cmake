# Writes the bytes of the file FROM as the C array NAME_text, NAME_size bytes long, to the file TO.
file(READ ${FROM} bytes HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")

file(WRITE ${TO} "#include <stddef.h>

extern const char ${NAME}_text[];
extern const size_t ${NAME}_size;
const char ${NAME}_text[] = {
${bytes}0};
const size_t ${NAME}_size = sizeof ${NAME}_text - 1;
")

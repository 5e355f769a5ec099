# cmake -DFILE=... -DNAME=... -DOUTPUT=... -P embed.cmake: writes a file as a constant of C, with its
# size: NAME and NAME_size.
file(READ ${FILE} hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "((0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,))" "\\1\n" bytes
       "${bytes}")
file(WRITE ${OUTPUT} "#include \"reports/html_parts.h\"

const unsigned char ${NAME}[] = {
${bytes}};
const size_t ${NAME}_size = sizeof ${NAME};
")

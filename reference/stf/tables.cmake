# assay_stf_tables(FILE SOURCE): writes the tables of FILE, a facts file of tables only, as the constant
# stf_built_in of tables.h to SOURCE, whenever the build is configured; a change of the file
# configures it again. test_stf_tables compares both.
function(assay_stf_tables file source)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} text)
    string(REGEX REPLACE "#[^\n]*" "" text "\n${text}")
    string(REGEX MATCHALL "\n[a-z_]+:|\n  [a-z_]+: {|[A-Z][A-Z0-9_]*: [0-9a-fx]+" tokens "${text}")
    set(table "")
    set(lists "")
    set(rows "")
    foreach(token ${tokens})
        if(token MATCHES "^\n([a-z_]+):$")
            set(table ${CMAKE_MATCH_1})
            set(group "")
            list(APPEND tables ${table})
            set(list_${table} "")
        elseif(token MATCHES "^\n  ([a-z_]+): {$")
            set(group ${CMAKE_MATCH_1})
        elseif(token MATCHES "^([A-Z0-9_]+): (.+)$")
            string(APPEND list_${table} "    {\"${group}\", \"${CMAKE_MATCH_1}\", ${CMAKE_MATCH_2}},\n")
        endif()
    endforeach()
    foreach(table ${tables})
        if(list_${table})
            string(APPEND lists "static const struct assay_fact_number ${table}[] = {\n${list_${table}}};\n")
            string(APPEND rows "    [ASSAY_TABLE_${table}] = {${table}, sizeof ${table} / sizeof ${table}[0]},\n")
        endif()
    endforeach()
    file(CONFIGURE OUTPUT ${source} CONTENT "#include \"stf/tables.h\"

${lists}
const struct stf_built_in stf_built_in[ASSAY_TABLE_COUNT] = {
${rows}};
" @ONLY)
endfunction()

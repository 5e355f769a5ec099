# What Debian wants otherwise than what is installed elsewhere: manual pages and the changelog are
# compressed, the licence is told in the form of its copyright files. CPack runs it on the tree that
# becomes the package.
set(here ${CMAKE_CURRENT_LIST_DIR})
set(usr ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr)
set(doc ${usr}/share/doc/assay)
configure_file(${here}/debian/copyright ${doc}/copyright COPYONLY)
configure_file(${here}/debian/changelog ${doc}/changelog COPYONLY)
configure_file(${here}/debian/lintian-overrides ${usr}/share/lintian/overrides/assay COPYONLY)
file(REMOVE ${doc}/LICENSE)
file(GLOB compressed ${usr}/share/man/man*/* ${doc}/changelog)
execute_process(COMMAND gzip -9nf ${compressed} COMMAND_ERROR_IS_FATAL ANY)

# Read by cpack before it packs: folders that it made, and files that are copied as they are checked
# out, have what the umask left.
execute_process(COMMAND chmod -R u=rwX,go=rX ${CPACK_TEMPORARY_DIRECTORY} COMMAND_ERROR_IS_FATAL ANY)

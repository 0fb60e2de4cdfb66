// Nothing: the source of the targets that hold precompiled headers.

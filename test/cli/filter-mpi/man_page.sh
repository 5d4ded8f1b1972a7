# The man page and the program tell the same.
like_its_page clc-filter-mpi

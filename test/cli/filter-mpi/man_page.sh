# The man page and the program tell the same.
export ASAN_OPTIONS=detect_leaks=0  # see needs_mpi
like_its_page clc-filter-mpi

# File to file, pipe to pipe, mixes; nothing on standard error; what is left behind.
small_trace >in.clct
run 0 'clc-filter -mmd 0.1 --no-provenance in.clct -o out.clct'
out ''
no_more_files in.clct out.clct
run 0 'cat out.clct'
out_like small.clct

run 0 'clc-filter -mmd 0.1 --no-provenance <in.clct >piped.clct; cmp piped.clct out.clct'
run 0 'cat in.clct | clc-filter -mmd 0.1 --no-provenance | cat >piped.clct; cmp piped.clct out.clct'
run 0 'clc-filter -mmd 0.1 --no-provenance in.clct | cmp - out.clct'
run 0 'clc-filter -mmd 0.1 --no-provenance - -o piped.clct <in.clct; cmp piped.clct out.clct'
run 0 'clc-filter -mmd 0.1 --no-provenance -o - in.clct | cmp - out.clct'
run 0 'cat in.clct | clc-filter -mmd 0.1 --no-provenance -o piped.clct; cmp piped.clct out.clct'

# An existing file is replaced, its permissions stay; a link is followed.
run 0 'echo old >old.clct; chmod 640 old.clct; clc-filter -mmd 0.1 --no-provenance in.clct -o old.clct; cmp old.clct out.clct; stat -c %a old.clct'
out 640
run 0 'ln -s old.clct link.clct; echo old >old.clct; clc-filter -mmd 0.1 --no-provenance in.clct -o link.clct; cmp old.clct out.clct; test -L link.clct'
run 0 'rm old.clct; clc-filter -mmd 0.1 --no-provenance in.clct -o link.clct; cmp old.clct out.clct; test -L link.clct'

# Formats and compression, there and back.
run 0 'clc-filter -mmd 0.1 --no-provenance -F binary -z in.clct | clc-filter -mmd 0.1 --no-provenance -F text -z0 | cmp - out.clct'
run 0 'clc-filter --no-correction --no-provenance -F binary in.clct -o in.clcb; clc-filter --no-correction --no-provenance -F text in.clcb | cmp - in.clct'
run 0 'clc-filter --no-correction --no-provenance -z19 in.clct | zstd -dcq | cmp - in.clct'
run 0 'zstd -q in.clct -o in.clct.zst; clc-filter --no-correction --no-provenance in.clct.zst | zstd -dcq | cmp - in.clct'
run 0 'cat in.clct.zst >two.zst; printf "9600 1 I more\n" | zstd -cq >>two.zst; clc-filter --no-correction --no-provenance -z0 two.zst | tail -1'
out '9600 1 I more'
run 0 'clc-filter -mmd 0.1 --no-provenance -f text in.clct | cmp - out.clct'

# What needs no correction goes through byte for byte.
run 0 'long_trace 20000 >long.clct; clc-filter --no-provenance long.clct | cmp - long.clct'
run 0 'clc-filter --no-provenance -mmd 0.1 out.clct | cmp - out.clct'

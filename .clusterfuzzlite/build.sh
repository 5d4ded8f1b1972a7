#!/bin/bash -eu
# Builds the fuzzers of test/fuzz and packs their corpora. Compiler, flags and folders come from the container: CC, CXX,
# CXXFLAGS, LIB_FUZZING_ENGINE, SRC, WORK, OUT.
source=${CLC_SOURCE:-$SRC/clc-filter}
# Boost of the distribution is compiled with GNU's C++ library.
export CXXFLAGS="${CXXFLAGS//-stdlib=libc++/} -D_GLIBCXX_ASSERTIONS"
cmake -S "$source" -B "$WORK/build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG= \
  -DCLC_BUILD_TESTS=ON -DCLC_FUZZERS_ONLY=ON -DCLC_LIBFUZZER=ON "-DCLC_FUZZING_ENGINE=$LIB_FUZZING_ENGINE" \
  "-DCMAKE_EXE_LINKER_FLAGS=-Wl,-rpath,'\$ORIGIN/lib'"
cmake --build "$WORK/build" --target clc_fuzzers
mkdir -p "$OUT/lib"
for fuzzer in "$WORK"/build/test/fuzz/clc-fuzz-*; do
  name=${fuzzer##*/clc-fuzz-}
  cp "$fuzzer" "$OUT/"
  ldd "$fuzzer" | grep -oE '/[^ ]*/lib(boost_|open-trace|zstd|stdc)[^ ]*' | xargs -r cp -L -t "$OUT/lib"
  corpus=("$source/test/fuzz/corpus/$name")
  case $name in text | binary | zstd) corpus+=("$source/data/corrupt") ;; esac
  find "${corpus[@]}" -type f | zip -q -j "$OUT/clc-fuzz-${name}_seed_corpus.zip" -@
done

# Files of other programs: each is named, with what to do.
foreign() {  # NAME, message; content from standard input
  cat >"$1"
  run 1 "clc-filter -o out '$1'"
  err "clc-filter: $1: $2"
}
unpack='; unpack it, and name the trace in it (of an OTF2 archive the .otf2 file)'
convert=', which cannot be read; convert it to text, see clc-trace(5)'
mkdir run && echo x >run/file
tar cf - run | foreign run.tar "is a tar archive$unpack"
tar cf - run | foreign unnamed "is a tar archive$unpack"
tar cf - run | gzip | foreign run.tar.gz "is a compressed tar archive$unpack"
tar cf - run | zstd -q | foreign run.tar.zst "is a tar archive$unpack"
printf '\xfd7zXZ\x00\x00\x04' | foreign run.tar.xz "is a compressed tar archive$unpack"
printf '\x04\x22\x4d\x18d@\xa7' | foreign run.lz4 'is compressed with lz4; use lz4 -dc FILE | ...'
printf 'PK\3\4\x14\x00' | foreign run.zip "is a ZIP archive$unpack"
printf '#Paraver (01/01/2026 at 10:00):1000:1(4):1\n1:1:1:1:1:0:100:3\n' | foreign run.prv "is a Paraver trace$convert"
printf '#Paraver (01/01/2026 at 10:00):1000:1(4):1\n' | foreign unnamed "is a Paraver trace$convert"
printf '\xc1\x1f\xfc\xc1\x00\x00' | foreign channel0_0 "is a stream of a CTF trace$convert"
echo '{"resourceSpans": []}' | foreign spans.json "is a trace of OpenTelemetry in JSON$convert"
echo '{"data": [{"traceID": "5b8aa5a2d2c872e8"}]}' | foreign jaeger.json "is a trace of Jaeger in JSON$convert"
echo '{"schemaVersion": 1, "traceEvents": []}' | foreign kineto.json "is a trace of PyTorch's profiler (Kineto) in JSON$convert"
echo '[{"name": "f", "ph": "X", "ts": 1}]' | foreign chrome.json 'is a Chrome trace, which can only be written'
echo '{"traceEvents": []}' | foreign chrome.json 'is a Chrome trace, which can only be written'
echo '[1, 2]' | foreign any.json "is JSON of a kind that is not known$convert"
printf '\x03B\x01\x00\x00' | foreign 0.evt 'is one file of an OTF2 archive; name the anchor file of the archive, NAME.otf2'
printf '\x03B\x01\x00\x00' | foreign traces.def 'is one file of an OTF2 archive; name the anchor file of the archive, NAME.otf2'
printf '\x01\x00\x00\x80' | foreign tautrace.0.0.0.trc 'is a trace of TAU, which cannot be read; record with TAU_TRACE_FORMAT=otf2'
printf '\x01\x00\x00\x80' | foreign dumpi-2026.11.23.10.00.00-0000.bin "is a trace of DUMPI$convert"

mkdir ctf && touch ctf/metadata ctf/channel0_0
run 1 'clc-filter -o out ctf'
err "clc-filter: ctf: is a CTF trace$convert"
mkdir tau && touch tau/events.0.edf tau/tautrace.0.0.0.trc
run 1 'clc-filter -o out tau'
err 'clc-filter: tau: is a folder with traces of TAU, which cannot be read; record with TAU_TRACE_FORMAT=otf2'
run 0 'test ! -e out'

# A trace is one under any name.
small_trace >small.evt
run 0 'clc-filter -q small.evt -o out'

# The level adjoins its letter.
small_trace >in.clct
run 2 'clc-filter -z 3 in.clct -o out'
err "clc-filter: unexpected operand '3'; write the value of -z without a blank: -z3 (see clc-filter --help)"

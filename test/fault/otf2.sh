# Archives: calls that fail. What libotf2 calls itself cannot be reached, apart from its memory; see also the files
# beyond a limit in test/cli/filter/otf2_made.sh.
[ -n "${CLC_FAULT_LIBRARY:-}" ] || skip 'the library that makes calls fail is not part of this build'
clc-filter --version | grep -q libotf2 || skip 'built without libotf2'
clc-tracegen ring -n 3 --events 300 --seed 1 -F otf2 -o in
clc-filter -q --no-provenance in -o expected

# each CALL ERROR: of a correction of the archive in turn.
each() {
  local total n status text
  rm -rf out
  CLC_FAULT=$1:$2:999999 CLC_FAULT_COUNT=count LD_PRELOAD=$CLC_FAULT_LIBRARY clc-filter -q --no-provenance in -o out ||
    fail 'status without fault'
  total=$(cat count)
  rm -rf count out
  [ "$total" -gt 0 ] || fail "no call of $1"
  for n in $(seq "$total"); do
    command="$1 $n of $total fails with $2"
    CLC_FAULT=$1:$2:$n LD_PRELOAD=$CLC_FAULT_LIBRARY timeout 300 clc-filter -q --no-provenance in -o out >stdout 2>err
    status=$?
    text=$(cat err)
    if [ "$status" = 1 ]; then
      [ "$(wc -l <err)" -eq 1 ] || fail "standard error is $text"
      [ ! -e out ] || fail 'status 1 and an output'
      [[ $text != *'file ends'* ]] || fail "told as cut off: $text"
    elif [ "$status" = 0 ]; then
      [ ! -s err ] || fail "status 0, standard error is $text"
      diff -r -x traces.otf2 expected out >&2 || fail 'status 0 and another result'
    else
      fail "status $status, $text"
    fi
    rm -rf out stdout err
    [ -z "$(find . -name '.*.tmp*')" ] || fail "files left: $(find . -name '.*.tmp*' -print -exec rm -r {} +)"
  done
}
each read 5
each write 28
each open 24
each close 5
each rename 18
each sync 5
# An archive that replaces another: at any time there is a whole one under its name, whatever happens.
for how in kill signal 18 22; do
  CLC_FAULT=rename:$how:999999 CLC_FAULT_COUNT=count LD_PRELOAD=$CLC_FAULT_LIBRARY clc-filter -q --no-provenance in -o out
  CLC_FAULT=rename:$how:999999 CLC_FAULT_COUNT=count LD_PRELOAD=$CLC_FAULT_LIBRARY \
    clc-filter -q --no-provenance --overwrite in -o out
  total=$(cat count)
  [ "$total" -gt 0 ] || fail 'no call of rename'
  for n in $(seq "$total"); do
    command="rename $n of $total: $how, --overwrite"
    rm -rf out && cp -r in out
    (CLC_FAULT=rename:$how:$n LD_PRELOAD=$CLC_FAULT_LIBRARY clc-filter -q --no-provenance --overwrite in -o out) 2>err
    status=$?
    if [ $status = 0 ] || diff -rq -x traces.otf2 expected out >difference; then
      diff -r -x traces.otf2 expected out >&2 || fail "status $status and another result"
    else
      diff -r in out >&2 || fail "status $status, and neither the new archive nor the old one: $(cat difference)"
    fi
    [ $how = kill ] || [ -z "$(find . -name '.*.tmp*' -o -name 'out.kept*')" ] ||
      fail "files left: $(find . -name '.*.tmp*' -o -name 'out.kept*')"
    rm -rf .out* out.kept* err difference
  done
  rm -rf out count
done
# The folder that replaces a private one is private from its first moment on.
umask 022
cp -r in out && chmod 700 out
(CLC_FAULT=mkdir:kill:1 LD_PRELOAD=$CLC_FAULT_LIBRARY clc-filter -q --overwrite in -o out) 2>/dev/null
[ "$(stat -c %a .out*.tmp out)" = '700
700' ] || fail "other permissions: $(ls -la)"
rm -rf .out*.tmp
run 0 'clc-filter -q --overwrite in -o out && stat -c %a out; rm -r out'
out '700'
# Short calls change nothing.
for how in read:short:0 write:short:0; do
  run 0 "CLC_FAULT=$how LD_PRELOAD=$CLC_FAULT_LIBRARY clc-filter -q --no-provenance in -o out"
  run 0 'diff -r -x traces.otf2 expected out && rm -r out'
done

# The Debian package: unpacked, its programs run, with their pages and completion; in a root with nothing else but the
# libraries that they ask for, where chroot is allowed.
command -v dpkg-deb >/dev/null && command -v dpkg-shlibdeps >/dev/null || skip 'no Debian tools to make packages'
run 0 'cd "$CLC_BUILD" && "$CPACK" -G DEB -B "$scratch/made" >"$scratch/log" 2>&1 || { cat "$scratch/log"; false; }'
package=$(echo made/*.deb)
[ -f "$package" ] || { fail 'there is no package'; exit 1; }
run 0 'dpkg-deb -f "$package" Depends'
out_has 'libc6'
out_has 'libzstd1'
# At another time it is the same, byte for byte.
if in_depth; then
  run 0 'sleep 1.1; cd "$CLC_BUILD" && "$CPACK" -G DEB -B "$scratch/again" >"$scratch/log" 2>&1; cmp "$scratch/$package" "$scratch"/again/*.deb'
fi
run 0 'dpkg-deb -x "$package" root'
run 0 'cd root/usr && ls bin; ls share/man/man1 share/man/man5 share/man/man7'
out_has 'clc-filter'
out_has 'clc-tracegen'
out_has 'clc-filter.1'
out_has 'clc-trace.5'
for file in share/bash-completion/completions/clc-filter share/zsh/vendor-completions/_clc share/doc/clc-filter/copyright; do
  [ -s "root/usr/$file" ] || fail "the package lacks $file"
done
bin=$scratch/root/usr/bin
run 0 'PATH=$bin:/usr/bin:/bin; clc-tracegen ring --seed 1 --events 2000 | clc-filter -q | clc-check - >/dev/null'
[ "$(id -u)" = 0 ] && chroot / true 2>/dev/null || skip 'chroot is not allowed'
for program in root/usr/bin/*; do
  ldd "$program" | grep -oE '/[^ ]+' | sort -u | xargs -I{} cp -L --parents -n {} root
done
run 0 'chroot root /usr/bin/clc-tracegen ring --seed 1 --events 2000 -o /ring.clct'
run 0 'chroot root /usr/bin/clc-filter /ring.clct -o /corrected.clct -q'
run 0 'chroot root /usr/bin/clc-check /corrected.clct >/dev/null'

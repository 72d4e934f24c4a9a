#!/bin/bash
# SPDX-License-Identifier: MIT
#
# check_packages.sh SOURCE: scripts/install-packages installs what is missing, of alternatives the one that this release
# has, and none when one of them is there. In a copy, with programs that stand for Debian's.
set -eu
source=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "$*"; exit 1; }

# ./validate installs the roles build and run: without lttng-tools its report has no tracer to compare ours with.
grep -qx 'run lttng-tools' "$source/packages.txt" || fail "lttng-tools is not of the role run in packages.txt"

mkdir "$folder/scripts" "$folder/bin"
cp "$source/scripts/install-packages" "$folder/scripts/"
cat >"$folder/packages.txt" <<'end'
# comment
build there
build old-name|new-name
test also-there|never-there
test gone|alone
end
cat >"$folder/bin/dpkg-query" <<'end'
#!/bin/sh
case "$*" in *" there"|*" also-there") printf installed ;; *) exit 1 ;; esac
end
cat >"$folder/bin/apt-cache" <<'end'
#!/bin/sh
case "$2" in
  new-name|alone) printf '%s:\n  Installed: (none)\n  Candidate: 1.0\n' "$2" ;;
  gone) printf '%s:\n  Installed: (none)\n  Candidate: (none)\n' "$2" ;;
esac
end
printf '#!/bin/sh\necho "$*" >>"%s/calls"\n' "$folder" >"$folder/bin/apt-get"
printf '#!/bin/sh\necho 0\n' >"$folder/bin/id"
chmod +x "$folder"/bin/*
export PATH=$folder/bin:$PATH

"$folder/scripts/install-packages" build test >"$folder/said" || fail "it failed: $(cat "$folder/said")"
grep -q 'install .* new-name alone$' "$folder/calls" ||
  fail "not installed were new-name and alone: $(cat "$folder/calls")"

printf '#!/bin/sh\nprintf installed\n' >"$folder/bin/dpkg-query"
rm "$folder/calls"
"$folder/scripts/install-packages" build test >"$folder/said" || fail "it failed with nothing to do"
[ ! -e "$folder/calls" ] && [ ! -s "$folder/said" ] || fail "with everything there it did or said something"

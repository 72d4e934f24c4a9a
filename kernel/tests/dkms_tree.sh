#!/bin/sh
# SPDX-License-Identifier: MIT
# What DKMS gets is of maxlat's version, and whole: the folders that Kbuild names, and each header of ours that a source
# includes. And dkms.conf names every module that Kbuild builds, for each kernel and architecture.
# usage: dkms_tree.sh FOLDER-OF-MODULES
set -eu
fail() { echo "FAIL: $*"; exit 1; }
for program in make bash; do command -v $program > /dev/null || { echo "skipped: no $program"; exit 77; }; done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
version=$("$MAXLAT" --version | sed -n '1s/^maxlat //p')
make -s -C "$1" dkms-tree DESTDIR="$work"
cd "$work/usr/src/maxlat-$version" || fail "it is not in maxlat-$version but in $(ls "$work/usr/src")"
grep -qx "PACKAGE_VERSION=\"$version\"" dkms.conf || fail "dkms.conf has another version than $version"

for folder in $(grep -o '\.\./[^,]*/' kernel/Kbuild | sort -u); do
  ls "kernel/$folder"*.c > /dev/null || fail "the sources in $folder are not in it"
done
for header in $(grep -rhoE '#include <maxlat/[^>]+' --include='*.[ch]' . | sed 's/.*<//' | sort -u); do
  [ -n "$(find . -path "*/include/$header" -o -path "./tracer/${header#maxlat/}")" ] || fail "$header is not in it"
done

# built VERSION PATCHLEVEL CONFIG_X86_64 HAS-PROBES: what Kbuild builds for such a kernel
built() {
  printf '%s\n' 'src := kernel' 'obj := kernel' "VERSION := $1" "PATCHLEVEL := $2" "CONFIG_X86_64 := $3" \
    "CONFIG_TRACEPOINTS := $4" "CONFIG_DYNAMIC_FTRACE := $4" "CONFIG_KPROBES := $4" 'include kernel/Kbuild' 'all: ; @echo $(sort $(obj-m:.o=))' > names.make
  make -s -f names.make all
}
# named KERNEL ARCHITECTURE HAS-PROBES: what DKMS looks for
named() {
  for option in TRACEPOINTS DYNAMIC_FTRACE KPROBES; do [ -z "$3" ] || echo "CONFIG_$option=y"; done > .config
  bash -c 'kernelver=$1 arch=$2 kernel_source_dir=.; . ./dkms.conf; printf "%s\n" "${BUILT_MODULE_NAME[@]}"' names "$1" "$2" |
    sort | xargs
}
# both KERNEL-RELEASE ARCHITECTURE VERSION PATCHLEVEL CONFIG_X86_64 HAS-PROBES MODULES
both() {
  [ "$(named "$1" "$2" "$6")" = "$7" ] || fail "$1, $2: dkms.conf names $(named "$1" "$2" "$6")"
  [ "$(built "$3" "$4" "$5" "$6")" = "$7" ] || fail "$1, $2: Kbuild builds $(built "$3" "$4" "$5" "$6")"
}
both 5.10.0-30-amd64 x86_64 5 10 y y "maxlat_hwlat maxlat_irqoff"
both 5.17.15 x86_64 5 17 y y "maxlat_hwlat maxlat_irqoff"
both 5.18.0-1-amd64 x86_64 5 18 y y "maxlat_hwlat maxlat_irqoff maxlat_trace"
both 6.12.95+deb12-rt-amd64 x86_64 6 12 y y "maxlat_hwlat maxlat_irqoff maxlat_trace"
both 6.1.0-56-arm64 aarch64 6 1 "" y "maxlat_hwlat maxlat_irqoff"
both 6.12.95-lean x86_64 6 12 y "" "maxlat_hwlat maxlat_irqoff"

#!/bin/sh
# SPDX-License-Identifier: MIT
# Without a kernel's headers the modules' Makefile says in one line what to install, and builds nothing.
# usage: no_headers.sh FOLDER-OF-MODULES
command -v make > /dev/null || { echo "skipped: no make"; exit 77; }
said=$(make -s -C "$1" KVER=0.0-none 2>&1) && { echo "make succeeded without headers: $said"; exit 1; }
echo "$said"
echo "$said" | grep -q "no headers for kernel 0.0-none in /lib/modules/0.0-none/build: install linux-headers-0.0-none"

/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The version of all modules and of their DKMS package: the project's (CMakeLists.txt), and a test sees that it is. A
 * header, because the modules are built where CMake's files are not.
 */
#ifndef MAXLAT_KERNEL_MODULE_VERSION_H
#define MAXLAT_KERNEL_MODULE_VERSION_H

#define MAXLAT_MODULE_VERSION "0.1.0"

#endif

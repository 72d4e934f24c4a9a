/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#ifndef MAXLAT_GUEST_PLANTER_H
#define MAXLAT_GUEST_PLANTER_H

#define PLANTER_HANDLER 0x38000 /* SMBASE of a CPU whose firmware never moved it, + 8000h */
#define PLANTER_TABLE 0x39000
#define PLANTER_MAX_PLANTS 250 /* 16 bytes each behind 16 bytes of header: within the table's page */

#endif

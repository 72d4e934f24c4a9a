// SPDX-License-Identifier: MIT
// The program that the precompiled header of the tests is compiled for (MaxlatRoom.cmake).
int main() {}

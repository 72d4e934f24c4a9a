# Its unit tests are in parts.cmake; with the kernel module it is tested in guests (guest.kernel_trace).

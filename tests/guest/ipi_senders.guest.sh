#!/bin/sh
# Who sends an interprocessor interrupt, to whom: the functions that ftrace can hook for that, and from Linux 6.4 on the
# tracepoints (docs/kernel-ring.md). ring/ipi_hooks.c sets the hooks, provokes interrupts and says what came.
# guest-mode: interleaved
# Three CPUs would do. The rest is that of shield_audit, whose machine it goes on from.
# guest-cpus: 4
# guest-cpu: max,+invtsc,x-force-features=on
# guest-append: nohz_full=1 rcu_nocbs=1 tsc=reliable clocksource=tsc
load maxlat_ipi_hooks
dmesg | sed -n 's/.*maxlat_ipi_hooks: //p' | tee "$OUT/senders.txt"
# of FIELD NAME: the number behind a field in the line of a function or tracepoint
of() { sed -n "s/^[a-z]* $2 .*\<$1 \(-*[0-9]*\).*/\1/p" "$OUT/senders.txt"; }
for sender in native_smp_send_reschedule native_send_call_func_single_ipi native_send_call_func_ipi; do
  expect "$sender: hooked" "$(of hook $sender)" -eq 0
  expect "$sender: calls seen in 20 rounds" "$(of calls $sender)" -ge 20
done
for sender in kvm_smp_send_call_func_ipi kvm_send_ipi_mask kvm_send_ipi_mask_allbutself; do # where KVM is the host
  expect "$sender: hooked" "$(of hook $sender)" -eq 0
done
case $(uname -r) in
  6.1.*) for point in ipi_send_cpu ipi_send_cpumask; do expect "$point: there" "$(of found $point)" -eq 0; done ;;
  *) for point in ipi_send_cpu ipi_send_cpumask; do expect "$point: seen" "$(of calls $point)" -ge 20; done ;;
esac

package io.github.vertxrdma.cli.doctor;

import io.github.vertxrdma.cli.machine.Machine;
import java.util.List;

/** Whether shared memory may copy from process to process at once (process_vm_readv(2)); otherwise it copies twice. */
final class PtraceCheck implements Check {

  @Override
  public List<Finding> run(Machine machine) {
    long scope = machine.number("/proc/sys/kernel/yama/ptrace_scope", 0);
    return List.of(scope == 0 ? Finding.ok("ptrace scope", "processes of one user may copy from each other")
      : Finding.warning("ptrace scope", scope + ": fi-shm copies large messages twice",
        machine.sudo() + "sysctl kernel.yama.ptrace_scope=0"));
  }
}

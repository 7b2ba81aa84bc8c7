package io.github.vertxrdma.provider.contract;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Map;

/** Makes system calls fail by a seccomp(2) filter, which needs no privileges. */
public final class RefusedCalls {
  public static final String UNABLE = "this kernel or architecture has no filter of system calls";

  /** Offset of the 8-byte arguments in struct seccomp_data. */
  private static final int ARGUMENTS = 16;
  private static final int LOAD = 0x20;
  private static final int JUMP_EQUAL = 0x15;
  private static final int RETURN = 0x06;
  private static final int ALLOW = 0x7fff0000;
  private static final int ERRNO = 0x00050000;
  private static final int PR_SET_SECCOMP = 22;
  private static final int PR_SET_NO_NEW_PRIVS = 38;
  private static final long SECCOMP_MODE_FILTER = 2;

  /**
   * System call with its numbers on x86-64 and aarch64.
   *
   * @param argument index of the argument that must have the value; -1 to refuse all calls
   */
  private record Call(int x86, int arm, int argument, int value) {
  }

  private static final Map<String, Call> CALLS = Map.of("memfd_create", new Call(319, 279, -1, 0), "F_ADD_SEALS", new Call(72, 25, 1, 1033),
    "bind", new Call(49, 200, -1, 0), "AF_UNIX", new Call(41, 198, 0, 1),
    "accept4", new Call(288, 242, -1, 0), "SO_PEERCRED", new Call(55, 209, 2, 17),
    "sendmsg", new Call(46, 211, -1, 0), "recvmmsg", new Call(299, 243, -1, 0), "timerfd_create", new Call(283, 85, -1, 0),
    "link", new Call(86, 37, -1, 0));

  private RefusedCalls() {
  }

  /**
   * Makes a system call fail on this thread and its new threads.
   *
   * @return false if this system has no filters
   */
  public static boolean refuse(String name, int errno) {
    String architecture = System.getProperty("os.arch");
    Call call = CALLS.get(name);
    if (!architecture.equals("amd64") && !architecture.equals("aarch64")) {
      return false;
    }
    int number = architecture.equals("amd64") ? call.x86 : call.arm;
    int[][] filter = {{LOAD, 0, 0, 0}, {JUMP_EQUAL, 0, call.argument < 0 ? 1 : 3, number},
      {LOAD, 0, 0, ARGUMENTS + 8 * Math.max(0, call.argument)}, {JUMP_EQUAL, 0, 1, call.value}, {RETURN, 0, 0, ERRNO | errno},
      {RETURN, 0, 0, ALLOW}};
    if (call.argument < 0) {
      filter = new int[][] {filter[0], filter[1], filter[4], filter[5]};
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment instructions = arena.allocate(8L * filter.length, 8);
      for (int i = 0; i < filter.length; i++) {
        instructions.set(ValueLayout.JAVA_SHORT, 8L * i, (short) filter[i][0]);
        instructions.set(ValueLayout.JAVA_BYTE, 8L * i + 2, (byte) filter[i][1]);
        instructions.set(ValueLayout.JAVA_BYTE, 8L * i + 3, (byte) filter[i][2]);
        instructions.set(ValueLayout.JAVA_INT, 8L * i + 4, filter[i][3]);
      }
      // struct sock_fprog: number of instructions, and their address
      MemorySegment program = arena.allocate(16, 8);
      program.set(ValueLayout.JAVA_SHORT, 0, (short) filter.length);
      program.set(ValueLayout.ADDRESS, 8, instructions);
      return Libc.call("prctl", PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) == 0
        && Libc.call("prctl", PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program.address(), 0L, 0L) == 0;
    }
  }
}

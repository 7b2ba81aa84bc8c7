package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Downcall;
import io.github.vertxrdma.provider.ffi.Errno;
import io.github.vertxrdma.provider.ffi.Memory;
import io.github.vertxrdma.provider.ffi.Scratch;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Moves memory to huge pages (madvise(2)) and to a NUMA node (mbind(2)), before registration pins it. Moves only whole pages. Thread-safe.
 */
final class Placement {
  private static final MethodHandle SYSCALL = Downcall.capturing(long.class, long.class, long.class, long.class, long.class, long.class,
    long.class, long.class);
  private static final long SYS_MBIND = System.getProperty("os.arch").equals("aarch64") ? 235 : 237;
  private static final int MPOL_BIND = 2;
  private static final int MPOL_MF_MOVE = 2;
  private static final int MADV_HUGEPAGE = 14;
  /** Makes huge pages of memory in use, since Linux 6.1. Earlier kernels make them only at the first use of memory. */
  private static final int MADV_COLLAPSE = 25;
  private static final int PAGE = 4096;
  private static final int MOST_NODES = 1024;
  private static final int NONE = -1;

  private final String device;
  private final boolean hugePages;
  private final int node;

  private Placement(String device, boolean hugePages, int node) {
    this.device = device;
    this.hugePages = hugePages;
    this.node = node;
  }

  static Placement of(VerbsDevice device) {
    DiscoveryOptions options = device.options;
    return new Placement(device.name(), Boolean.parseBoolean(options.setting("verbs.huge-pages", "false")),
      node(options.setting("verbs.numa-node", ""), device));
  }

  private static int node(String wanted, VerbsDevice device) {
    if (wanted.isBlank()) {
      return NONE;
    }
    try {
      int node = wanted.equals("device") ? device.numaNode() : Integer.parseInt(wanted.trim());
      if (node < MOST_NODES && (node >= 0 || wanted.equals("device"))) {
        return node;
      }
    } catch (NumberFormatException e) {
      // The exception below reports this value.
    }
    throw new ProviderException(Reason.INVALID, "verbs.numa-node is '" + wanted + "'; it must be the number of a NUMA node, or 'device'");
  }

  void place(MemorySegment memory) {
    long start = Math.ceilDiv(memory.address(), PAGE) * PAGE;
    long length = (memory.address() + memory.byteSize()) / PAGE * PAGE - start;
    if (length <= 0) {
      return;
    }
    if (node != NONE) {
      bind(start, length);
    }
    if (hugePages) {
      if (Calls.number(Downcall.libc("madvise"), start, length, MADV_HUGEPAGE) != 0) {
        int errno = Errno.last();
        throw new ProviderException(Reason.UNSUPPORTED, errno, "memory of " + VerbsRegion.size(memory.byteSize()) + " for " + device
          + " cannot have huge pages: " + Errno.describe(errno)
          + ". Check that this kernel has /sys/kernel/mm/transparent_hugepage, or remove the setting verbs.huge-pages");
      }
      // Ignores errors, because fragmented memory has few huge pages.
      Calls.number(Downcall.libc("madvise"), start, length, MADV_COLLAPSE);
    }
  }

  private void bind(long start, long length) {
    try (Scratch mask = Scratch.of(MOST_NODES / Byte.SIZE)) {
      Memory.putLong(mask.address() + node / Long.SIZE * Long.BYTES, 1L << node % Long.SIZE);
      // mbind(2) uses one bit less than its argument maxnode.
      if ((long) SYSCALL.invokeExact(Downcall.function("syscall"), Errno.state(), SYS_MBIND, start, length, (long) MPOL_BIND,
        mask.address(), MOST_NODES + 1L, (long) MPOL_MF_MOVE) != 0) {
        int errno = Errno.last();
        throw new ProviderException(errno == Errno.EPERM ? Reason.PERMISSION : Reason.INVALID, errno,
          "memory of " + VerbsRegion.size(length)
            + " for " + device + " cannot be bound to NUMA node " + node + ": " + Errno.describe(errno)
            + ". Correct the setting verbs.numa-node ('numactl --hardware' shows the nodes). A container may need the right to call "
            + "mbind");
      }
    } catch (Throwable t) {
      throw Calls.rethrow(t);
    }
  }
}

package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Errno;
import io.github.vertxrdma.provider.ffi.Memory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Libfabric object (struct fid). It is closed only once, because a second fi_close would free memory twice. A parent is closed after its
 * children, because libfabric otherwise refuses the close (EBUSY). Thread-safe.
 */
final class Fid implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(Fid.class.getName());
  private static final AtomicInteger OPEN = new AtomicInteger();

  private final String kind;
  private final long address;
  private final long ops;
  private final Fid[] parents;
  /** Number of open children, plus 1 until {@link #close}. */
  private final AtomicInteger holders = new AtomicInteger(1);
  private final AtomicBoolean closed = new AtomicBoolean();

  Fid(String kind, long address, Fid... parents) {
    this.kind = kind;
    this.address = address;
    this.parents = parents;
    ops = Memory.getLong(address + Structs.FID_OPS);
    for (Fid parent : parents) {
      parent.holders.incrementAndGet();
    }
    OPEN.incrementAndGet();
  }

  static int open() {
    return OPEN.get();
  }

  long address() {
    return address;
  }

  /**
   * Returns a function of a table, or 0 if the table or function is missing. A table begins with its size. It may be shorter than in a
   * newer header, and calling a missing function would crash the process.
   */
  static long entry(long table, int offset) {
    return table == 0 || Long.compareUnsigned(Memory.getLong(table), offset + 8L) < 0 ? 0 : Memory.getLong(table + offset);
  }

  int bind(Fid other, long flags) {
    return Calls.number(entry(ops, Structs.OPS_BIND), address, other.address, flags);
  }

  int control(int command, long argument) {
    long function = entry(ops, Structs.OPS_CONTROL);
    return function == 0 ? -Errno.ENOSYS : Calls.number(function, address, command, argument);
  }

  /** Returns the address of a function, or 0 if the library does not have it. */
  long function(int table, int offset) {
    return entry(Memory.getLong(address + table), offset);
  }

  long require(Libfabric library, int table, int offset, String name) {
    long function = function(table, offset);
    if (function == 0) {
      throw FabricErrors.exception(library, -Errno.ENOSYS, name);
    }
    return function;
  }

  @Override
  public void close() {
    if (!closed.getAndSet(true)) {
      release();
    }
  }

  private void release() {
    if (holders.decrementAndGet() > 0) {
      return;
    }
    OPEN.decrementAndGet();
    int status = Calls.number(entry(ops, Structs.OPS_CLOSE), address);
    if (status != 0) {
      LOG.log(System.Logger.Level.WARNING, "libfabric: cannot close a " + kind + ": fi_close returned " + status);
    }
    for (Fid parent : parents) {
      parent.release();
    }
  }
}

package io.github.vertxrdma.base;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.function.Supplier;

/**
 * Accesses memory that is mapped from a file. An access fails with SIGBUS if the file was truncated, or its file system has no space for
 * the page. HotSpot then throws an {@link InternalError} some time after the access, from any code of the thread. All methods of this class
 * throw a {@link MemoryFaultException} instead, before they return.
 *
 * <p>HotSpot handles only faults of its own accesses and copies. Native code and intrinsics, such as checksums, must not read such memory:
 * a fault in them ends the process.
 */
public final class FileMemory {
  private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();
  private static final Object LOCK = new Object();
  private static final long UNLIKELY = 0x5bd1_e995_8f2c_77a3L;

  private FileMemory() {
  }

  /** Copies memory. The source, the target or both may be mapped from a file. */
  public static void copy(MemorySegment from, long fromOffset, MemorySegment to, long toOffset, long length) {
    try {
      MemorySegment.copy(from, fromOffset, to, toOffset, length);
      throwPending();
    } catch (InternalError e) {
      throw new MemoryFaultException(e);
    }
  }

  /** Executes accesses other than atomic updates. */
  public static <T> T access(Supplier<T> accesses) {
    try {
      T result = accesses.get();
      throwPending();
      return result;
    } catch (InternalError e) {
      throw new MemoryFaultException(e);
    }
  }

  /** Stores a word that may be unaligned. */
  public static void putLong(MemorySegment to, long offset, long value) {
    try {
      to.set(ValueLayout.JAVA_LONG_UNALIGNED, offset, value);
      throwPending();
    } catch (InternalError e) {
      throw new MemoryFaultException(e);
    }
  }

  /** Adds to an aligned word and returns the previous value. */
  public static long getAndAdd(MemorySegment memory, long offset, long operand) {
    try {
      touch(memory, offset);
      long before = (long) WORD.getAndAdd(memory, offset, operand);
      throwPending();
      return before;
    } catch (InternalError e) {
      throw new MemoryFaultException(e);
    }
  }

  /** Exchanges an aligned word if it has the expected value. Returns the previous value. */
  public static long compareAndExchange(MemorySegment memory, long offset, long expected, long value) {
    try {
      touch(memory, offset);
      long before = (long) WORD.compareAndExchange(memory, offset, expected, value);
      throwPending();
      return before;
    } catch (InternalError e) {
      throw new MemoryFaultException(e);
    }
  }

  /** Reads a word before an atomic update, because a fault in an atomic of the interpreter ends the process. */
  private static void touch(MemorySegment memory, long offset) {
    if ((long) WORD.getVolatile(memory, offset) == UNLIKELY) {
      // Uses the value, because the compiler would otherwise remove the read.
      Thread.onSpinWait();
    }
    throwPending();
  }

  /**
   * Throws the error of an earlier access of this thread. HotSpot throws it at the latest when a native method returns, such as {@code
   * holdsLock}.
   */
  private static void throwPending() {
    if (Thread.holdsLock(LOCK)) {
      throw new AssertionError("the lock of a private object is held, though no code takes it");
    }
  }
}

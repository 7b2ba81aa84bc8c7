package io.github.vertxrdma.base;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.function.Supplier;

/**
 * Accesses memory that is mapped from a file. An access fails with SIGBUS if the file was truncated, or if its file system has no room for
 * the page. HotSpot then throws an {@link InternalError} some time after the access, in whatever code the thread executes by then. The
 * methods of this class throw a {@link MemoryFaultException} instead, before they return.
 *
 * <p>HotSpot does this only for its own accesses and copies. Native code and intrinsics, such as checksums, must not read such memory: a
 * fault in them ends the process.
 */
public final class FileMemory {
  private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();
  private static final Object LOCK = new Object();
  private static final long UNLIKELY = 0x5bd1_e995_8f2c_77a3L;

  private FileMemory() {
  }

  /**
   * Copies memory, of which one side or both are mapped from a file.
   *
   * @throws MemoryFaultException if an access failed
   */
  public static void copy(MemorySegment from, long fromOffset, MemorySegment to, long toOffset, long length) {
    try {
      MemorySegment.copy(from, fromOffset, to, toOffset, length);
      throwPending();
    } catch (InternalError e) {
      throw new MemoryFaultException(e);
    }
  }

  /**
   * Executes accesses other than atomic updates.
   *
   * @throws MemoryFaultException if one of them failed
   */
  public static <T> T access(Supplier<T> accesses) {
    try {
      T result = accesses.get();
      throwPending();
      return result;
    } catch (InternalError e) {
      throw new MemoryFaultException(e);
    }
  }

  /**
   * Stores a word that may be unaligned.
   *
   * @throws MemoryFaultException if the access failed
   */
  public static void putLong(MemorySegment to, long offset, long value) {
    try {
      to.set(ValueLayout.JAVA_LONG_UNALIGNED, offset, value);
      throwPending();
    } catch (InternalError e) {
      throw new MemoryFaultException(e);
    }
  }

  /**
   * Adds to an aligned word.
   *
   * @return the value before
   * @throws MemoryFaultException if the access failed
   */
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

  /**
   * Exchanges an aligned word that has the expected value.
   *
   * @return the value before
   * @throws MemoryFaultException if the access failed
   */
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

  /** Reads a word before it is changed atomically: a fault in an atomic of the interpreter ends the process. */
  private static void touch(MemorySegment memory, long offset) {
    if ((long) WORD.getVolatile(memory, offset) == UNLIKELY) {
      // Without a use of the value the compiler would leave the read out.
      Thread.onSpinWait();
    }
    throwPending();
  }

  /**
   * Throws the error of an earlier access of this thread. HotSpot throws it at the latest when a native method returns. {@code holdsLock}
   * is native in interpreted and compiled code.
   */
  private static void throwPending() {
    if (Thread.holdsLock(LOCK)) {
      throw new AssertionError("the lock of a private object is held, though no code takes it");
    }
  }
}

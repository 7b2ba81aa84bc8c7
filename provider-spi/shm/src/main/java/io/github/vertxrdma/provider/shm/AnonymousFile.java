package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.ffi.Errno;
import io.github.vertxrdma.provider.ffi.FileDescriptor;
import io.github.vertxrdma.provider.ffi.Memory;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Memory in a file without a name, memfd_create(2). Peers map it with a file descriptor that this process sends. All pages are allocated
 * and the size is sealed, so no access fails with SIGBUS.
 */
final class AnonymousFile {
  static final long PAGE = 4096;

  final MemorySegment memory;
  private final long mapped;
  final boolean writable;
  private final AtomicInteger users = new AtomicInteger(1);
  final int fd;

  private AnonymousFile(int fd, MemorySegment memory, long mapped, boolean writable) {
    this.fd = fd;
    this.memory = memory;
    this.mapped = mapped;
    this.writable = writable;
  }

  /** Creates and maps a file. Unless {@code writable}, the seal F_SEAL_FUTURE_WRITE of fcntl(2) forbids further writable mappings. */
  static AnonymousFile create(long bytes, boolean writable) {
    long rounded = Math.max(1, bytes + PAGE - 1 & -PAGE);
    int fd = SystemCalls.memoryFile();
    try {
      int errno = SystemCalls.allocate(fd, rounded);
      if (errno != 0) {
        throw new ProviderException(Reason.LIMIT, errno, "shm: cannot allocate " + bytes + " bytes of shared memory: "
          + Errno.describe(errno) + (errno == Errno.ENOSPC || errno == Errno.ENOMEM
            ? ". This host has no more memory, or this container has reached its limit" : ""));
      }
      long address = SystemCalls.map(fd, rounded, SystemCalls.PROT_READ | SystemCalls.PROT_WRITE);
      int seals = SystemCalls.SEAL_SHRINK | SystemCalls.SEAL_GROW;
      // Linux before 5.1 lacks F_SEAL_FUTURE_WRITE. Every process with the descriptor can then write to the file.
      boolean sealed = !writable && SystemCalls.seal(fd, seals | SystemCalls.SEAL_FUTURE_WRITE);
      if (!sealed) {
        SystemCalls.seal(fd, seals);
      }
      SystemCalls.seal(fd, SystemCalls.SEAL_SEAL);
      return new AnonymousFile(fd, Memory.segment(address, bytes), rounded, !sealed);
    } catch (RuntimeException | Error e) {
      FileDescriptor.close(fd);
      throw e;
    }
  }

  /**
   * Opens the file again with a shared lock, flock(2). The lock ends with the last mapping of the new descriptor in any process. The caller
   * must {@link #release} the result. If that fails, returns this file after another {@link #hold}.
   */
  AnonymousFile reopen() {
    int other = SystemCalls.reopen(fd);
    if (other >= 0 && SystemCalls.lock(other, SystemCalls.LOCK_SHARED)) {
      return new AnonymousFile(other, memory, mapped, writable);
    }
    if (other >= 0) {
      FileDescriptor.close(other);
    }
    hold();
    return this;
  }

  /** Returns whether any process still has a descriptor of {@link #reopen}, or a mapping made from one. */
  boolean isLockedByOthers() {
    return !SystemCalls.lock(fd, SystemCalls.LOCK_EXCLUSIVE) || !SystemCalls.lock(fd, SystemCalls.UNLOCK);
  }

  /** Keeps the descriptor open until {@link #release}. A new file is held once. */
  void hold() {
    users.incrementAndGet();
  }

  void unmap() {
    SystemCalls.unmap(memory.address(), mapped);
  }

  void release() {
    if (users.decrementAndGet() == 0) {
      FileDescriptor.close(fd);
    }
  }
}

package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.ffi.Errno;
import io.github.vertxrdma.provider.ffi.FileDescriptor;
import io.github.vertxrdma.provider.ffi.Memory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Memory in a file of its own, which peers map by a descriptor that they are sent. Its size is sealed, so that no peer's truncation makes
 * an access here fail (SIGBUS), and all of it is allocated. The mapping keeps the pages; the descriptor is only for handing out.
 */
final class SharedFile {
  static final long PAGE = 4096;
  /** Files of {@link #allocate} by address, of all domains of this process. */
  private static final ConcurrentSkipListMap<Long, SharedFile> ALLOCATED = new ConcurrentSkipListMap<>();

  /** Bytes from the start of its file. */
  final MemorySegment memory;
  private final long mapped;
  private final boolean writable;
  /** One for the memory, and one for each region that may have to hand it out. */
  private final AtomicInteger users = new AtomicInteger(1);
  private final int fd;

  private SharedFile(int fd, MemorySegment memory, long mapped, boolean writable) {
    this.fd = fd;
    this.memory = memory;
    this.mapped = mapped;
    this.writable = writable;
  }

  /**
   * Makes one that is mapped until {@link #unmap}.
   *
   * @param writable whether peers may write it; otherwise no other mapping than this one ever can (F_SEAL_FUTURE_WRITE of fcntl(2))
   * @throws ProviderException {@code LIMIT} with size, errno and remedy if the host has no memory for it
   */
  static SharedFile create(long bytes, boolean writable) {
    long rounded = Math.max(1, bytes + PAGE - 1 & -PAGE);
    int fd = Libc.memoryFile();
    try {
      int errno = Libc.allocate(fd, rounded);
      if (errno != 0) {
        throw new ProviderException(Reason.LIMIT, errno, "shm: " + bytes + " bytes of shared memory could not be had: "
          + Errno.describe(errno) + (errno == Errno.ENOSPC || errno == Errno.ENOMEM
          ? "; this host, or the memory limit of this container, has no more of it" : ""));
      }
      long address = Libc.map(fd, rounded, Libc.PROT_READ | Libc.PROT_WRITE);
      int seals = Libc.SEAL_SHRINK | Libc.SEAL_GROW;
      // Linux before 5.1 has no such seal: whoever has the file could write it.
      boolean sealed = !writable && Libc.seal(fd, seals | Libc.SEAL_FUTURE_WRITE);
      if (!sealed) {
        Libc.seal(fd, seals);
      }
      Libc.seal(fd, Libc.SEAL_SEAL);
      return new SharedFile(fd, Memory.segment(address, bytes), rounded, !sealed);
    } catch (RuntimeException | Error e) {
      FileDescriptor.close(fd);
      throw e;
    }
  }

  /** Memory of an arena that peers can map; freed with it. */
  static MemorySegment allocate(long bytes, boolean writable, Arena arena) {
    SharedFile file = create(bytes, writable);
    ALLOCATED.put(file.memory.address(), file);
    return MemorySegment.ofAddress(file.memory.address()).reinterpret(bytes, arena, gone -> {
      ALLOCATED.remove(file.memory.address());
      file.unmap();
      file.release();
    });
  }

  /** The file that all of this memory lies in, held until {@link #release}; null if there is none. */
  static SharedFile of(MemorySegment memory) {
    Map.Entry<Long, SharedFile> entry = ALLOCATED.floorEntry(memory.address());
    if (entry == null || memory.address() + memory.byteSize() > entry.getKey() + entry.getValue().memory.byteSize()) {
      return null;
    }
    return entry.getValue().users.getAndUpdate(n -> n == 0 ? 0 : n + 1) == 0 ? null : entry.getValue();
  }

  void hold() {
    users.incrementAndGet();
  }

  /** For handing out, as long as it is held. */
  int fd() {
    return fd;
  }

  /** Whether whoever has its descriptor can write it. */
  boolean writable() {
    return writable;
  }

  void unmap() {
    Libc.unmap(memory.address(), mapped);
  }

  /** Closes the descriptor with its last user. */
  void release() {
    if (users.decrementAndGet() == 0) {
      FileDescriptor.close(fd);
    }
  }

  /**
   * Maps a peer's file, whose descriptor is closed.
   *
   * @param bytes at least so many; 0 for all of it
   * @param most of a file that is mapped as a whole
   * @throws ProviderException if it is smaller, or could become smaller
   */
  static MemorySegment map(int fd, long bytes, long most, boolean writable) {
    try {
      long size = Libc.size(fd);
      long wanted = bytes == 0 ? size : bytes;
      if (size < wanted || size <= 0 || wanted <= 0 || bytes == 0 && size > most) {
        throw new ProviderException(Reason.OTHER, "shm: the peer sent a file of " + size + " bytes for " + wanted);
      }
      if ((Libc.seals(fd) & Libc.SEAL_SHRINK) == 0) {
        throw new ProviderException(Reason.OTHER, "shm: the peer sent a file that it could shrink, which would end this process");
      }
      return Memory.segment(Libc.map(fd, wanted, writable ? Libc.PROT_READ | Libc.PROT_WRITE : Libc.PROT_READ), wanted);
    } finally {
      FileDescriptor.close(fd);
    }
  }
}

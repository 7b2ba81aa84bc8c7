package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.ffi.Memory;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;

/**
 * Mapping of a peer's file. Each user's mappings are limited, because the JVM ends when no mapping (max_map_count of proc(5)) or address
 * space is left.
 */
record Mapping(MemorySegment memory, long user) {
  static final int MOST_OF_USER = 24 << 10;
  static final long MOST_BYTES_OF_USER = 8L << 40;
  static final int MOST = 48 << 10;

  private static final Map<Long, long[]> USERS = new HashMap<>();

  static Mapping of(int fd, long size, boolean writable, long user) {
    count(user, 1, size);
    try {
      long address = SystemCalls.map(fd, size, writable ? SystemCalls.PROT_READ | SystemCalls.PROT_WRITE : SystemCalls.PROT_READ);
      return new Mapping(Memory.segment(address, size), user);
    } catch (RuntimeException e) {
      count(user, -1, -size);
      throw e;
    }
  }

  private static void count(long user, int files, long bytes) {
    synchronized (USERS) {
      long[] of = USERS.computeIfAbsent(user, none -> new long[2]);
      if (files > 0 && (of[0] == MOST_OF_USER || of[1] > MOST_BYTES_OF_USER - bytes || mapped() == MOST)) {
        throw new ProviderException(Reason.LIMIT, "shm: cannot map a file of " + bytes + " bytes that a process of user " + user
          + " sent: the limit is reached. This process has mapped " + of[0] + " files of that user with " + of[1] + " bytes, and "
          + mapped() + " of all users. Close unused connections and remote regions.");
      }
      of[0] += files;
      of[1] += bytes;
      if (of[0] == 0) {
        USERS.remove(user);
      }
    }
  }

  static int mapped() {
    synchronized (USERS) {
      return (int) USERS.values().stream().mapToLong(of -> of[0]).sum();
    }
  }

  void unmap() {
    SystemCalls.unmap(memory.address(), memory.byteSize());
    count(user, -1, -memory.byteSize());
  }
}

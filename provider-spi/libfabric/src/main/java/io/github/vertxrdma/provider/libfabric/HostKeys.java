package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ffi.SharedTable;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The valid remote keys of this process on shared memory, where peers can see them. The provider there either ignores keys or, at a bad
 * one, never completes the operation and all that come after it. So the initiator looks the key up before it posts: a forged, stale or
 * revoked one, a range too long or a right that was not given ends as it does on other fabrics. Used from any thread.
 */
final class HostKeys implements AutoCloseable {
  /** Bytes of a key as it travels: the library's key, the table's id, process, file descriptor and entry. */
  static final int KEY_BYTES = 8 + 8 + 4 + 4 + 4;
  private static final String NAME = "vertx-rdma-keys";
  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
  private static final int HEADER = 64;
  private static final int ENTRY = 32;
  private static final int LENGTH = 8;
  private static final int RIGHTS = 16;
  private static final int ENTRIES = 1 << 16;
  /** Tables of peers that stay mapped although no key of theirs is in use: a peer that gives one key after the other is mapped once. */
  static final int IDLE = 16;

  private final SharedTable own = new SharedTable(NAME, HEADER + (long) ENTRIES * ENTRY);
  private final long id = new SecureRandom().nextLong();
  private final ArrayDeque<Integer> free = new ArrayDeque<>();
  /** Of peers, those used last at the end. */
  private final Map<ByteBuffer, Table> tables = new LinkedHashMap<>(16, 0.75f, true);
  private int used;
  private boolean closed;

  /** The table of a peer's process. */
  private static final class Table {
    final Arena arena;
    final MemorySegment memory;
    /** Keys of it that are in use. */
    int users;

    private Table(Arena arena, MemorySegment memory) {
      this.arena = arena;
      this.memory = memory;
    }

    /** @return null if it cannot be looked into */
    static Table of(int pid, int fd) {
      Arena arena = Arena.ofShared();
      MemorySegment memory = SharedTable.lookInto(NAME, pid, fd, arena);
      if (memory == null) {
        arena.close();
        return null;
      }
      return new Table(arena, memory);
    }

    boolean isOf(long id) {
      return memory.byteSize() >= HEADER + (long) ENTRIES * ENTRY && memory.get(ValueLayout.JAVA_LONG, 0) == id;
    }
  }

  HostKeys() {
    own.memory().set(ValueLayout.JAVA_LONG, 0, id);
  }

  /** Publishes a key. @return the bytes that a peer needs */
  synchronized byte[] publish(long key, long length, Set<Access> access) {
    Integer entry = free.poll();
    if (entry == null) {
      if (used == ENTRIES) {
        throw new ProviderException(ProviderException.Reason.LIMIT, "more than " + ENTRIES + " memory regions on shared memory"
          + " — register few large ones");
      }
      entry = used++;
    }
    long at = at(entry);
    own.memory().set(ValueLayout.JAVA_LONG, at + LENGTH, length);
    own.memory().set(ValueLayout.JAVA_LONG, at + RIGHTS, rights(access));
    LONG.setVolatile(own.memory(), at, key);
    return ByteBuffer.allocate(KEY_BYTES).putLong(key).putLong(id).putInt((int) ProcessHandle.current().pid()).putInt(own.fd())
      .putInt(entry).array();
  }

  /** Takes a key back: nobody starts an operation with it any more. */
  synchronized void revoke(byte[] bytes) {
    int entry = ByteBuffer.wrap(bytes).getInt(KEY_BYTES - 4);
    if (!closed) {
      LONG.setVolatile(own.memory(), at(entry), 0L);
      free.add(entry);
    }
  }

  /** A key of a peer, in use until it is released. @throws ProviderException {@code INVALID} if it cannot be one */
  synchronized Entry find(byte[] bytes) {
    if (bytes.length != KEY_BYTES || closed) {
      throw new ProviderException(ProviderException.Reason.INVALID, "a remote key of " + bytes.length + " bytes; those of shared memory have "
        + KEY_BYTES);
    }
    ByteBuffer key = ByteBuffer.wrap(bytes);
    Table table = tables.computeIfAbsent(ByteBuffer.wrap(bytes.clone(), 8, 16).slice(), name -> Table.of(key.getInt(16), key.getInt(20)));
    int entry = key.getInt(24);
    boolean valid = table != null && table.isOf(key.getLong(8)) && entry >= 0 && entry < ENTRIES;
    if (valid) {
      table.users++;
    }
    trim();
    if (!valid) {
      throw new ProviderException(ProviderException.Reason.INVALID, "a remote key of process " + key.getInt(16)
        + ", which is gone, or cannot be looked into: it must be in the same PID namespace and of the same user");
    }
    return new Entry(table, at(entry), key.getLong(0));
  }

  /** Lets a peer's key go. */
  synchronized void release(Entry entry) {
    entry.table.users--;
    trim();
  }

  private void trim() {
    long idle = tables.values().stream().filter(table -> table.users == 0).count();
    Iterator<Table> eldest = tables.values().iterator();
    while (idle > IDLE) {
      Table table = eldest.next();
      if (table.users == 0) {
        eldest.remove();
        table.arena.close();
        idle--;
      }
    }
  }

  /** Tables of peers that are mapped. */
  synchronized int mapped() {
    return tables.size();
  }

  /** The file in which a peer's key is published. */
  record Entry(Table table, long at, long key) {

    /** Whether the owner lets it happen now. */
    boolean permits(Operation operation, long address, long length) {
      MemorySegment memory = table.memory;
      return (long) LONG.getVolatile(memory, at) == key
        && (memory.get(ValueLayout.JAVA_LONG, at + RIGHTS) & right(operation)) != 0
        && address >= 0 && address <= memory.get(ValueLayout.JAVA_LONG, at + LENGTH) - length;
    }
  }

  private static long at(int entry) {
    return HEADER + (long) entry * ENTRY;
  }

  private static long rights(Set<Access> access) {
    long rights = 0;
    for (Access right : access) {
      rights |= 1L << right.ordinal();
    }
    return rights;
  }

  private static long right(Operation operation) {
    return 1L << operation.remoteAccess().ordinal();
  }

  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      tables.values().forEach(table -> table.arena.close());
      tables.clear();
      own.close();
    }
  }
}

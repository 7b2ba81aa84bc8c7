package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.Operation;
import java.util.BitSet;

/**
 * Operations that the fabric owns. A request id has an index and a generation, so that a completion of an earlier use is recognised. Silent
 * sends, of which the fabric owns nothing, have the tag of their connection.
 */
final class SendTable {
  private static final long SILENT = 1L << 61;
  private static final int GENERATIONS = 0x1fff_ffff;
  private static final Operation[] OPERATIONS = Operation.values();
  private static final byte SIGNALLED = 1 << 6;

  final long[] userIds;
  /** Null for {@link #controls}. */
  final ConnectedEndpoint[] endpoints;
  /** Null for operations of endpoints. */
  final ControlSender.Outgoing[] controls;
  private final byte[] operations;
  private final int[] generations;
  private final int[] free;
  final int capacity;
  private int freeCount;

  SendTable(int capacity) {
    this.capacity = capacity;
    userIds = new long[capacity];
    endpoints = new ConnectedEndpoint[capacity];
    controls = new ControlSender.Outgoing[capacity];
    operations = new byte[capacity];
    generations = new int[capacity];
    free = new int[capacity];
    for (int i = 0; i < capacity; i++) {
      free[i] = capacity - 1 - i;
    }
    freeCount = capacity;
  }

  int free() {
    return freeCount;
  }

  /** Returns the next request id, for {@link #take}. */
  long next() {
    int index = free[freeCount - 1];
    return (long) (generations[index] & GENERATIONS) << 32 | index;
  }

  /** Write barriers of collectors cost more than all the rest, so references are written only if they change. */
  int take(ConnectedEndpoint endpoint, long userId, Operation operation, boolean signal) {
    int index = free[--freeCount];
    if (endpoints[index] != endpoint) {
      endpoints[index] = endpoint;
    }
    userIds[index] = userId;
    operations[index] = (byte) (signal ? operation.ordinal() | SIGNALLED : operation.ordinal());
    return index;
  }

  void take(ControlSender.Outgoing control) {
    controls[free[--freeCount]] = control;
  }

  /** Returns -1 for an id of no operation in flight. */
  int index(long requestId) {
    int index = (int) requestId;
    return requestId >= 0 && index >= 0 && index < capacity && (int) (requestId >> 32) == (generations[index] & GENERATIONS) ? index : -1;
  }

  /** Returns the id of all silent sends of a tag. */
  static long silent(int tag) {
    return SILENT | tag;
  }

  /** Returns 0 for another request id. */
  static int silentTag(long requestId) {
    return (requestId & ~0xffff_ffffL) == SILENT ? (int) requestId : 0;
  }

  Operation operation(int index) {
    return OPERATIONS[operations[index] & ~SIGNALLED];
  }

  boolean signalled(int index) {
    return (operations[index] & SIGNALLED) != 0;
  }

  void release(int index) {
    if (controls[index] != null) {
      controls[index] = null;
    }
    generations[index]++;
    free[freeCount++] = index;
  }

  BitSet inFlight() {
    BitSet inFlight = new BitSet();
    inFlight.set(0, free.length);
    for (int i = 0; i < freeCount; i++) {
      inFlight.clear(free[i]);
    }
    return inFlight;
  }

  /** Called when nothing of the endpoint is in flight. */
  void forget(ConnectedEndpoint endpoint) {
    for (int i = 0; i < endpoints.length; i++) {
      if (endpoints[i] == endpoint) {
        endpoints[i] = null;
      }
    }
  }
}

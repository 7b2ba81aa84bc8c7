package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.Operation;
import java.util.BitSet;

/**
 * Posted operations. A request id has an index and a generation, which detects a completion of an earlier use of the index. Silent sends
 * ({@link RdmEndpoint#sendsSilently}) are not in the table: their id has the tag of their connection.
 */
final class SendTable {
  private static final long SILENT = 1L << 61;
  private static final int GENERATIONS = 0x1fff_ffff;
  private static final Operation[] OPERATIONS = Operation.values();
  private static final byte SIGNALLED = 1 << 6;

  final long[] userIds;
  /** Endpoints that posted the operations; null for control messages. */
  final ConnectedEndpoint[] endpoints;
  /** Control messages; null for operations of endpoints. */
  final ControlSender.Outgoing[] controls;
  private final byte[] operations;
  private final int[] generations;
  private final int[] free;
  final int capacity;
  int freeCount;

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

  long next() {
    int index = free[freeCount - 1];
    return (long) (generations[index] & GENERATIONS) << 32 | index;
  }

  /** Adds an operation. Assigns only changed references, to save write barriers. */
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

  /** Returns the index of an operation in flight; -1 if none has the id. */
  int index(long requestId) {
    int index = (int) requestId;
    return requestId >= 0 && index >= 0 && index < capacity && (int) (requestId >> 32) == (generations[index] & GENERATIONS) ? index : -1;
  }

  static long silent(int tag) {
    return SILENT | tag;
  }

  /** Returns the tag of a silent send; 0 for another request id. */
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

  /** Drops references to an endpoint that has no operation in flight. */
  void forget(ConnectedEndpoint endpoint) {
    for (int i = 0; i < endpoints.length; i++) {
      if (endpoints[i] == endpoint) {
        endpoints[i] = null;
      }
    }
  }
}

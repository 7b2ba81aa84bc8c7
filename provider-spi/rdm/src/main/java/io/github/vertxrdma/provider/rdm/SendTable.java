package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.Operation;
import java.util.BitSet;

/**
 * What the fabric owns of sends, writes, reads and atomics: the request id a completion brings back leads here to endpoint and user's id.
 * A request id is an index and a generation, so that a completion of an earlier use is recognised. Silent sends, which the fabric owns
 * nothing of, have ids by the tag of their connection instead.
 */
final class SendTable {
  private static final long SILENT = 1L << 61;
  private static final int GENERATIONS = 0x1fff_ffff;
  private static final Operation[] OPERATIONS = Operation.values();
  private static final byte SIGNALLED = 1 << 6;

  final long[] userIds;
  /** Of operations in flight that are no {@link #controls}. */
  final ConnectedEndpoint[] endpoints;
  /** Control messages in flight; null for operations of endpoints. */
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

  /** The request id of the next operation, for {@link #take} if the fabric took it. */
  long next() {
    int index = free[freeCount - 1];
    return (long) (generations[index] & GENERATIONS) << 32 | index;
  }

  /** References are written only where they change: the collectors' barriers behind such a write cost more than all the rest. */
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

  /** The index behind a request id, or -1 if it is of no operation in flight. */
  int index(long requestId) {
    int index = (int) requestId;
    return requestId >= 0 && index >= 0 && index < capacity && (int) (requestId >> 32) == (generations[index] & GENERATIONS) ? index : -1;
  }

  /** The request id of all silent sends of the connection with that tag. */
  static long silent(int tag) {
    return SILENT | tag;
  }

  /** The tag behind the request id of a silent send; 0 if it is of none. */
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

  /** Indexes that are in flight. */
  BitSet inFlight() {
    BitSet inFlight = new BitSet();
    inFlight.set(0, free.length);
    for (int i = 0; i < freeCount; i++) {
      inFlight.clear(free[i]);
    }
    return inFlight;
  }

  /** Forgets an endpoint that has nothing in flight. */
  void forget(ConnectedEndpoint endpoint) {
    for (int i = 0; i < endpoints.length; i++) {
      if (endpoints[i] == endpoint) {
        endpoints[i] = null;
      }
    }
  }
}

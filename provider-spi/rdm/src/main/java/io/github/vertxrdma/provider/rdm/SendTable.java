package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.Operation;

/**
 * What the fabric owns of sends, writes, reads and atomics: the request id a completion brings back leads here to endpoint and user's id.
 * A request id is an index and a generation, so that a completion of an earlier use is recognised. Silent sends, which the fabric owns
 * nothing of, have ids by the tag of their connection instead.
 */
final class SendTable {
  private static final long SILENT = 1L << 61;

  private final long[] userIds;
  private final ConnectedEndpoint[] endpoints;
  private final ControlSender.Outgoing[] controls;
  private final Operation[] operations;
  private final boolean[] signalled;
  private final int[] generations;
  private final int[] free;
  private int freeCount;

  SendTable(int capacity) {
    userIds = new long[capacity];
    endpoints = new ConnectedEndpoint[capacity];
    controls = new ControlSender.Outgoing[capacity];
    operations = new Operation[capacity];
    signalled = new boolean[capacity];
    generations = new int[capacity];
    free = new int[capacity];
    for (int i = 0; i < capacity; i++) {
      free[i] = capacity - 1 - i;
    }
    freeCount = capacity;
  }

  int capacity() {
    return free.length;
  }

  int free() {
    return freeCount;
  }

  /** The request id of the next operation, for {@link #take} if the fabric took it. */
  long next() {
    int index = free[freeCount - 1];
    return (long) (generations[index] & 0x1fff_ffff) << 32 | index;
  }

  void take(ConnectedEndpoint endpoint, long userId, Operation operation, boolean signal) {
    int index = free[--freeCount];
    endpoints[index] = endpoint;
    userIds[index] = userId;
    operations[index] = operation;
    signalled[index] = signal;
  }

  void take(ControlSender.Outgoing control) {
    controls[free[--freeCount]] = control;
  }

  /** The index behind a request id, or -1 if it is of no operation in flight. */
  int index(long requestId) {
    int index = (int) requestId;
    if (requestId < 0 || index < 0 || index >= free.length || (int) (requestId >> 32) != (generations[index] & 0x1fff_ffff)
      || endpoints[index] == null && controls[index] == null) {
      return -1;
    }
    return index;
  }

  /** The request id of all silent sends of the connection with that tag. */
  static long silent(int tag) {
    return SILENT | tag;
  }

  /** The tag behind the request id of a silent send; 0 if it is of none. */
  static int silentTag(long requestId) {
    return (requestId & ~0xffff_ffffL) == SILENT ? (int) requestId : 0;
  }

  ConnectedEndpoint endpoint(int index) {
    return endpoints[index];
  }

  /** The control message it is of; null for operations of endpoints. */
  ControlSender.Outgoing control(int index) {
    return controls[index];
  }

  long userId(int index) {
    return userIds[index];
  }

  Operation operation(int index) {
    return operations[index];
  }

  boolean signalled(int index) {
    return signalled[index];
  }

  void release(int index) {
    endpoints[index] = null;
    controls[index] = null;
    generations[index]++;
    free[freeCount++] = index;
  }
}

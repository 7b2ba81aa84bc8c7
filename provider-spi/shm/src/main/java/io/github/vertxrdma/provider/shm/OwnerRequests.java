package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.software.PostedOperation;

/** Writes records that ask the owner of memory to execute an operation. */
final class OwnerRequests {
  private static final int WRITE_FIELDS = 48;

  private OwnerRequests() {
  }

  static boolean write(ShmEndpoint endpoint, PostedOperation pending, ShmRemoteMemory remote, long sequence) {
    RingOutput output = endpoint.peering().output;
    WorkRequest request = pending.request();
    long length = request.length();
    do {
      int n = (int) Math.min(output.longestPayload(), length - pending.progress());
      long at = claim(output, remote, request.remoteOffset() + pending.progress(), sequence, WRITE_FIELDS + n);
      if (at < 0) {
        return false;
      }
      boolean last = pending.progress() + n == length;
      int flags = last ? Record.LAST | (request.operation().hasImmediate() ? Record.HAS_IMMEDIATE : 0) : 0;
      output.header(at, Record.WRITE | flags, endpoint.peerNumber(), (int) request.immediate());
      pending.copy(pending.progress(), output.memory(), at + WRITE_FIELDS, n);
      output.publish(at, WRITE_FIELDS + n);
      pending.progress(pending.progress() + n);
      output.ring();
    } while (pending.progress() < length);
    return true;
  }

  static boolean read(ShmEndpoint endpoint, WorkRequest request, ShmRemoteMemory remote, long sequence) {
    RingOutput output = endpoint.peering().output;
    boolean read = request.operation() == Operation.READ;
    int bytes = read ? 56 : 64;
    long at = claim(output, remote, request.remoteOffset(), sequence, bytes);
    if (at < 0) {
      return false;
    }
    int type = read ? Record.READ : request.operation() == Operation.FETCH_ADD ? Record.FETCH_ADD : Record.COMPARE_SWAP;
    output.header(at, type, endpoint.peerNumber(), 0);
    Ring.LONG.set(output.memory(), at + 48, read ? request.length() : request.operand());
    if (!read) {
      Ring.LONG.set(output.memory(), at + 56, request.swap());
    }
    output.publish(at, bytes);
    return true;
  }

  private static long claim(RingOutput output, ShmRemoteMemory remote, long offset, long sequence, int length) {
    long at = output.claim(length);
    if (at >= 0) {
      Ring.INT.set(output.memory(), at + 16, remote.slot());
      Ring.LONG.set(output.memory(), at + 24, remote.secret());
      Ring.LONG.set(output.memory(), at + 32, remote.base() + offset);
      Ring.LONG.set(output.memory(), at + 40, sequence);
    }
    return at;
  }
}

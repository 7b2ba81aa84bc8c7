package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.software.PostedOperation;

final class MessageRecords {
  private MessageRecords() {
  }

  static boolean sendWhole(ShmEndpoint endpoint, WorkRequest request, long length) {
    RingOutput output = endpoint.peering().output;
    if (length > output.longestPayload()) {
      return false;
    }
    int bytes = Record.HEADER + (int) length;
    long at = output.claim(bytes);
    if (at < 0) {
      return false;
    }
    int type = request.operation().hasImmediate() ? Record.SEND | Record.HAS_IMMEDIATE : Record.SEND;
    output.header(at, type, endpoint.peerNumber(), (int) request.immediate());
    PostedOperation.copy(request, 0, output.memory(), at + Record.HEADER, length);
    output.publish(at, bytes);
    return true;
  }

  /**
   * Sends a message, in several parts if it is long.
   *
   * @return false if the ring has no room for the rest
   */
  static boolean send(ShmEndpoint endpoint, PostedOperation pending) {
    RingOutput output = endpoint.peering().output;
    WorkRequest request = pending.request();
    long length = request.length();
    int flag = request.operation().hasImmediate() ? Record.HAS_IMMEDIATE : 0;
    boolean whole = length <= output.longestPayload() && pending.progress() == 0;
    int header = whole ? Record.HEADER : Record.PART_FIELDS;
    do {
      int n = (int) Math.min(output.longestPayload(), length - pending.progress());
      long at = output.claim(header + n);
      if (at < 0) {
        return false;
      }
      output.header(at, (whole ? Record.SEND : Record.PART) | flag, endpoint.peerNumber(), (int) request.immediate());
      if (!whole) {
        Ring.LONG.set(output.memory(), at + Record.HEADER, length);
      }
      pending.copy(pending.progress(), output.memory(), at + header, n);
      output.publish(at, header + n);
      pending.progress(pending.progress() + n);
      if (!whole) {
        output.ring();
      }
    } while (pending.progress() < length);
    return true;
  }
}

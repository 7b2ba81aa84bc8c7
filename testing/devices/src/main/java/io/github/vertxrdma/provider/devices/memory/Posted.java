package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ScatterGather;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import java.lang.foreign.MemorySegment;
import java.util.function.UnaryOperator;

/** A posted operation. The bytes of a send or write are read when posted or, with a courier, at the latest on arrival. */
final class Posted {
  final long id;
  final Operation operation;
  final boolean signaled;
  final long length;
  final long immediate;
  /** Copy of the request; null without a courier. */
  final WorkRequest request;
  private boolean loaded;
  private byte[] bytes;
  private boolean ended;
  private int status = Status.OK;
  private String error;

  Posted(WorkRequest posted, boolean carried) {
    id = posted.id();
    operation = posted.operation();
    signaled = (posted.flags() & PostFlags.SIGNALED) != 0;
    length = posted.length();
    immediate = posted.immediate();
    request = carried ? copy(posted) : null;
  }

  private static WorkRequest copy(WorkRequest request) {
    WorkRequest copy = new WorkRequest().set(request);
    return request.list() == null ? copy : copy.local(new ScatterGather(request.pieces()).set(request.list(), UnaryOperator.identity()));
  }

  void load(WorkRequest from) {
    loaded = true;
    bytes = new byte[(int) length];
    OneSided.gather(from, MemorySegment.ofArray(bytes));
  }

  /** Reads the bytes, unless they were read before. @return false if the memory is no longer registered */
  boolean load() {
    if (!loaded && request != null && !operation.isRead()) {
      loaded = true;
      byte[] read = new byte[(int) length];
      if (OneSided.gather(request, MemorySegment.ofArray(read))) {
        bytes = read;
      }
    }
    return bytes != null || operation.isRead();
  }

  byte[] bytes() {
    return bytes;
  }

  void end(int how, String why) {
    if (!ended) {
      ended = true;
      status = how;
      error = why;
    }
  }

  boolean isEnded() {
    return ended;
  }

  int status() {
    return status;
  }

  String error() {
    return error;
  }
}

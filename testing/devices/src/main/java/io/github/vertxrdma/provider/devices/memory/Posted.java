package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ScatterGather;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.software.SoftwareRegion;
import java.lang.foreign.MemorySegment;
import java.util.function.UnaryOperator;

/** A copy of a posted request. The bytes of a send or write are read when posted or, with a courier, at the latest on arrival. */
final class Posted {
  final WorkRequest request;
  private boolean loaded;
  private byte[] bytes;
  private boolean ended;
  private int status = Status.OK;
  private String error;

  Posted(WorkRequest posted) {
    request = new WorkRequest().set(posted);
    if (posted.list() != null) {
      request.local(new ScatterGather(posted.pieces()).set(posted.list(), UnaryOperator.identity()));
    }
  }

  boolean isRead() {
    return request.operation().isRead();
  }

  boolean isSignaled() {
    return (request.flags() & PostFlags.SIGNALED) != 0;
  }

  /** Reads the bytes, unless they were read before. @return false if the memory is no longer registered */
  boolean load() {
    if (!loaded && !isRead()) {
      loaded = true;
      byte[] read = new byte[(int) request.length()];
      bytes = gather(MemorySegment.ofArray(read)) ? read : null;
    }
    return bytes != null || isRead();
  }

  private boolean gather(MemorySegment to) {
    boolean all = true;
    long at = 0;
    for (int i = 0; i < request.pieces(); i++) {
      long length = request.pieceLength(i);
      all &= length == 0 || ((SoftwareRegion) request.pieceRegion(i)).take(request.pieceOffset(i), to, at, length);
      at += length;
    }
    return all;
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

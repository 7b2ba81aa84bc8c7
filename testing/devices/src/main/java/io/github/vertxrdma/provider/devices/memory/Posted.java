package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.software.PostedOperation;
import io.github.vertxrdma.provider.software.SoftwareRegion;
import java.lang.foreign.MemorySegment;

/** A posted operation. The bytes of a send or write are read when posted or, with a courier, at the latest on arrival. */
final class Posted extends PostedOperation {
  private boolean loaded;
  private byte[] bytes;
  private int status = Status.OK;
  private String error;

  Posted(WorkRequest posted) {
    set(posted, posted.flags() & ~PostFlags.INLINE, 0);
  }

  boolean isRead() {
    return request().operation().isRead();
  }

  /** Reads the bytes, unless they were read before. @return false if the memory is no longer registered */
  boolean load() {
    if (!loaded && !isRead()) {
      loaded = true;
      byte[] read = new byte[(int) request().length()];
      bytes = gather(MemorySegment.ofArray(read)) ? read : null;
    }
    return bytes != null || isRead();
  }

  private boolean gather(MemorySegment to) {
    WorkRequest request = request();
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
    if (!isEnded()) {
      end();
      status = how;
      error = why;
    }
  }

  int status() {
    return status;
  }

  String error() {
    return error;
  }
}

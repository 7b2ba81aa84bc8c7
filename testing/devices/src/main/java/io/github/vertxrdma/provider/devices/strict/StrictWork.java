package io.github.vertxrdma.provider.devices.strict;

import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;

final class StrictWork {
  /** Request id of the post on the wrapped endpoint. */
  final long id;
  final long requestId;
  final Operation operation;
  final boolean signaled;
  boolean done;
  int status = Status.OK;
  String error;
  private MemorySegment[] source;
  private long checksum;

  StrictWork(long id, WorkRequest request) {
    this.id = id;
    requestId = request.id();
    operation = request.operation();
    signaled = (request.flags() & PostFlags.SIGNALED) != 0;
  }

  void watch(MemorySegment... ranges) {
    source = ranges;
    checksum = checksum(ranges);
  }

  boolean untouched() {
    return source == null || checksum(source) == checksum;
  }

  private static long checksum(MemorySegment[] ranges) {
    CRC32 crc = new CRC32();
    for (MemorySegment range : ranges) {
      ByteBuffer bytes = range.asByteBuffer();
      crc.update(bytes);
    }
    return crc.getValue();
  }
}

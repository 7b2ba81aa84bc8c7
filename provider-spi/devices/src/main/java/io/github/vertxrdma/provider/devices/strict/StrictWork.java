package io.github.vertxrdma.provider.devices.strict;

import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.Status;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;

/** A work request, and what its memory looked like when it was posted. */
final class StrictWork {
  /** What the device behind knows it by. */
  final long id;
  final long requestId;
  final Operation operation;
  final boolean signaled;
  boolean done;
  int status = Status.OK;
  String error;
  private MemorySegment[] source;
  private long checksum;

  StrictWork(long id, long requestId, Operation operation, boolean signaled) {
    this.id = id;
    this.requestId = requestId;
    this.operation = operation;
    this.signaled = signaled;
  }

  boolean read() {
    return operation == Operation.READ || operation == Operation.FETCH_ADD || operation == Operation.COMPARE_SWAP;
  }

  boolean oneSided() {
    return operation != Operation.SEND && operation != Operation.SEND_IMMEDIATE;
  }

  /** Remembers what is to be sent from there. */
  void watch(MemorySegment... ranges) {
    source = ranges;
    checksum = checksum(ranges);
  }

  /** Whether the source is as it was. */
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

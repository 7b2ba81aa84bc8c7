package io.github.vertxrdma.functions.impl;

import io.vertx.core.buffer.Buffer;

/**
 * Header of a call; {@link Wire} defines the layout.
 *
 * @param length bytes of the arguments with the trace headers before them
 * @param maxResultBytes maximum bytes of the result, without its header
 * @param traced bytes of the trace headers
 */
record CallHeader(int at, long secret, long id, int function, int length, long resultAt, int maxResultBytes, int millis, int window,
  int traced) {

  /**
   * @param frame a copy that the client cannot change
   * @throws IllegalArgumentException if the call is incomplete
   */
  static CallHeader read(Buffer frame, int at) {
    int left = frame.length() - at - Wire.CALL_HEADER;
    if (left >= 0) {
      int length = frame.getIntLE(at + 20);
      int traced = frame.getIntLE(at + 44);
      if (traced >= 0 && traced <= length && length <= left) {
        return new CallHeader(at, frame.getLongLE(at), frame.getLongLE(at + 8), frame.getIntLE(at + 16), length, frame.getLongLE(at + 24),
          frame.getIntLE(at + 32), frame.getIntLE(at + 36), frame.getIntLE(at + 40), traced);
      }
    }
    throw new IllegalArgumentException("contains an incomplete call");
  }

  int end() {
    return at + Wire.CALL_HEADER + Wire.padded(length);
  }

  int bytes() {
    return Wire.CALL_HEADER + length;
  }

  int slot() {
    return Wire.slot(id);
  }

  long sequence() {
    return id >>> Wire.SLOT_BITS;
  }

  /** Returns the arguments: a slice if the frame has one call, otherwise a copy, so that a call does not retain the memory of others. */
  Buffer arguments(Buffer frame, boolean alone) {
    return part(frame, alone, at + Wire.CALL_HEADER + traced, length - traced);
  }

  Buffer trace(Buffer frame, boolean alone) {
    return traced == 0 ? null : part(frame, alone, at + Wire.CALL_HEADER, traced);
  }

  private static Buffer part(Buffer frame, boolean alone, int from, int length) {
    return alone ? frame.slice(from, from + length) : Buffer.buffer(length).appendBuffer(frame, from, length);
  }
}

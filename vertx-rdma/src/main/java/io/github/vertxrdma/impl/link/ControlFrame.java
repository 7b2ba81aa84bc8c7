package io.github.vertxrdma.impl.link;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Inbound control frame with a copy of its payload. The object is reused for the next frame. */
final class ControlFrame {
  final MemorySegment payload;
  int type;
  int flags;
  long a;
  long b;
  /** Length of the payload in bytes. */
  int length;

  ControlFrame(MemorySegment payload) {
    this.payload = payload;
  }

  void set(long first, MemorySegment from, long at, int size) {
    type = Frame.type(first);
    flags = Frame.flags(first);
    a = Frame.a(from, at);
    b = Frame.b(from, at);
    length = size;
    if (size > 0) {
      MemorySegment.copy(from, at + Frame.SIZE, payload, 0, size);
    }
  }

  boolean isRefusal() {
    return (flags & Frame.REFUSED) != 0;
  }

  byte[] bytes() {
    return payload.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
  }
}

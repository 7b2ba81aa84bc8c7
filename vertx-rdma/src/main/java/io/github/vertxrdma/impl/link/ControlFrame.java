package io.github.vertxrdma.impl.link;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Inbound control frame with a copy of its payload. The object is reused for the next frame. */
final class ControlFrame {
  private final MemorySegment payload;
  private int type;
  private int flags;
  private long a;
  private long b;
  private int length;

  public ControlFrame(MemorySegment payload) {
    this.payload = payload;
  }

  public void set(long first, MemorySegment from, long at, int size) {
    type = Frame.type(first);
    flags = Frame.flags(first);
    a = Frame.a(from, at);
    b = Frame.b(from, at);
    length = size;
    if (size > 0) {
      MemorySegment.copy(from, at + Frame.SIZE, payload, 0, size);
    }
  }

  public int type() {
    return type;
  }

  public int flags() {
    return flags;
  }

  public boolean isRefusal() {
    return (flags & Frame.REFUSED) != 0;
  }

  public long a() {
    return a;
  }

  public long b() {
    return b;
  }

  public MemorySegment payload() {
    return payload;
  }

  public int length() {
    return length;
  }

  public byte[] bytes() {
    return payload.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
  }
}

package io.github.vertxrdma.impl.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A control frame that has arrived, with a copy of its payload: used again for the next one, once its handler has returned. */
public final class ControlFrame {
  private final MemorySegment payload;
  private int type;
  private int flags;
  private long a;
  private long b;
  private int length;

  /** @param payload memory for payloads */
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

  /** Memory whose first {@link #length} bytes are the payload. */
  public MemorySegment payload() {
    return payload;
  }

  /** Bytes of the payload. */
  public int length() {
    return length;
  }

  /** Copy of the payload. */
  public byte[] bytes() {
    return payload.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
  }
}

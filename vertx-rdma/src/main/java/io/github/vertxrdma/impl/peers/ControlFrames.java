package io.github.vertxrdma.impl.peers;

import io.vertx.core.buffer.Buffer;

/** Splits the bytes of a control connection into frames. Buffers at most one incomplete frame. */
public final class ControlFrames {
  static final int HEAD = 5;

  private Buffer pending = Buffer.buffer();
  /** True if {@link #pending} is a copy, to which bytes may be appended. */
  private boolean copied;
  private int at;
  private int limit;
  private byte type;
  private Buffer payload;

  public ControlFrames(int maxPayload) {
    this.limit = maxPayload;
  }

  void limit(int bytes) {
    limit = bytes;
  }

  public static Buffer encode(byte type, Buffer payload) {
    return Buffer.buffer(HEAD + payload.length()).appendInt(1 + payload.length()).appendByte(type).appendBuffer(payload);
  }

  public void add(Buffer data) {
    if (pending.length() == at) {
      pending = data;
      copied = false;
      at = 0;
      return;
    }
    if (!copied || at > 0) {
      pending = pending.getBuffer(at, pending.length());
      copied = true;
      at = 0;
    }
    pending.appendBuffer(data);
  }

  /**
   * Moves to the next frame. Returns false if it is incomplete.
   *
   * @throws IllegalArgumentException if its length is invalid
   */
  public boolean next() {
    int left = pending.length() - at;
    if (left < HEAD - 1) {
      return false;
    }
    int length = pending.getInt(at);
    if (length < 1 || length > limit + 1) {
      throw new IllegalArgumentException("invalid frame length " + length + ": this is no control connection of vertx-rdma");
    }
    if (left - (HEAD - 1) < length) {
      return false;
    }
    type = pending.getByte(at + HEAD - 1);
    payload = pending.getBuffer(at + HEAD, at + HEAD - 1 + length);
    at += HEAD - 1 + length;
    return true;
  }

  public byte type() {
    return type;
  }

  public Buffer payload() {
    return payload;
  }
}

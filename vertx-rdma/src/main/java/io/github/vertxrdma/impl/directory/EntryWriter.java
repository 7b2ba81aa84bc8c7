package io.github.vertxrdma.impl.directory;

import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.BiConsumer;

/** Writes the byte encoding of directory entries: big-endian, strings and byte arrays behind their length. */
public final class EntryWriter {
  /** Format version; a reader refuses any other. */
  static final byte VERSION = 2;

  private final Buffer buffer = Buffer.buffer(256);

  public EntryWriter begin(int kind) {
    buffer.appendByte(VERSION).appendByte((byte) kind);
    return this;
  }

  public EntryWriter int8(int value) {
    buffer.appendByte((byte) value);
    return this;
  }

  public EntryWriter int32(int value) {
    buffer.appendInt(value);
    return this;
  }

  public EntryWriter int64(long value) {
    buffer.appendLong(value);
    return this;
  }

  public EntryWriter bytes(byte[] value) {
    buffer.appendInt(value.length).appendBytes(value);
    return this;
  }

  public EntryWriter string(String value) {
    return bytes(value.getBytes(StandardCharsets.UTF_8));
  }

  public <T> EntryWriter list(List<T> values, BiConsumer<T, EntryWriter> element) {
    buffer.appendInt(values.size());
    for (T value : values) {
      element.accept(value, this);
    }
    return this;
  }

  public Buffer buffer() {
    return buffer;
  }
}

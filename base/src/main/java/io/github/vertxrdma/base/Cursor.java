package io.github.vertxrdma.base;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * Reads or writes the fields of one record in their order. Numbers are big-endian unless {@link #order} sets another order. The length of a
 * block, a text (UTF-8) or a list precedes it, in {@code prefix} bytes: 1, 2 or 4. Not thread-safe.
 *
 * <p>A read beyond the end of a record throws {@link IllegalArgumentException} and allocates nothing. So does a write if the length does
 * not fit into {@code prefix} bytes.
 */
public final class Cursor {
  private final String record;
  private ByteBuffer bytes;

  private Cursor(String record, ByteBuffer bytes) {
    this.record = record;
    this.bytes = bytes;
  }

  /**
   * Creates a cursor that reads a record.
   *
   * @param record name of the record in errors, such as "a digest"
   * @param bytes not copied
   */
  public static Cursor reading(String record, byte[] bytes) {
    return new Cursor(record, ByteBuffer.wrap(bytes));
  }

  /**
   * Creates a cursor that writes a record.
   *
   * @param size initial capacity in bytes, which grows if needed
   */
  public static Cursor writing(int size) {
    return new Cursor("", ByteBuffer.allocate(size));
  }

  /** Sets the byte order of the numbers that follow. */
  public Cursor order(ByteOrder order) {
    bytes.order(order);
    return this;
  }

  /** Returns the number of unread bytes. */
  public int remaining() {
    return bytes.remaining();
  }

  public int u8() {
    return require(1).get() & 0xff;
  }

  public int u16() {
    return require(Short.BYTES).getShort() & 0xffff;
  }

  public int i32() {
    return require(Integer.BYTES).getInt();
  }

  public long i64() {
    return require(Long.BYTES).getLong();
  }

  public byte[] bytes(int length) {
    require(length);
    byte[] read = new byte[length];
    bytes.get(read);
    return read;
  }

  /** Reads the remaining bytes. */
  public byte[] rest() {
    return bytes(bytes.remaining());
  }

  /** Reads a length in {@code prefix} bytes, then this number of bytes. */
  public byte[] block(int prefix) {
    return bytes(length(prefix));
  }

  /** Reads a length in {@code prefix} bytes, then a text of this length. */
  public String text(int prefix) {
    return new String(block(prefix), StandardCharsets.UTF_8);
  }

  /**
   * Reads a number in {@code prefix} bytes, then this number of elements.
   *
   * @param element reads one element, which has at least one byte
   */
  public <T> List<T> list(int prefix, Function<Cursor, T> element) {
    List<T> elements = new ArrayList<>();
    int size = length(prefix);
    require(size);
    for (int i = 0; i < size; i++) {
      elements.add(element.apply(this));
    }
    return List.copyOf(elements);
  }

  private int length(int prefix) {
    return prefix == 1 ? u8() : prefix == Short.BYTES ? u16() : i32();
  }

  private ByteBuffer require(int length) {
    if (length < 0 || length > bytes.remaining()) {
      throw new IllegalArgumentException("cannot read " + record + ": it ends too early, after " + bytes.limit() + " bytes");
    }
    return bytes;
  }

  public Cursor u8(int value) {
    room(1).put((byte) value);
    return this;
  }

  public Cursor u16(int value) {
    room(Short.BYTES).putShort((short) value);
    return this;
  }

  public Cursor i32(int value) {
    room(Integer.BYTES).putInt(value);
    return this;
  }

  public Cursor i64(long value) {
    room(Long.BYTES).putLong(value);
    return this;
  }

  public Cursor bytes(byte[] value) {
    room(value.length).put(value);
    return this;
  }

  /** Writes the length in {@code prefix} bytes, then the bytes. */
  public Cursor block(int prefix, byte[] value) {
    return length(prefix, value.length).bytes(value);
  }

  /** Writes the length in {@code prefix} bytes, then the text. */
  public Cursor text(int prefix, String value) {
    return block(prefix, value.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Writes the number in {@code prefix} bytes, then the elements.
   *
   * @param element writes one element
   */
  public <T> Cursor list(int prefix, List<T> values, BiConsumer<T, Cursor> element) {
    length(prefix, values.size());
    values.forEach(value -> element.accept(value, this));
    return this;
  }

  private Cursor length(int prefix, int length) {
    if (prefix < Integer.BYTES && length >>> 8 * prefix != 0) {
      throw new IllegalArgumentException("cannot write a block of " + length + " bytes: its length field has only " + prefix + " bytes");
    }
    return prefix == 1 ? u8(length) : prefix == Short.BYTES ? u16(length) : i32(length);
  }

  private ByteBuffer room(int length) {
    if (length > bytes.remaining()) {
      int size = Math.max(2 * bytes.capacity(), bytes.position() + length);
      bytes = ByteBuffer.allocate(size).order(bytes.order()).put(bytes.flip());
    }
    return bytes;
  }

  /** Returns a copy of the written bytes. */
  public byte[] toArray() {
    return Arrays.copyOf(bytes.array(), bytes.position());
  }
}

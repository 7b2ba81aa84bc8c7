package io.github.vertxrdma.impl.directory;

import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Reads what {@link EntryWriter} wrote. Lengths are checked before anything is allocated, since the bytes come from other nodes. */
public final class EntryReader {
  public static final int NODE = 1;
  public static final int SERVICE = 2;
  public static final int REGION = 3;

  private final Buffer buffer;
  private final int kind;
  private int position;

  /** @throws IllegalArgumentException for a format of another version */
  public EntryReader(Buffer buffer) {
    this.buffer = buffer;
    int version = int8();
    if (version != EntryWriter.VERSION) {
      throw new IllegalArgumentException("a directory entry has format " + version + ", this node reads format " + EntryWriter.VERSION
        + "; run the same version of vertx-rdma on all nodes");
    }
    kind = int8();
  }

  public int kind() {
    return kind;
  }

  /** Whether nothing is left: later fields are missing in an entry of an earlier version. */
  public boolean isOver() {
    return position == buffer.length();
  }

  public int int8() {
    return buffer.getByte(position++) & 0xff;
  }

  public int int32() {
    position += 4;
    return buffer.getInt(position - 4);
  }

  public long int64() {
    position += 8;
    return buffer.getLong(position - 8);
  }

  public byte[] bytes() {
    int length = length();
    position += length;
    return buffer.getBytes(position - length, position);
  }

  /** Most are those of other entries: names of fabrics, versions, the id of a node. */
  public String string() {
    return new String(bytes(), StandardCharsets.UTF_8).intern();
  }

  public <T> List<T> list(Function<EntryReader, T> element) {
    int size = length();
    List<T> values = new ArrayList<>(Math.min(size, 64));
    for (int i = 0; i < size; i++) {
      values.add(element.apply(this));
    }
    return List.copyOf(values);
  }

  private int length() {
    int length = int32();
    if (length < 0 || length > buffer.length() - position) {
      throw new IllegalArgumentException("not a directory entry: a length of " + length + " with " + (buffer.length() - position)
        + " bytes left");
    }
    return length;
  }
}

package io.github.vertxrdma.provider.ffi;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Declares offsets, sizes and constants of C headers. A test compares them with the installed headers.
 *
 * <pre>{@code
 * static final CHeader FABRIC = new CHeader("libfabric 1.17", "rdma/fabric.h");
 * static final int FI_INFO_CAPS = FABRIC.offset("struct fi_info", "caps", 8);
 * static final long FI_MSG = FABRIC.constant("FI_MSG", 1 << 1);
 * }</pre>
 */
public final class CHeader {
  private final String version;
  private final List<String> headers;
  private final Map<String, Long> expected = new LinkedHashMap<>();

  public CHeader(String version, String... headers) {
    this.version = version;
    this.headers = List.of(headers);
  }

  public int offset(String struct, String member, int offset) {
    expect("offsetof(" + struct + ", " + member + ")", offset);
    return offset;
  }

  public int size(String struct, int size) {
    expect("sizeof(" + struct + ")", size);
    return size;
  }

  /** Declares a buffer size that suffices for a struct, even if later versions append members. */
  public int bufferSize(String struct, int bytes) {
    expect("sizeof(" + struct + ") <= " + bytes, 1);
    return bytes;
  }

  public long constant(String name, long value) {
    expect("(unsigned long long) " + name, value);
    return value;
  }

  public int constant(String name, int value) {
    expect("(int) " + name, value);
    return value;
  }

  public String version() {
    return version;
  }

  public List<String> headers() {
    return headers;
  }

  public synchronized Map<String, Long> expected() {
    return Collections.unmodifiableMap(new LinkedHashMap<>(expected));
  }

  private synchronized void expect(String expression, long value) {
    expected.put(expression, value);
  }
}

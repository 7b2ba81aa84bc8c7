package io.github.vertxrdma.provider.ffi;

import io.github.vertxrdma.base.FileMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;

/**
 * Native memory by address: malloc(3) and plain loads and stores. As in C, nothing is checked except the NULL page. Memory that a C library
 * frees itself (the strings of a struct fi_info) must be allocated here, never in an arena.
 */
public final class Memory {
  private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
  private static final MemorySegment CALLOC = Downcall.function("calloc");
  private static final MemorySegment ALIGNED_ALLOC = Downcall.function("aligned_alloc");
  private static final MemorySegment FREE = Downcall.function("free");
  private static final int NULL_PAGE = 4096;

  private Memory() {
  }

  /** Allocates zeroed memory, aligned for any C type. @throws OutOfMemoryError if there is none */
  public static long allocate(long bytes) {
    return granted(Calls.plain(CALLOC, 1, Math.max(1, bytes)), bytes);
  }

  /** Allocates zeroed memory at a multiple of the alignment, a power of two. */
  public static long allocateAligned(long bytes, long alignment) {
    long size = (Math.max(1, bytes) + alignment - 1) & -alignment;
    long address = granted(Calls.plain(ALIGNED_ALLOC, alignment, size), bytes);
    fill(address, size, (byte) 0);
    return address;
  }

  /** Allocates a C string that a library may free(3). */
  public static long allocateString(String value) {
    byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
    long address = allocate(bytes.length + 1L);
    putBytes(address, bytes);
    return address;
  }

  /** Calls free(3). 0 is ignored. */
  public static void free(long address) {
    Calls.plain(FREE, address);
  }

  private static long granted(long address, long bytes) {
    if (address == 0) {
      throw new OutOfMemoryError("malloc of " + bytes + " bytes failed");
    }
    return address;
  }

  public static byte getByte(long address) {
    return ALL.get(ValueLayout.JAVA_BYTE, check(address));
  }

  public static int getInt(long address) {
    return ALL.get(ValueLayout.JAVA_INT_UNALIGNED, check(address));
  }

  public static long getLong(long address) {
    return ALL.get(ValueLayout.JAVA_LONG_UNALIGNED, check(address));
  }

  public static void putByte(long address, byte value) {
    ALL.set(ValueLayout.JAVA_BYTE, check(address), value);
  }

  public static void putShort(long address, short value) {
    ALL.set(ValueLayout.JAVA_SHORT_UNALIGNED, check(address), value);
  }

  public static short getShort(long address) {
    return ALL.get(ValueLayout.JAVA_SHORT_UNALIGNED, check(address));
  }

  public static void putInt(long address, int value) {
    ALL.set(ValueLayout.JAVA_INT_UNALIGNED, check(address), value);
  }

  public static void putLong(long address, long value) {
    ALL.set(ValueLayout.JAVA_LONG_UNALIGNED, check(address), value);
  }

  public static byte[] getBytes(long address, int length) {
    byte[] bytes = new byte[length];
    if (length > 0) {
      MemorySegment.copy(ALL, ValueLayout.JAVA_BYTE, check(address), bytes, 0, length);
    }
    return bytes;
  }

  public static void putBytes(long address, byte[] bytes) {
    if (bytes.length > 0) {
      MemorySegment.copy(bytes, 0, ALL, ValueLayout.JAVA_BYTE, check(address), bytes.length);
    }
  }

  public static void fill(long address, long length, byte value) {
    ALL.asSlice(check(address), length).fill(value);
  }

  public static void copy(long from, long to, long length) {
    MemorySegment.copy(ALL, check(from), ALL, check(to), length);
  }

  /** Copies memory that is mapped from a file. @throws IllegalStateException if the file was truncated */
  public static void copyFromFile(MemorySegment from, long offset, long to, long length) {
    FileMemory.copy(from, offset, ALL, check(to), length);
  }

  /** Returns the C string at an address, or null for 0. */
  public static String getString(long address) {
    return address == 0 ? null : ALL.getString(check(address));
  }

  /** Like {@link #getString(long)}, in an encoding whose characters have one byte or several, none of them 0. */
  static String getString(long address, Charset encoding) {
    return new String(ALL.getString(check(address), StandardCharsets.ISO_8859_1).getBytes(StandardCharsets.ISO_8859_1), encoding);
  }

  /** Returns a view of memory that another object owns. */
  public static MemorySegment segment(long address, long length) {
    return MemorySegment.ofAddress(check(address)).reinterpret(length);
  }

  private static long check(long address) {
    if (address >= 0 && address < NULL_PAGE) {
      throw new NullPointerException("native address " + address);
    }
    return address;
  }
}

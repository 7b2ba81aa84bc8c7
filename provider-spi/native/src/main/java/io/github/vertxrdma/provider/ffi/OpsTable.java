package io.github.vertxrdma.provider.ffi;

/**
 * Reads function pointers from a library's tables, such as struct fi_ops. A table may be NULL, or shorter than in a newer header; calling
 * a missing function would crash the process.
 */
public final class OpsTable {
  private OpsTable() {
  }

  /**
   * Returns a function of a table that starts with its size ({@code size_t}), as tables of libfabric do; 0 if there is no table or
   * function.
   */
  public static long sized(long table, int offset) {
    return table == 0 || Long.compareUnsigned(Memory.getLong(table), offset + 8L) < 0 ? 0 : Memory.getLong(table + offset);
  }

  /** Like {@link #sized}, for a table that does not start with its size. */
  public static long plain(long table, int offset) {
    return table == 0 ? 0 : Memory.getLong(table + offset);
  }
}

package io.github.vertxrdma.provider.ffi;

/**
 * Reads function pointers in ops tables, once per object. A table may be NULL, or shorter than that of a newer header; calling through it
 * ends the process.
 */
public final class OpsTable {
  private OpsTable() {
  }

  /**
   * Returns a function of a table that starts with its size ({@code size_t}), as all tables of libfabric do.
   *
   * @param table its address, or 0
   * @param offset bytes from its start
   * @return 0 if there is no table, entry or function
   */
  public static long sized(long table, int offset) {
    return table == 0 || Long.compareUnsigned(Memory.getLong(table), offset + 8L) < 0 ? 0 : Memory.getLong(table + offset);
  }

  /** Returns the function at an offset of a table without a size. @return the function's address; 0 if there is no table or no function */
  public static long plain(long table, int offset) {
    return table == 0 ? 0 : Memory.getLong(table + offset);
  }
}

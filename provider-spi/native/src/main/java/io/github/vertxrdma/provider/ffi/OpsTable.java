package io.github.vertxrdma.provider.ffi;

/**
 * Reads function pointers in ops tables. A provider may leave a table NULL, or have a shorter one than the header of a newer version;
 * calling through it ends the process. So read pointers once per object, check them, and keep them.
 */
public final class OpsTable {
  private OpsTable() {
  }

  /**
   * Returns the function at an offset of a table that starts with its size in bytes ({@code size_t size}), as all tables of libfabric do.
   *
   * @param table address of the table, or 0
   * @param offset bytes from its start
   * @return the function's address; 0 if there is no table, no such entry or no function
   */
  public static long sized(long table, int offset) {
    return table == 0 || Long.compareUnsigned(Memory.getLong(table), offset + 8L) < 0 ? 0 : Memory.getLong(table + offset);
  }

  /** Returns the function at an offset of a table without a size. @return the function's address; 0 if there is no table or no function */
  public static long plain(long table, int offset) {
    return table == 0 ? 0 : Memory.getLong(table + offset);
  }
}

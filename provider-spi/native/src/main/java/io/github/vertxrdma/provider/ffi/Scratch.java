package io.github.vertxrdma.provider.ffi;

/** Zeroed native memory for the arguments and results of a call. It is freed at the end of a try statement. */
public final class Scratch implements AutoCloseable {
  private long address;

  private Scratch(long address) {
    this.address = address;
  }

  public static Scratch of(long bytes) {
    return new Scratch(Memory.allocate(bytes));
  }

  public static Scratch of(String value) {
    return new Scratch(Memory.allocateString(value));
  }

  public long address() {
    return address;
  }

  @Override
  public void close() {
    Memory.free(address);
    address = 0;
  }
}

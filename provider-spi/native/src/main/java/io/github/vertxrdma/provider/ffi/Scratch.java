package io.github.vertxrdma.provider.ffi;

/** Zeroed native memory for the arguments and results of a call. It is freed at the end of a try statement. */
public record Scratch(long address) implements AutoCloseable {
  public static Scratch of(long bytes) {
    return new Scratch(Memory.allocate(bytes));
  }

  public static Scratch of(String value) {
    return new Scratch(Memory.allocateString(value));
  }

  @Override
  public void close() {
    Memory.free(address);
  }
}

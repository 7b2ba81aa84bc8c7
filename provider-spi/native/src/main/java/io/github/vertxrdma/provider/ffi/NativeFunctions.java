package io.github.vertxrdma.provider.ffi;

/** Base of classes that hold the addresses of the functions of a library. */
public abstract class NativeFunctions {
  protected final NativeLibrary library;

  protected NativeFunctions(NativeLibrary library) {
    this.library = library;
  }

  /** @throws io.github.vertxrdma.provider.ProviderException {@code TOO_OLD} if the library lacks the symbol */
  protected final long require(String symbol) {
    return library.require(symbol);
  }
}

package io.github.vertxrdma.provider.ffi;

import io.github.vertxrdma.provider.ProviderException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Shared library; dlopen(3). Never unloaded, because it may have threads and exit hooks. {@link SignalGuard} restores HotSpot's signal
 * handlers after loading.
 */
public final class NativeLibrary {
  private static final MemorySegment DLOPEN = Downcall.function("dlopen");
  private static final MemorySegment DLSYM = Downcall.function("dlsym");
  private static final MemorySegment DLERROR = Downcall.function("dlerror");
  private static final MemorySegment DLADDR = Downcall.function("dladdr");
  private static final int RTLD_NOW = 2;
  private static final int DL_INFO = 64;

  private final String name;
  private final long handle;

  private NativeLibrary(String name, long handle) {
    this.name = name;
    this.handle = handle;
  }

  public static LibraryLookup load(LibrarySearch search) {
    if (!System.getProperty("os.name").equals("Linux")) {
      return new LibraryLookup.Missing(search.soname() + " is used on Linux only, and this system is " + System.getProperty("os.name"), "");
    }
    if (search.given() != null && !search.given().isBlank()) {
      String[] error = new String[1];
      NativeLibrary library = open(search.given(), error);
      return library != null ? new LibraryLookup.Found(library)
        : new LibraryLookup.Missing(search.givenBy() + " names " + search.given() + ", which cannot be loaded: " + error[0],
          "correct " + search.givenBy() + ", or unset it to search the usual places");
    }
    String[] error = new String[1];
    StringBuilder broken = new StringBuilder();
    for (String place : search.places()) {
      if (Files.exists(Path.of(place))) {
        NativeLibrary library = open(place, error);
        if (library != null) {
          return new LibraryLookup.Found(library);
        }
        broken.append("; ").append(error[0]);
      }
    }
    NativeLibrary library = open(search.soname(), error);
    return library != null ? new LibraryLookup.Found(library)
      : new LibraryLookup.Missing(search.soname() + " is not installed or cannot be loaded: " + error[0] + broken, search.remedy());
  }

  private static NativeLibrary open(String name, String[] error) {
    // Keeps libinfinipath and libpsm2, which Debian's libfabric loads, from installing signal handlers.
    SignalGuard.setEnvironment("IPATH_NO_BACKTRACE", "1");
    SignalGuard.setEnvironment("HFI_BACKTRACE", null);
    long handle = SignalGuard.run(() -> {
      try (Scratch cName = Scratch.of(name)) {
        long opened = Calls.plain(DLOPEN, cName.address(), RTLD_NOW);
        if (opened == 0) {
          error[0] = Memory.getString(Calls.plain(DLERROR, 0));
        }
        return opened;
      }
    });
    return handle == 0 ? null : new NativeLibrary(name, handle);
  }

  public long find(String symbol) {
    try (Scratch cName = Scratch.of(symbol)) {
      return Calls.plain(DLSYM, handle, cName.address());
    }
  }

  /** @throws ProviderException {@code TOO_OLD} if the library lacks the symbol */
  public long require(String symbol) {
    long address = find(symbol);
    if (address == 0) {
      throw new ProviderException(ProviderException.Reason.TOO_OLD, name + " has no function " + symbol + ". Install a newer version");
    }
    return address;
  }

  /** Returns the file that contains a symbol; the library's name if unknown. */
  public String file(String symbol) {
    long address = find(symbol);
    if (address == 0 || DLADDR.address() == 0) {
      return name;
    }
    try (Scratch info = Scratch.of(DL_INFO)) {
      int found = (int) Calls.plain(DLADDR, address, info.address());
      String file = found == 0 ? null : Memory.getString(Memory.getLong(info.address()));
      return file == null ? name : file;
    }
  }

  @Override
  public String toString() {
    return name;
  }
}

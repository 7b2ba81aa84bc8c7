package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Downcall;
import io.github.vertxrdma.provider.ffi.Errno;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The room in /dev/shm. libfabric offers shm only where what an endpoint may map, for the receives it is told of, fits once for each
 * processor of the machine; an endpoint uses about a third of that.
 */
final class SharedMemoryRoom {
  /** The variable by which libfabric is told how many receives an endpoint has. */
  static final String VARIABLE = "FI_SHM_RX_SIZE";
  /** Receives of one endpoint where there is room for them. */
  private static final int MANY = 8192;
  /** And where there is not. */
  private static final int FEW = 4096;
  private static final long BYTES_PER_RECEIVE = 8 << 10;
  /** The part of what an endpoint may map that it touches: one of so many. */
  private static final int TOUCHED = 3;

  private static final Path FOLDER = Path.of("/dev/shm");
  private static final long SYSCONF = Downcall.libc("sysconf");
  /** _SC_NPROCESSORS_ONLN of the GNU C library, as libfabric counts them. */
  private static final int PROCESSORS_ONLINE = 84;
  private static final int RECEIVES = chosen();

  private SharedMemoryRoom() {
  }

  /** As many receives as fit when it is first asked for, which libfabric is told once; or as the user has told it. */
  static int receives() {
    return RECEIVES;
  }

  private static int chosen() {
    try {
      return Integer.parseInt(System.getenv(VARIABLE));
    } catch (NumberFormatException e) {
      return fitting();
    }
  }

  private static int fitting() {
    try {
      return free() >= MANY * BYTES_PER_RECEIVE * processors() ? MANY : FEW;
    } catch (IOException e) {
      return FEW;
    }
  }

  /**
   * Checks that an endpoint finds what it touches at once: libfabric maps its files without taking room for them, and where there is none an
   * access ends the process by SIGBUS.
   *
   * @throws ProviderException {@code LIMIT} if there is less
   */
  static void check(String device) {
    try {
      long free = free();
      long needed = receives() * BYTES_PER_RECEIVE / TOUCHED;
      if (free < needed) {
        throw new ProviderException(Reason.LIMIT, Errno.ENOSPC, device + ": an endpoint takes " + (needed >> 20) + " MiB of " + FOLDER
          + ", which has " + (free >> 20) + " MiB free: make room there (mount -o remount,size=1g " + FOLDER + "; Docker: --shm-size=1g)");
      }
    } catch (IOException e) {
      // Without a folder libfabric fails by itself.
    }
  }

  /** The space there is, and the space there has to be. */
  static String inWords() {
    try {
      return FOLDER + " has " + (free() >> 20) + " MiB free, for this machine's processors it takes "
        + (FEW * BYTES_PER_RECEIVE * processors() >> 20);
    } catch (IOException e) {
      return "there is no " + FOLDER;
    }
  }

  private static long free() throws IOException {
    return Files.getFileStore(FOLDER).getUsableSpace();
  }

  private static long processors() {
    return Math.max(1, Calls.pointer(SYSCONF, PROCESSORS_ONLINE));
  }
}

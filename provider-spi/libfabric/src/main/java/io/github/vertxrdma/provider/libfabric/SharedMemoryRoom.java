package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Downcall;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The room in /dev/shm. libfabric offers shm only where what an endpoint may map, for the receives it is told of, fits once for each
 * processor of the machine; an endpoint uses about a third of that.
 */
final class SharedMemoryRoom {
  /** Receives of one endpoint where there is room for them. */
  private static final int MANY = 8192;
  /** And where there is not. */
  private static final int FEW = 4096;
  private static final long BYTES_PER_RECEIVE = 8 << 10;

  private static final Path FOLDER = Path.of("/dev/shm");
  private static final long SYSCONF = Downcall.libc("sysconf");
  /** _SC_NPROCESSORS_ONLN of the GNU C library, as libfabric counts them. */
  private static final int PROCESSORS_ONLINE = 84;

  private SharedMemoryRoom() {
  }

  /** As many receives as fit. */
  static int receives() {
    try {
      return free() >= MANY * BYTES_PER_RECEIVE * processors() ? MANY : FEW;
    } catch (IOException e) {
      return FEW;
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

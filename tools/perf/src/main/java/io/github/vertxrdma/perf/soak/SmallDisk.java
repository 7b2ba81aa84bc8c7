package io.github.vertxrdma.perf.soak;

import io.github.vertxrdma.perf.SkippedException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A tmpfs of 32 MiB that only processes in its namespace see. */
final class SmallDisk extends OwnNamespace {
  private static final int BLOCK = 4096;

  private final Path folder;

  SmallDisk(Path folder) throws SkippedException, InterruptedException {
    super(List.of("unshare", "-m"), "mount -t tmpfs -o size=32m,mode=700 tmpfs " + folder, "root and unshare(1)", "-m", "-w");
    this.folder = folder;
  }

  /** Returns the path of the folder for a process outside of the namespace. */
  Path seen() {
    return Path.of("/proc/" + pid() + "/root" + folder);
  }

  /** Fills the disk completely, and returns the file. */
  Path fill() throws IOException {
    Path filler = seen().resolve("filler");
    try (OutputStream out = Files.newOutputStream(filler)) {
      while (true) {
        out.write(new byte[BLOCK]);
      }
    } catch (IOException e) {
      return filler;
    }
  }
}

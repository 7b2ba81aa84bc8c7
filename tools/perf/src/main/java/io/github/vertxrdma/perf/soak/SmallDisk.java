package io.github.vertxrdma.perf.soak;

import io.github.vertxrdma.perf.ChildProcess;
import io.github.vertxrdma.perf.PerfException;
import io.github.vertxrdma.perf.SkippedException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A small tmpfs on a folder, which only processes see that join it. */
final class SmallDisk implements AutoCloseable {
  private static final int SECONDS = 20;
  private static final int BLOCK = 4096;
  private static final String MOUNTED = "mounted";

  private final ChildProcess holder;
  private final Path folder;

  private SmallDisk(ChildProcess holder, Path folder) {
    this.holder = holder;
    this.folder = folder;
  }

  static SmallDisk on(Path folder) throws SkippedException, InterruptedException {
    try {
      ChildProcess holder = new ChildProcess("small disk", List.of("unshare", "-m", "sh", "-c",
        "mount -t tmpfs -o size=32m,mode=700 tmpfs " + folder + " && echo " + MOUNTED + " && exec cat"), MOUNTED::equals);
      try {
        holder.answer(SECONDS);
        return new SmallDisk(holder, folder);
      } catch (PerfException e) {
        holder.close();
        throw new SkippedException("only root can mount a small one, by unshare(1)");
      }
    } catch (IOException e) {
      throw new SkippedException("there is no unshare(1)");
    }
  }

  List<String> joined() {
    return List.of("nsenter", "-t", String.valueOf(holder.pid()), "-m", "-w");
  }

  /** Returns the folder as seen by a process that has not joined. */
  Path seen() {
    return Path.of("/proc/" + holder.pid() + "/root" + folder);
  }

  /** Returns the file that fills the disk to the last byte. */
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

  @Override
  public void close() {
    holder.close();
  }
}

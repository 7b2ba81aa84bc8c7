package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.directory.ProcessIdentity;
import io.github.vertxrdma.impl.process.LivenessSocket;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * Processors that other processes than this one and a peer leave, as the kernel counts the time of all. Leaves out the time that a
 * hypervisor takes, which costs TCP as much as a fabric. Confined to one thread.
 */
final class OtherLoad implements MoveMeasure.Processors {
  private static final Path KERNEL = Path.of("/proc");
  /** Periods in ns, of which the first one is short, since traffic waits for it. The kernel counts in units of 10 ms. */
  private static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(300);
  static final long FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(60);
  /** Time in ns after which the last reading shows nothing about traffic that begins. */
  private static final long STALE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final double UNITS_IN_A_NANO = 1e-7;
  private static final int OF_PROCESS = 13;

  private final Path all;
  private final Path own;
  private final Path peer;
  private long sampled;
  private long period;
  private long units;
  private double free;

  /**
   * @param own identity in this node's entry, which has the runtime folders
   * @param peer null if it is unknown
   */
  OtherLoad(ProcessIdentity own, ProcessIdentity peer) {
    this(KERNEL, isVisible(own, peer) ? Long.toString(peer.pid()) : null);
  }

  /**
   * @param kernel folder with files like those of {@code /proc}
   * @param peer name of the peer's folder, or null if it is unknown
   */
  OtherLoad(Path kernel, String peer) {
    this.all = kernel.resolve("stat");
    this.own = kernel.resolve("self/stat");
    this.peer = peer == null ? null : kernel.resolve(peer).resolve("stat");
  }

  /** Returns whether a peer is another process of this host, which the kernel shows here. */
  static boolean isVisible(ProcessIdentity own, ProcessIdentity peer) {
    return peer != null && peer.pid() > 0 && peer.pid() != own.pid() && peer.pidNamespace() == own.pidNamespace()
      && LivenessSocket.sameHost(own, peer);
  }

  @Override
  public void begin(long now) {
    if (now - sampled > STALE_NANOS) {
      sampled = 0;
      free = 0;
    }
  }

  @Override
  public double free(long now) {
    boolean first = sampled == 0;
    if (first || now - sampled >= period) {
      // A quota or an affinity leaves fewer than the host has.
      int usable = Runtime.getRuntime().availableProcessors();
      try {
        String[] lines = Files.readString(all).split("\n");
        long others = busy(lines[0]) - ofProcess(own) - ofPeer();
        int processors = 0;
        while (lines[processors + 1].startsWith("cpu")) {
          processors++;
        }
        free = first ? 0 : Math.min(usable, processors - (others - units) / ((now - sampled) * UNITS_IN_A_NANO));
        units = others;
        sampled = now;
        period = first ? FIRST_NANOS : PERIOD_NANOS;
      } catch (IOException | RuntimeException e) {
        free = usable;
        sampled = 0;
      }
    }
    return free;
  }

  /** Returns the units of processor time in a line with those of a user, nice, the system, idle, waiting, and interrupts twice. */
  private static long busy(String line) {
    String[] fields = line.split(" +");
    return number(fields, 1) + number(fields, 2) + number(fields, 3) + number(fields, 6) + number(fields, 7);
  }

  private static long number(String[] fields, int at) {
    return Long.parseLong(fields[at]);
  }

  /** Returns 0 if the kernel hides the process, which then counts as another one. */
  private long ofPeer() {
    try {
      return peer == null ? 0 : ofProcess(peer);
    } catch (IOException e) {
      return 0;
    }
  }

  private static long ofProcess(Path stat) throws IOException {
    String text = Files.readString(stat);
    // The name, in parentheses, may contain spaces.
    String[] fields = text.substring(text.lastIndexOf(')')).split(" ");
    return number(fields, OF_PROCESS - 1) + number(fields, OF_PROCESS);
  }
}

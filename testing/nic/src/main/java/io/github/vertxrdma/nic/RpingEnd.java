package io.github.vertxrdma.nic;

import java.util.List;
import java.util.Set;

/** Distinguishes an orderly end of rping(1) from an error. */
public final class RpingEnd {
  private static final String CLOSED_CHANNEL = "rdma_get_cm_event: Bad file descriptor";
  /** The server waits for the next round when the client disconnects after the last one; 10 is DISCONNECTED. */
  private static final Set<String> LINES = Set.of("client DISCONNECT EVENT...", "server DISCONNECT EVENT...",
    "wait for RDMA_READ_ADV state 10", CLOSED_CHANNEL);

  private RpingEnd() {
  }

  /**
   * Returns whether rping completed all its rounds. Its main thread closes the event channel after the last round. If its event thread
   * reads the channel later, the process ends with status 255 and a line that says so.
   *
   * @param status the exit status of the process
   * @param lines all that it printed
   */
  public static boolean isOrderly(int status, List<String> lines) {
    return LINES.containsAll(lines) && (status == 0 || status == 255 && lines.contains(CLOSED_CHANNEL));
  }
}

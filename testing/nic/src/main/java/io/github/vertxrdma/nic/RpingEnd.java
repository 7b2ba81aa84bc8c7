package io.github.vertxrdma.nic;

import java.util.List;
import java.util.Set;

public final class RpingEnd {
  private static final String CLOSED_CHANNEL = "rdma_get_cm_event: Bad file descriptor";
  /** Lines printed at an orderly end. State 10 is DISCONNECTED: the server expected another round. */
  private static final Set<String> LINES = Set.of("client DISCONNECT EVENT...", "server DISCONNECT EVENT...",
    "wait for RDMA_READ_ADV state 10", CLOSED_CHANNEL);

  private RpingEnd() {
  }

  /** Returns whether rping ended in order. Accepts status 255 if its event thread read the channel after the close. */
  public static boolean isOrderly(int status, List<String> lines) {
    return LINES.containsAll(lines) && (status == 0 || status == 255 && lines.contains(CLOSED_CHANNEL));
  }
}

package io.github.vertxrdma.nic;

import java.util.List;
import java.util.Set;

public final class RpingEnd {
  private static final String CLOSED_CHANNEL = "rdma_get_cm_event: Bad file descriptor";
  /** Output of an orderly end. State 10 is DISCONNECTED: the server expected another round. */
  private static final Set<String> LINES = Set.of("client DISCONNECT EVENT...", "server DISCONNECT EVENT...",
    "wait for RDMA_READ_ADV state 10", CLOSED_CHANNEL);

  private RpingEnd() {
  }

  /** Accepts status 255 with this message, because rping's event thread may read the channel after its close. */
  public static boolean isOrderly(int status, List<String> lines) {
    return LINES.containsAll(lines) && (status == 0 || status == 255 && lines.contains(CLOSED_CHANNEL));
  }
}

package io.github.vertxrdma.impl.peers;

/** Cuts control connections as a network device would: without notice. */
public final class ControlCut {
  private ControlCut() {
  }

  /** Any thread. */
  public static void cut(ControlLink link) {
    link.socket.close();
  }
}

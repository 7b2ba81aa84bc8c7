package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.RdmaException.Reason;

/** Observes the links of a device on one event loop. Called on that loop. */
public interface LinkWatcher {
  LinkWatcher NONE = new LinkWatcher() {};

  default void connecting(LinkConnector<?> attempt) {
  }

  /** Called when an attempt succeeds or fails, even if {@code connecting} was not called. */
  default void connectEnded(LinkConnector<?> attempt) {
  }

  default void opened(Link link) {
  }

  default void closed(Link link, Throwable cause) {
  }

  /** Returns whether {@link Link#peerDead} is called within milliseconds after the peer's process ends. */
  default boolean reportsDeath(Link link) {
    return false;
  }

  /** Returns the name of a node, empty if unknown. Thread-safe. */
  default String nameOf(String nodeId) {
    return "";
  }

  /**
   * Called repeatedly while a link waits for a peer that is silent for {@code deadTimeout}. May call {@link Link#suspect} or
   * {@link Link#suspectIfSilent}.
   */
  default void silent(Link link) {
  }

  default void refused(Reason reason, String why) {
  }
}

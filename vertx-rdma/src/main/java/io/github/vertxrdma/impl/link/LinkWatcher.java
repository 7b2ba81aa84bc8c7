package io.github.vertxrdma.impl.link;

/** Hears of all links of a device loop, on the loop. */
public interface LinkWatcher {
  /** Watches nothing. */
  LinkWatcher NONE = new LinkWatcher() {};

  /** One is being made; {@link #settled} follows. */
  default void connecting(LinkAttempt attempt) {
  }

  /** One is made, or is not. Also of attempts that nothing was told of. */
  default void settled(LinkAttempt attempt) {
  }

  /** It is open: its peer has proved itself, and {@link Link#peer} says who it is. */
  default void opened(Link link) {
  }

  /** One that was open is over. @param cause null if it was closed in order */
  default void over(Link link, Throwable cause) {
  }

  /** Returns whether {@link Link#peerDead} is called soon after the peer's process ended, as a rule within milliseconds. On the loop. */
  default boolean reportsDeath(Link link) {
    return false;
  }

  /** A node's name for people; empty if it is not known (yet). Any thread. */
  default String nameOf(String nodeId) {
    return "";
  }

  /**
   * Called again and again while a link awaits something of a peer that has been silent for {@code deadTimeout}. Silence alone does not end
   * it: the watcher calls {@link Link#suspect} or {@link Link#cutOff} when it has evidence that the peer is dead or the path is cut.
   */
  default void silent(Link link) {
  }

  /** One that a peer asked for was not made. @param why with whom, and the reason */
  default void refused(String why) {
  }
}

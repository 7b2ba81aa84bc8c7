package io.github.vertxrdma.impl.link;

/** Attempt of this side to connect a link. Any thread. */
public interface LinkAttempt {

  /** Names are those of the directory. */
  boolean isTo(String nodeId, String device);

  /** @param why for messages */
  void giveUp(String why);
}

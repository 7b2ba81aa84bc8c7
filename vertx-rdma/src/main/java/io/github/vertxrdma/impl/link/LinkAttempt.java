package io.github.vertxrdma.impl.link;

/** Attempt to connect a link. Thread-safe. */
public interface LinkAttempt {

  boolean isTo(String nodeId, String device);

  void giveUp(String why);
}

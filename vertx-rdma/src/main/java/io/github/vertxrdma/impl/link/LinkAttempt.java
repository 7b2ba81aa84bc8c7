package io.github.vertxrdma.impl.link;

/** A link that this side is making. Any thread. */
public interface LinkAttempt {

  /** Tells whether it goes to that device of that peer, as the directory calls them. */
  boolean isTo(String nodeId, String device);

  /** Ends it, unless it has come to an end. @param why for messages */
  void giveUp(String why);
}

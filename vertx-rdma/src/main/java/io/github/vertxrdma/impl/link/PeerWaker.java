package io.github.vertxrdma.impl.link;

/** Wakes a peer that may sleep on a fabric that cannot wake it. */
public interface PeerWaker {
  /** For fabrics that wake by themselves. */
  PeerWaker NONE = new PeerWaker() {
    @Override
    public void wake() {
    }

    @Override
    public void close() {
    }
  };

  /** After a post: rings if the peer sleeps. */
  void wake();

  void close();
}

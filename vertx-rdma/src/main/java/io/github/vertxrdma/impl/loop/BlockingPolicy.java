package io.github.vertxrdma.impl.loop;

/** Sleeps as soon as it finds nothing. */
final class BlockingPolicy implements PollPolicy {
  @Override
  public boolean begin(long now, boolean expecting) {
    return false;
  }

  @Override
  public boolean sleepsAtOnce() {
    return true;
  }
}

package io.github.vertxrdma.impl.loop;

/** Sleeps as soon as it finds nothing. */
final class BlockingPolicy implements PollPolicy {
  @Override
  public boolean begins(long now, long events, boolean expecting) {
    return false;
  }

  @Override
  public Next next(long now, long events) {
    return Next.SLEEP;
  }

  @Override
  public boolean sleepsAtOnce() {
    return true;
  }
}

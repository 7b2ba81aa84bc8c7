package io.github.vertxrdma.impl.loop;

/** Sleeps at once: the least CPU time, and a wake-up by the kernel in each latency. */
final class BlockingPolicy implements PollPolicy {

  @Override
  public boolean begin(long now, boolean expecting) {
    return false;
  }

  @Override
  public boolean proceed(long now) {
    return false;
  }

  @Override
  public void again(long now, boolean expecting) {
  }

  @Override
  public void end(boolean found, long now) {
  }

  @Override
  public void sleeps(long now) {
  }

  @Override
  public void woke(boolean found, long now) {
  }
}

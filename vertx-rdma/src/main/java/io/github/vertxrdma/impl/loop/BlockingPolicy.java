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
}

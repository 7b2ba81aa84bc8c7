package io.github.vertxrdma.impl.loop;

/** Never sleeps. It gives the core to other threads that can run after polling in vain for {@link IdleTime#SPIN_NANOS}. */
final class BusyPolicy implements PollPolicy {
  private final IdleTime idle = new IdleTime();

  @Override
  public boolean begins(long now, long events, boolean expecting) {
    return true;
  }

  @Override
  public Next next(long now, long events) {
    return idle.next(now, events);
  }
}

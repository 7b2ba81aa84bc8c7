package io.github.vertxrdma.impl.loop;

/** Never sleeps. */
final class BusyPolicy implements PollPolicy {
  /** For loops that have a core to themselves, which they keep. Stateless, so that all loops may share it. */
  static final BusyPolicy KEEPS_CORE = new BusyPolicy(null);

  private final IdleTime idle;

  /** Gives the core to other threads that can run after polling in vain for {@link IdleTime#SPIN_NANOS}. */
  BusyPolicy() {
    this(new IdleTime());
  }

  private BusyPolicy(IdleTime idle) {
    this.idle = idle;
  }

  @Override
  public boolean begins(long now, long events, boolean expecting) {
    return true;
  }

  /** Loops without queues would take cores from those with queues. */
  @Override
  public boolean pollsSocketsAlone() {
    return false;
  }

  @Override
  public Next next(long now, long events) {
    return idle == null ? Next.POLL : idle.next(now, events);
  }
}

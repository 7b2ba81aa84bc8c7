package io.github.vertxrdma.impl.poll;

final class BusyPolicy implements PollPolicy {
  /** Policy that never yields the processor. Stateless, so all loops share it. */
  static final BusyPolicy KEEPS_CORE = new BusyPolicy(null);

  private final IdleTime idle;

  BusyPolicy() {
    this(new IdleTime());
  }

  private BusyPolicy(IdleTime idle) {
    this.idle = idle;
  }

  @Override
  public boolean startPolling(long now, long events, boolean unannounced) {
    return true;
  }

  /** Returns false, because polling loops without queues would take cores from loops with queues. */
  @Override
  public boolean pollsWithoutQueues() {
    return false;
  }

  @Override
  public Next next(long now, long events) {
    return idle == null ? Next.POLL : idle.next(now, events);
  }

  @Override
  public boolean sleepsAtOnce() {
    return false;
  }
}

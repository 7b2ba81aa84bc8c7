package io.github.vertxrdma.impl.poll;

final class BlockingPolicy implements PollPolicy {
  @Override
  public boolean startPolling(long now, long events, boolean unannounced) {
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

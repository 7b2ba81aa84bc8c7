package io.github.vertxrdma.impl.loop;

/** Never sleeps: for loops that have a core to themselves. */
final class BusyPolicy implements PollPolicy {

  @Override
  public boolean begin(long now, boolean expecting) {
    return true;
  }

  @Override
  public boolean proceed(long now) {
    Thread.onSpinWait();
    return true;
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

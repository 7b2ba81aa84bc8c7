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
}

package io.github.vertxrdma.provider.software;

import java.util.ArrayDeque;

/** Connection events for the next poll. The end of a connection is reported after its earlier completions. */
public final class ConnectionEvents {
  private final Completions completions;
  private final ArrayDeque<Runnable> arrivals = new ArrayDeque<>();
  private final ArrayDeque<Departure> departures = new ArrayDeque<>();

  private record Departure(long mark, Runnable event) {
  }

  public ConnectionEvents(Completions completions) {
    this.completions = completions;
  }

  public void arrived(Runnable event) {
    arrivals.add(event);
  }

  public void departed(Runnable event) {
    departures.add(new Departure(completions.tail(), event));
  }

  public boolean isEmpty() {
    return arrivals.isEmpty() && departures.isEmpty();
  }

  /**
   * Calls the handlers. The next call reports disconnects that a handler causes.
   *
   * @param returned number of completions that polls have returned
   */
  public void deliver(long returned) {
    while (!arrivals.isEmpty()) {
      arrivals.poll().run();
    }
    for (int n = departures.size(); n > 0 && departures.peek().mark() <= returned; n--) {
      departures.poll().event().run();
    }
  }
}

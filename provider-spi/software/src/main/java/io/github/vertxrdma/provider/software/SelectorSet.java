package io.github.vertxrdma.provider.software;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.function.Consumer;

/** Channels of the JDK: a selector, and a thread that waits in it while the queue's own sleeps. */
public abstract class SelectorSet implements WaitSet {
  protected final Selector selector;
  protected final SelectorSleeper sleeper;
  private final ArrayList<SelectionKey> ready = new ArrayList<>();
  private final Consumer<SelectionKey> onReady = ready::add;
  private final Consumer<SelectionKey> ignore = key -> { };

  /** @param sleeper name of its thread */
  protected SelectorSet(Selector selector, String sleeper) {
    this.selector = selector;
    this.sleeper = new SelectorSleeper(selector, sleeper);
  }

  /** The channel of a key is ready. */
  protected abstract void ready(SelectionKey key);

  /** Tells of the channels that are ready. */
  protected final void select() throws IOException {
    // While the sleeper sleeps no socket is ready, and taking the selector from it would cost a switch of threads.
    if (sleeper.undisturbed()) {
      return;
    }
    selector.selectNow(onReady);
    for (int i = 0; i < ready.size(); i++) {
      if (ready.get(i).isValid()) {
        ready(ready.get(i));
      }
    }
    ready.clear();
  }

  /** Lets go of channels that were closed: they give their file descriptors back at the next selection. */
  public final void sweep() {
    if (selector.isOpen()) {
      sleeper.disarm();
      try {
        selector.selectNow(ignore);
      } catch (IOException e) {
        // The next poll says so.
      }
    }
  }

  @Override
  public void disturb() {
    sleeper.disarm();
  }

  @Override
  public int fd() {
    return -1;
  }

  @Override
  public void wakeupHandler(Runnable handler) {
    sleeper.handler(handler);
  }

  @Override
  public void close() {
    sleeper.close();
  }
}

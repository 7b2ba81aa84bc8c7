package io.github.vertxrdma.impl.loop;

import io.netty.channel.IoEvent;
import io.netty.channel.IoHandle;
import io.netty.channel.IoRegistration;

/** Handle that a poller registers with an {@link RdmaIoHandler}, which then polls it in each turn of the loop. */
record QueueHandle(CompletionPoller poller) implements IoHandle {

  @Override
  public void handle(IoRegistration registration, IoEvent event) {
    // It is polled and has no events.
  }

  /** The loop ends. */
  @Override
  public void close() {
    poller.detach();
  }
}

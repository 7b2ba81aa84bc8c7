package io.github.vertxrdma.impl.poll;

import io.netty.channel.IoEvent;
import io.netty.channel.IoHandle;
import io.netty.channel.IoRegistration;

record QueueHandle(CompletionPoller poller) implements IoHandle {

  @Override
  public void handle(IoRegistration registration, IoEvent event) {
    // The queue is polled and has no events.
  }

  @Override
  public void close() {
    poller.detach();
  }
}

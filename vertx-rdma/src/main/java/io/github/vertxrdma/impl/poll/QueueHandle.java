package io.github.vertxrdma.impl.poll;

import io.netty.channel.IoEvent;
import io.netty.channel.IoHandle;
import io.netty.channel.IoRegistration;

record QueueHandle(CompletionPoller poller) implements IoHandle {

  @Override
  public void handle(IoRegistration registration, IoEvent event) {
    // Queues have no events, because they are polled.
  }

  @Override
  public void close() {
    poller.detach();
  }
}

package io.github.vertxrdma.impl.poll;

import io.netty.channel.IoEvent;
import io.netty.channel.IoHandle;
import io.netty.channel.IoRegistration;

record QueueHandle(CompletionPoller poller) implements IoHandle {

  @Override
  public void handle(IoRegistration registration, IoEvent event) {
    // There are no events: the poller polls the queue.
  }

  @Override
  public void close() {
    poller.detach();
  }
}

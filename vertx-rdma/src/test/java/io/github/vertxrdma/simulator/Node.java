package io.github.vertxrdma.simulator;

import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.device.LoopOptions;
import io.github.vertxrdma.impl.link.IncomingLink;
import io.github.vertxrdma.impl.link.LinkIdentity;
import io.github.vertxrdma.impl.link.LinkListener;
import io.github.vertxrdma.impl.link.PlainHandshake;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointAddress;
import io.vertx.core.Future;

final class Node {
  static final byte[] WORD = {1, 2, 3};

  final int number;
  final int life;
  final int domainNumber;
  final Monitor monitor;
  final Domain domain;
  final SimulatedLoop host;
  final LoopOptions options;
  DeviceLoop loop;
  LinkListener listener;
  boolean dead;
  boolean closed;
  boolean gone;
  /** Whether it closes when the next of its links ends. */
  boolean closesNext;
  private final Conversation conversation;

  Node(Conversation conversation, int number, int life, int domainNumber, Monitor monitor, SimulatedLoop host, LoopOptions options) {
    this.conversation = conversation;
    this.number = number;
    this.life = life;
    this.domainNumber = domainNumber;
    this.monitor = monitor;
    this.host = host;
    this.options = options;
    this.domain = monitor.open();
    conversation.control.with("node" + number, host);
  }

  Future<Void> start(EndpointAddress address) {
    return DeviceLoop.open(host, domain, options).compose(opened -> {
      loop = opened;
      return LinkListener.listen(loop, address, 0, at -> identity(), this::greeted);
    }).map(listening -> {
      listener = listening;
      return null;
    });
  }

  LinkIdentity identity() {
    return new LinkIdentity(() -> NodeEntry.local("node" + number, life + 1), new PlainHandshake(WORD, (byte) (number + life)),
      conversation.control);
  }

  private void greeted(IncomingLink incoming) {
    conversation.dialogues.greeted(this, incoming);
  }

  void close(String why) {
    closed = true;
    if (listener != null) {
      listener.close();
    }
    if (loop != null) {
      loop.close(new IllegalStateException(why)).onComplete(done -> {
        gone = true;
        if (!dead && host.isBlocking()) {
          conversation.violated("node " + number + " has closed its loop, and work off it is under way");
        }
      });
    }
  }

  boolean isUp() {
    return !dead && !closed && listener != null;
  }
}

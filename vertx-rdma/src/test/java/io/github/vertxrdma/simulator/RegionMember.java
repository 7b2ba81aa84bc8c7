package io.github.vertxrdma.simulator;

import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.device.LoopOptions;
import io.github.vertxrdma.impl.link.IncomingLink;
import io.github.vertxrdma.impl.link.LinkIdentity;
import io.github.vertxrdma.impl.link.LinkListener;
import io.github.vertxrdma.impl.link.PlainHandshake;
import io.github.vertxrdma.impl.region.RegionRegistry;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointAddress;
import io.vertx.core.Future;
import java.util.function.Consumer;

final class RegionMember {
  final int number;
  final int domainNumber;
  final Domain domain;
  final SimulatedLoop host;
  final RegionRegistry registry;
  DeviceLoop loop;
  LinkListener listener;
  boolean dead;
  boolean closed;
  private final SimulatedControl control;
  boolean gone;

  RegionMember(int number, int domainNumber, Domain domain, SimulatedLoop host, SimulatedControl control) {
    this.number = number;
    this.domainNumber = domainNumber;
    this.domain = domain;
    this.host = host;
    this.control = control.with("node" + number, host);
    registry = new RegionRegistry(() -> host, RegionRegistry.Listener.NONE);
  }

  Future<Void> start(LoopOptions options, Consumer<IncomingLink> handler) {
    return start(options, null, handler);
  }

  Future<Void> start(LoopOptions options, EndpointAddress address, Consumer<IncomingLink> handler) {
    return DeviceLoop.open(host, domain, options).compose(opened -> {
      loop = opened;
      return LinkListener.listen(loop, address, 0, at -> identity(), handler::accept);
    }).map(listening -> {
      listener = listening;
      return null;
    });
  }

  Future<Void> end() {
    listener.close();
    return loop.close(new IllegalStateException("the node was closed"));
  }

  LinkIdentity identity() {
    return new LinkIdentity(() -> NodeEntry.local("node" + number, 1), new PlainHandshake(Node.WORD), control);
  }
}

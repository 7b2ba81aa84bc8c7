package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.statistics.ConnectionStatistics;
import io.github.vertxrdma.statistics.DeviceStatistics;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** How a device loop and its links stand, read on the loop. */
final class LoopStatistics {
  /** Connections that are told of one by one. */
  private static final int MAX = 256;

  private LoopStatistics() {
  }

  static DeviceStatistics of(DeviceLoop loop, Collection<Link> links) {
    Counters all = new Counters();
    all.add(loop.past);
    List<ConnectionStatistics> connections = new ArrayList<>();
    for (Link link : links) {
      all.add(link.counters);
      if (connections.size() < MAX) {
        connections.add(of(link));
      }
    }
    Device device = loop.domain.device();
    LoopMemory memory = loop.memory;
    return new DeviceStatistics(device.provider(), device.name(), device.fabric(), device.endpointType(),
      Thread.currentThread().getName(), all.traffic(), loop.opened, loop.lost, loop.retried, memory.sendSlots.total(),
      memory.sendSlots.inUse(), memory.receiveSlots.total(), memory.receiveSlots.inUse(),
      memory.sourceSlots.total() + memory.stagingSlots.total(), memory.sourceSlots.inUse() + memory.stagingSlots.inUse(), memory.lent(),
      memory.size(), all.requestLatencies(), loop.oneSided.latencies(), connections);
  }

  private static ConnectionStatistics of(Link link) {
    LinkSender sender = link.sender;
    return new ConnectionStatistics(link.peer() == null ? "" : link.peer().nodeId(), String.valueOf(link.endpoint.remoteAddress()),
      link.setup().service(), link.setup().isConnector(), link.isOpen(), link.counters.traffic(), sender.dataCredits(),
      sender.controlCredits(), sender.pendingBytes(), sender.inFlight.size(), link.transfers.pending(), sender.unreadFragments(),
      link.pulse.roundTripNanos());
  }
}

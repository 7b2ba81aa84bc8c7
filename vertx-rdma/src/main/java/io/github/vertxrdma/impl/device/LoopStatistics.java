package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.statistics.ConnectionStatistics;
import io.github.vertxrdma.statistics.DeviceStatistics;
import java.util.ArrayList;
import java.util.List;

final class LoopStatistics {
  /** Maximum number of connections listed. */
  private static final int MAX = 256;

  private LoopStatistics() {
  }

  static DeviceStatistics of(DeviceLoop loop) {
    Counters all = new Counters();
    all.add(loop.endpoints.past);
    long pendingBytes = 0;
    List<ConnectionStatistics> connections = new ArrayList<>();
    for (LoopEndpoint endpoint : loop.endpoints.all()) {
      all.add(endpoint.counters);
      pendingBytes += endpoint.pendingBytes();
      if (connections.size() < MAX) {
        connections.add(endpoint.statistics());
      }
    }
    Device device = loop.domain.device();
    LoopMemory memory = loop.memory;
    return new DeviceStatistics(device.provider(), device.name(), device.fabric(), device.endpointType(),
      Thread.currentThread().getName(), all.traffic(), loop.endpoints.opened, loop.endpoints.lost, loop.turn.retried,
      loop.deferred + loop.queue.deferred(), memory.sendSlots.total(), memory.sendSlots.inUse(), memory.receiveSlots.total(),
      memory.receiveSlots.inUse(), memory.pieces(), memory.piecesInUse(), memory.zeroCopyTaken(), memory.size(), all.requestLatencies(),
      loop.oneSided.latencies(), loop.endpoints.all().size(), pendingBytes, connections);
  }
}

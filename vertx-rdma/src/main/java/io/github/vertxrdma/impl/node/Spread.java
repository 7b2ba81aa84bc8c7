package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.DeviceSpread;
import io.github.vertxrdma.impl.node.Connector.Candidate;
import io.github.vertxrdma.impl.process.NumaNode;
import io.github.vertxrdma.provider.Device;
import io.netty.channel.EventLoop;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Spreads connections over several devices of one fabric: says with which a connection begins. Thread-safe. */
final class Spread {
  private final DeviceSpread spread;
  /** Devices on the NUMA node of this process; none if it is bound to none. */
  private final Set<Device> near = new HashSet<>();
  private final Map<EventLoop, Integer> loops = new HashMap<>();

  /**
   * @param home the NUMA node to which this process is bound; {@link NumaNode#NONE} if it is not, or nothing asks
   * @param alike devices of each fabric that has several
   */
  Spread(DeviceSpread spread, int home, Collection<List<Device>> alike) {
    this.spread = spread;
    if (home != NumaNode.NONE) {
      alike.forEach(devices -> devices.stream().filter(device -> device.numaNode() == home).forEach(near::add));
    }
  }

  /** The number of the device, among those of the ways to one peer; any number, taken modulo theirs. @param loop of who connects */
  int start(List<Candidate> ways, EventLoop loop) {
    return switch (spread) {
      case NONE -> 0;
      case PEER -> ways.getFirst().nodeId().hashCode();
      case LOOP -> {
        synchronized (loops) {
          yield loops.computeIfAbsent(loop, l -> loops.size());
        }
      }
      case NUMA -> Math.max(0, ways.stream().map(Candidate::device).distinct().map(near::contains).toList().indexOf(true));
    };
  }
}

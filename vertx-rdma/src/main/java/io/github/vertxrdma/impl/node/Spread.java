package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.DeviceSpread;
import io.github.vertxrdma.impl.node.Connector.Candidate;
import io.github.vertxrdma.impl.process.NumaNode;
import io.github.vertxrdma.provider.Device;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.EventExecutor;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Spreads connections over several devices of one fabric: says with which a connection begins. Thread-safe. */
final class Spread {
  private final DeviceSpread spread;
  /** Devices by the NUMA node that they hang on. */
  private final Map<Integer, Set<Device>> near = new HashMap<>();
  /** The NUMA nodes that event loops are bound to. */
  private final Map<EventLoop, Integer> homes = new ConcurrentHashMap<>();
  private final Map<EventLoop, Integer> places = new HashMap<>();

  /** @param alike devices of each fabric that has several */
  Spread(DeviceSpread spread, Collection<List<Device>> alike) {
    this.spread = spread;
    if (spread == DeviceSpread.NUMA) {
      alike.forEach(devices -> devices.forEach(device -> near.computeIfAbsent(device.numaNode(), node -> new HashSet<>()).add(device)));
    }
  }

  /** Asks each event loop to which NUMA node it is bound, if that is wanted and there is a choice. */
  void learn(Iterable<? extends EventExecutor> loops) {
    if (near.size() > 1) {
      loops.forEach(loop -> loop.execute(() -> bound((EventLoop) loop, NumaNode.ofThread())));
    }
  }

  /** @param node {@link NumaNode#NONE} if it is bound to none */
  void bound(EventLoop loop, int node) {
    homes.put(loop, node);
  }

  /** The number of the device, among those of the ways to one peer; any number, taken modulo theirs. @param loop of who connects */
  int start(List<Candidate> ways, EventLoop loop) {
    return switch (spread) {
      case NONE -> 0;
      case PEER -> ways.getFirst().nodeId().hashCode();
      case LOOP -> {
        synchronized (places) {
          yield places.computeIfAbsent(loop, l -> places.size());
        }
      }
      case NUMA -> {
        int home = homes.getOrDefault(loop, NumaNode.NONE);
        Set<Device> here = home == NumaNode.NONE ? Set.of() : near.getOrDefault(home, Set.of());
        yield Math.max(0, ways.stream().map(Candidate::device).distinct().map(here::contains).toList().indexOf(true));
      }
    };
  }
}

package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.DeviceSpread;
import io.github.vertxrdma.impl.node.Connector.Candidate;
import io.github.vertxrdma.impl.process.NumaNode;
import io.github.vertxrdma.provider.Device;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.EventExecutor;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Chooses which device of a fabric a connection tries first. Thread-safe. */
final class DeviceChoice {
  private final DeviceSpread spread;
  private final Map<Integer, Set<Device>> near = new ConcurrentHashMap<>();
  private final Map<EventLoop, Integer> homes = new ConcurrentHashMap<>();
  private final Map<EventLoop, Integer> places = new HashMap<>();

  DeviceChoice(DeviceSpread spread, Collection<List<Device>> redundant) {
    this.spread = spread;
    add(redundant);
  }

  void add(Collection<List<Device>> redundant) {
    if (spread == DeviceSpread.NUMA) {
      redundant.forEach(devices -> devices
        .forEach(device -> near.computeIfAbsent(device.numaNode(), node -> ConcurrentHashMap.newKeySet()).add(device)));
    }
  }

  void findNumaNodes(Iterable<? extends EventExecutor> loops) {
    if (near.size() > 1) {
      loops.forEach(loop -> loop.execute(() -> bound((EventLoop) loop, NumaNode.ofThread())));
    }
  }

  /** @param node NUMA node of the loop's thread; {@link NumaNode#NONE} if it is not bound */
  void bound(EventLoop loop, int node) {
    homes.put(loop, node);
  }

  /** Returns the index of the first device, to be taken modulo the number of devices. */
  int start(List<Candidate> paths, EventLoop loop) {
    return switch (spread) {
      case NONE -> 0;
      case PEER -> paths.getFirst().nodeId().hashCode();
      case LOOP -> {
        synchronized (places) {
          yield places.computeIfAbsent(loop, l -> places.size());
        }
      }
      case NUMA -> {
        int home = homes.getOrDefault(loop, NumaNode.NONE);
        Set<Device> local = home == NumaNode.NONE ? Set.of() : near.getOrDefault(home, Set.of());
        yield Math.max(0, paths.stream().map(Candidate::device).distinct().map(local::contains).toList().indexOf(true));
      }
    };
  }
}

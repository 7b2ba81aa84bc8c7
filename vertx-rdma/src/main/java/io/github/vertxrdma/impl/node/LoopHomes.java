package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.EndpointType;
import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Which event loop a device is used on for whom. Connected endpoints live on the event loop of whoever uses them. A connectionless one
 * serves all connections of its loop and may take tens of megabytes, so only the first few loops open one, and the others use theirs in
 * turn: what hangs on such a connection hops between two loops. Guarded by its node.
 */
final class LoopHomes {
  private final int most;
  private final Map<Device, List<EventLoop>> open = new HashMap<>();
  private final Map<Home, EventLoop> homes = new HashMap<>();

  /** Of whom, for which device. */
  private record Home(EventLoop loop, Device device) {
  }

  /** @param most event loops that open endpoints of one connectionless device, at least 1 */
  LoopHomes(int most) {
    this.most = most;
  }

  /** The loop on which a device is used from that one, the same whenever it is asked. */
  EventLoop of(EventLoop loop, Device device) {
    if (device.endpointType() == EndpointType.MSG) {
      return loop;
    }
    Home home = new Home(loop, device);
    EventLoop known = homes.get(home);
    if (known != null) {
      return known;
    }
    List<EventLoop> loops = open.computeIfAbsent(device, d -> new ArrayList<>());
    EventLoop chosen;
    if (loops.size() < most) {
      loops.add(loop);
      chosen = loop;
    } else {
      int others = (int) homes.keySet().stream().filter(h -> h.device.equals(device)).count() - loops.size();
      chosen = loops.get(others % loops.size());
    }
    homes.put(home, chosen);
    return chosen;
  }
}

package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.EndpointType;
import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Chooses the event loop that drives a device's endpoint for a caller. Guarded by its {@link NodeLoops}.
 *
 * <p>Connected endpoints use the caller's loop. Connectionless endpoints need much memory: only the first loops open one, and later loops
 * share these. A device with one endpoint per domain uses one loop. Several domains would register each region several times, and prevent
 * atomics of the adapter.
 */
final class LoopHomes {
  private final int most;
  private final Map<Device, List<EventLoop>> open = new HashMap<>();
  private final Map<Home, EventLoop> homes = new HashMap<>();

  private record Home(EventLoop loop, Device device) {
  }

  /** @param most maximum number of event loops with an endpoint of one connectionless device, at least 1 */
  LoopHomes(int most) {
    this.most = most;
  }

  /** Returns the same loop for equal arguments. */
  EventLoop of(EventLoop loop, Device device) {
    if (device.endpointType() == EndpointType.MSG) {
      return loop;
    }
    Home home = new Home(loop, device);
    EventLoop assigned = homes.get(home);
    if (assigned != null) {
      return assigned;
    }
    List<EventLoop> loops = open.computeIfAbsent(device, d -> new ArrayList<>());
    EventLoop chosen;
    if (loops.size() < (device.capabilities().singleEndpoint() ? 1 : most)) {
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

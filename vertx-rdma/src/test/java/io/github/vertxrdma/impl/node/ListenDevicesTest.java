package io.github.vertxrdma.impl.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Device.Preference;
import io.github.vertxrdma.provider.Device.Reach;
import io.github.vertxrdma.provider.EndpointType;
import java.lang.reflect.Proxy;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A node listens on all devices that a peer may need, but not on those that others replace. */
class ListenDevicesTest {
  private final Device memory = device("memory", EndpointType.MSG, Reach.HOST, Preference.SHARED_MEMORY);
  private final Device adapter = device("adapter", EndpointType.RDM, Reach.NETWORK, Preference.RDMA_HARDWARE);
  private final Device sockets = device("sockets", EndpointType.MSG, Reach.NETWORK, Preference.SOCKETS);
  private final Device connected = device("connected", EndpointType.MSG, Reach.NETWORK, Preference.MSG);
  private final Device datagrams = device("datagrams", EndpointType.RDM, Reach.NETWORK, Preference.RDM);

  private static Device device(String name, EndpointType type, Reach reach, Preference preference) {
    return device(name, type, reach, preference, false, 0L);
  }

  private static Device device(String name, EndpointType type, Reach reach, Preference preference, boolean ofHost, long speed) {
    return (Device) Proxy.newProxyInstance(Device.class.getClassLoader(), new Class<?>[] {Device.class},
      (proxy, method, arguments) -> switch (method.getName()) {
        case "endpointType" -> type;
        case "reach" -> reach;
        case "preference" -> preference;
        case "hasHostAddress" -> ofHost;
        case "speed" -> speed;
        default -> name;
      });
  }

  private static List<String> worth(Device... devices) {
    return NodeDevices.worthListening(List.of(devices)).stream().map(Device::name).toList();
  }

  @Test
  void fasterAdapterThanThatOfTheClusterIsNamed() {
    Device cluster = device("mlx5_1", EndpointType.MSG, Reach.NETWORK, Preference.RDMA_HARDWARE, true, 25);
    Device fast = device("mlx5_2", EndpointType.MSG, Reach.NETWORK, Preference.RDMA_HARDWARE, false, 400);
    assertEquals("mlx5_2 is used before mlx5_1, which is slower, but has the address of the cluster's host. To use mlx5_1 first, set that "
      + "address by RdmaOptions.setHost", NodeDevices.fasterThanOfHost(List.of(memory, fast, cluster, sockets)));
    assertNull(NodeDevices.fasterThanOfHost(List.of(memory, cluster, fast)));
    assertNull(NodeDevices.fasterThanOfHost(List.of(memory, adapter, cluster)), "its speed is unknown");
    assertNull(NodeDevices.fasterThanOfHost(List.of(memory, fast)));
  }

  @Test
  void anAdapterCountsWhateverItsEndpoints() {
    assertEquals(List.of("adapter", "sockets", "connected"), worth(adapter, sockets, connected, datagrams));
  }

  @Test
  void datagramsOverSocketsStandInForConnections() {
    assertEquals(List.of("datagrams"), worth(datagrams));
    assertEquals(List.of("adapter", "datagrams"), worth(adapter, datagrams));
    assertEquals(List.of("sockets"), worth(sockets, datagrams));
  }

  @Test
  void sharedMemoryIsListenedOnBesideSockets() {
    assertEquals(List.of("memory", "sockets"), worth(memory, sockets, datagrams));
    assertEquals(List.of("memory", "datagrams"), worth(memory, datagrams));
  }
}

package io.github.vertxrdma.provider;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class SelectionTest {

  private record Adapter(String name, boolean hasHostAddress, long speed, int numaNode, Preference preference) implements Device {
    @Override
    public String provider() {
      return "test";
    }

    @Override
    public EndpointType endpointType() {
      return EndpointType.MSG;
    }

    @Override
    public Reach reach() {
      return Reach.NETWORK;
    }

    @Override
    public Capabilities capabilities() {
      return Capabilities.builder().orders(Set.of(Capabilities.Order.SEND_AFTER_WRITE)).build();
    }

    @Override
    public Limits limits() {
      return new Limits(4096, 4096, 0, 16, 16, 1, 1, 0, 1 << 20, 16, 16, 4);
    }

    @Override
    public Domain open() {
      throw new UnsupportedOperationException();
    }
  }

  private static Adapter adapter(String name, long speed) {
    return new Adapter(name, false, speed, 0, Device.Preference.RDMA_HARDWARE);
  }

  private static void assertOrder(Device... ordered) {
    List<Device> reversed = Arrays.asList(ordered.clone());
    Collections.reverse(reversed);
    assertEquals(names(List.of(ordered)),
      names(Selection.of(new Requirements(Set.of(), Device.Reach.PROCESS, null, 0), reversed).ranked()));
  }

  private static String names(List<Device> devices) {
    return devices.stream().map(Device::name).collect(Collectors.joining(" "));
  }

  @Test
  void namesAreOrderedByTheirNumbers() {
    assertOrder(adapter("mlx5", 0), adapter("mlx5_2", 0), adapter("mlx5_2:2", 0), adapter("mlx5_10", 0), adapter("rocep1s0", 0));
  }

  @Test
  void fasterAdaptersComeFirst() {
    assertOrder(adapter("mlx5_9", 400), adapter("mlx5_1", 200), adapter("mlx5_0", 25), adapter("unknown", 0));
  }

  @Test
  void adaptersOfTheProcessesNumaNodeComeBeforeOthersOfTheSameSpeed() {
    Device far = adapter("mlx5_0", 200);
    Device near = new Adapter("mlx5_1", false, 200, 1, Device.Preference.RDMA_HARDWARE);
    Device fast = adapter("mlx5_2", 400);
    Requirements any = new Requirements(Set.of(), Device.Reach.PROCESS, null, 0);
    assertEquals("mlx5_2 mlx5_1 mlx5_0", names(Selection.of(any, List.of(far, near, fast), false, 1).ranked()));
    assertEquals("mlx5_2 mlx5_0 mlx5_1", names(Selection.of(any, List.of(far, near, fast), false, 0).ranked()));
    assertEquals("mlx5_2 mlx5_0 mlx5_1", names(Selection.of(any, List.of(near, far, fast)).ranked()));
  }

  /** The cluster often uses a slower interface, of which the adapter can also use RDMA. */
  @Test
  void addressOfTheHostThatTheUserHasNotChosenComesAfterSpeed() {
    Device cluster = new Adapter("mlx5_1", true, 25, 0, Device.Preference.RDMA_HARDWARE);
    Device fast = new Adapter("mlx5_2", false, 400, 0, Device.Preference.RDMA_HARDWARE);
    Requirements any = new Requirements(Set.of(), Device.Reach.PROCESS, null, 0);
    assertEquals("mlx5_2 mlx5_1 mlx5_0", names(Selection.of(any, List.of(adapter("mlx5_0", 25), cluster, fast), false, -1).ranked()));
    assertEquals("mlx5_1 mlx5_2 mlx5_0", names(Selection.of(any, List.of(adapter("mlx5_0", 25), cluster, fast), true, -1).ranked()));
  }

  @Test
  void requestedAddressComesBeforeSpeedAndKindBeforeBoth() {
    assertOrder(new Adapter("shm", false, 0, 0, Device.Preference.SHARED_MEMORY),
      new Adapter("mlx5_9", true, 25, 0, Device.Preference.RDMA_HARDWARE), adapter("mlx5_0", 400),
      new Adapter("nio", true, 500, 0, Device.Preference.SOCKETS));
  }
}

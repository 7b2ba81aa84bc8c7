package io.github.vertxrdma.provider;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.ProviderException.Reason;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PortRangeTest {
  private static final InetAddress HOST = InetAddress.getLoopbackAddress();

  private static PortRange range(String ports) {
    return PortRange.of(new DiscoveryOptions(null, Map.of("ports", ports)));
  }

  @Test
  void settingIsOnePortOrTwo() {
    assertEquals(new PortRange(7600, 7699), range("7600-7699"));
    assertEquals(new PortRange(7600, 7600), range("7600"));
    assertEquals(new PortRange(0, 0), range(""));
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "x", "7-6", "7600-70000", "7600-", "-7600", "7600 - 7700"})
  void otherSettingsAreRefusedWithARemedy(String ports) {
    String message = assertThrows(IllegalArgumentException.class, () -> range(ports)).getMessage();
    assertTrue(message.contains("'" + ports + "'") && message.contains("7600-7699"), message);
  }

  @Test
  void firstFreePortIsTaken() {
    List<Integer> tried = new ArrayList<>();
    int taken = range("7600-7605").open(HOST, address -> {
      tried.add(address.toInet().getPort());
      if (address.toInet().getPort() < 7602) {
        throw new ProviderException(Reason.ADDRESS_IN_USE, "in use");
      }
      return address.toInet().getPort();
    });
    assertEquals(7602, taken);
    assertEquals(List.of(7600, 7601, 7602), tried);
  }

  @Test
  void rangeWithoutAFreePortNamesTheSetting() {
    ProviderException failed = assertThrows(ProviderException.class, () -> range("7600-7601").open(HOST, address -> {
      throw new ProviderException(Reason.ADDRESS_IN_USE, "in use");
    }));
    assertEquals(Reason.ADDRESS_IN_USE, failed.reason());
    assertTrue(failed.getMessage().contains("vertx.rdma.ports from 7600 to 7601"), failed.getMessage());
  }

  @Test
  void otherFailuresEndTheSearch() {
    List<EndpointAddress> tried = new ArrayList<>();
    assertEquals(Reason.UNREACHABLE, assertThrows(ProviderException.class, () -> range("7600-7601").open(HOST, address -> {
      tried.add(address);
      throw new ProviderException(Reason.UNREACHABLE, "no such address");
    })).reason());
    assertEquals(1, tried.size());
  }

  @Test
  void withoutASettingOrAnAddressOfIpTheDeviceChooses() {
    assertNull(range("").<EndpointAddress>open(HOST, address -> address));
    assertNull(range("7600").<EndpointAddress>open(null, address -> address));
  }
}
